#include "antaeus/io/numpy.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/io/array_reader.hpp"
#include "antaeus/io/files.hpp"
#include "io/bytes.hpp"
#include "io/npy_layout.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 64;  // NumPy's own bound
constexpr const char* kSaveAgain = "save it again with numpy.save as float64";

/// What the header of a .npy file says.
struct Header {
  std::string type;
  bool is_fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Reads the Python dictionary in the header: three known keys, and nothing that would need an interpreter.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    Header header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = parse_text();
      expect(':');
      bool& seen = key == "descr" ? has_type : key == "fortran_order" ? has_order : has_shape;
      if (seen || (&seen == &has_shape && key != "shape"))
        fail("the key '" + excerpt(key) + "' is unknown or repeated");
      seen = true;
      if (&seen == &has_type) {
        if (peek() == '[') fail("structured types hold no plain array");
        header.type = parse_text();
      } else if (&seen == &has_order) {
        header.is_fortran_order = parse_truth();
      } else {
        header.shape = parse_shape();
      }
      if (!take(',') && peek() != '}') fail("a comma is missing");
    }
    if (peek() != '\0') fail("something follows the dictionary");
    if (!has_type || !has_order || !has_shape) fail("descr, fortran_order or shape is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(name_, "the .npy header is not usable: " + problem, kSaveAgain);
  }

  /// The next character that is no blank, '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '\0') fail("a zero byte is in it");
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("'") + c + "' is missing");
  }

  std::string parse_text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted text is missing");
    const std::size_t stop = text_.find(quote, at_ + 1);
    if (stop == std::string_view::npos) fail("a quote is not closed");
    std::string text(text_.substr(at_ + 1, stop - at_ - 1));
    at_ = stop + 1;
    return text;
  }

  bool parse_truth() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::size_t> parse_shape() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!take(')')) {
      if (shape.size() == kMostDimensions) fail("the shape has more than 64 dimensions");
      shape.push_back(parse_extent());
      if (!take(',') && peek() != ')') fail("the shape is no tuple of numbers");
    }
    return shape;
  }

  std::size_t parse_extent() {
    constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
    if (peek() == '-') fail("the shape has a negative extent");
    const std::size_t start = at_;
    std::size_t extent = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::size_t>(text_[at_] - '0');
      if (extent > (kLargest - digit) / 10) fail("the shape has an extent beyond 64 bits");
      extent = 10 * extent + digit;
    }
    if (at_ == start) fail("the shape is no tuple of numbers");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote its long integers so
    return extent;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

using Convert = void (*)(const char* from, std::size_t count, std::endian order, double* to);

template <class Number>
void convert(const char* from, std::size_t count, std::endian order, double* to) {
  if (order != std::endian::native) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(load<Number>(from + i * sizeof(Number), order));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    Number value;
    std::memcpy(&value, from + i * sizeof(Number), sizeof value);
    to[i] = static_cast<double>(value);
  }
}

/// An element type that can become a double.
struct ElementType {
  std::string_view code;
  std::string_view name;
  std::size_t size;
  Convert convert;
};

constexpr ElementType kElementTypes[] = {
    {"f8", "float64", 8, convert<double>},
    {"f4", "float32", 4, convert<float>},
    {"i8", "int64", 8, convert<std::int64_t>},
    {"i4", "int32", 4, convert<std::int32_t>},
    {"i2", "int16", 2, convert<std::int16_t>},
    {"i1", "int8", 1, convert<std::int8_t>},
    {"u8", "uint64", 8, convert<std::uint64_t>},
    {"u4", "uint32", 4, convert<std::uint32_t>},
    {"u2", "uint16", 2, convert<std::uint16_t>},
    {"u1", "uint8", 1, convert<std::uint8_t>},
    {"b1", "bool", 1,
     [](const char* from, std::size_t count, std::endian, double* to) {
       for (std::size_t i = 0; i < count; ++i) to[i] = from[i] != 0 ? 1.0 : 0.0;
     }},
};

[[noreturn]] void throw_type(const std::string& type, const std::string& name) {
  std::string what = "the element type '" + excerpt(type) + "' ";
  const std::size_t kind = type.find_first_not_of("<>|=");
  switch (kind == std::string::npos ? '\0' : type[kind]) {
    case 'O': what += "(Python objects) cannot be read without running code"; break;
    case 'c': what += "(complex) is not a real number"; break;
    case 'U':
    case 'S': what += "(text) is not a number"; break;
    case 'V': what += "(structured or raw) is not a number"; break;
    case 'M':
    case 'm': what += "(dates) is not a number"; break;
    default: what += "is not supported";
  }
  throw Error(name, what, kSaveAgain);
}

/// Number of elements; empty when their product, or that of the extents that are not zero, does not fit the memory.
std::optional<std::size_t> element_count(const std::vector<std::size_t>& shape) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (extent != 0 && count > kMost / extent) return std::nullopt;
    count *= std::max<std::size_t>(extent, 1);
  }
  return std::find(shape.begin(), shape.end(), 0U) == shape.end() ? count : 0;
}

}  // namespace

std::size_t NumpyArray::columns() const noexcept {
  std::size_t product = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) product *= shape[d];
  return product;
}

std::vector<double> to_c_order(const std::vector<double>& stored, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> stride(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  std::vector<double> values(stored.size());
  std::vector<std::size_t> index(shape.size(), 0);
  std::size_t source = 0;
  for (double& value : values) {
    value = stored[source];
    for (std::size_t d = shape.size(); d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d]) break;
      source -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return values;
}

/// A header that is longer is none: NumPy's own have some hundred bytes.
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

std::size_t npy_header_size(std::string_view preamble) noexcept {
  if (preamble.size() < kNpyPreamble) return preamble.size();
  const char* const at = preamble.data() + 8;
  const std::size_t size = preamble[6] == 1 ? 10 + std::size_t{load<std::uint16_t>(at)}
                                            : kNpyPreamble + std::size_t{load<std::uint32_t>(at)};
  return std::max(preamble.size(), std::min(size, kLongestHeader));
}

NpyLayout read_npy_layout(std::string_view bytes, std::uint64_t size, const std::string& name) {
  if (!bytes.starts_with(kMagic)) throw Error(name, "it is no .npy file (its first bytes differ)", kSaveAgain);
  const auto truncated = [&](const char* where) {
    return Error(name, std::string("the .npy file ends within its ") + where, "copy it again, it is truncated");
  };
  if (bytes.size() < kMagic.size() + 4) throw truncated("header");
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(name, "the .npy format " + std::to_string(major) + "." + std::to_string(minor) + " is unknown",
                kSaveAgain);
  }
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start) throw truncated("header");
  const std::size_t length = major == 1 ? load<std::uint16_t>(bytes.data() + 8) : load<std::uint32_t>(bytes.data() + 8);
  if (bytes.size() - start < length) throw truncated("header");
  Header header = HeaderParser(bytes.substr(start, length), name).parse();

  const char mark = header.type.empty() ? '\0' : header.type.front();
  const bool has_mark = mark == '<' || mark == '>' || mark == '=' || mark == '|';
  const std::string_view code = std::string_view(header.type).substr(has_mark ? 1 : 0);
  const ElementType* const type = std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                                               [&](const ElementType& candidate) { return candidate.code == code; });
  if (type == std::end(kElementTypes) || (mark == '|' && type->size > 1)) throw_type(header.type, name);
  const std::endian order = mark == '>' ? std::endian::big : mark == '<' ? std::endian::little : std::endian::native;

  NpyLayout layout;
  layout.data_at = start + length;
  const std::uint64_t data = size - layout.data_at;
  const std::optional<std::size_t> count = element_count(header.shape);
  if (!count || *count > data / type->size) throw truncated("data: the shape declares more elements than it holds");
  if (data != *count * type->size) {
    throw Error(name, std::to_string(data - *count * type->size) + " bytes follow the array", kSaveAgain);
  }
  layout.shape = std::move(header.shape);
  layout.stored_type = std::string(type->name);
  layout.element_size = type->size;
  layout.count = *count;
  layout.order = order;
  layout.is_fortran_order = header.is_fortran_order && layout.shape.size() > 1;
  layout.convert = type->convert;
  return layout;
}

namespace {

/// Everything before the data.
std::string npy_head(const std::vector<std::size_t>& shape) {
  std::string extents;
  for (std::size_t d = 0; d < shape.size(); ++d) extents += (d ? ", " : "") + std::to_string(shape[d]);
  if (shape.size() == 1) extents += ',';
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + extents + "), }";
  constexpr std::size_t kAlignment = 64;  // the data then lie aligned in a mapped file
  constexpr std::size_t kPreamble = 10;
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  append(bytes, static_cast<std::uint16_t>(header.size()));
  return bytes += header;
}

/// Calls \p take with the numbers' bytes, little end first.
template <class Take>
void each_part(const double* values, std::size_t count, Take take) {
  constexpr std::size_t kAtATime = 8192;
  std::string bytes;
  for (std::size_t first = 0; first < count; first += kAtATime) {
    const std::size_t now = std::min(kAtATime, count - first);
    if (std::endian::native == std::endian::little) {
      take(std::string_view(reinterpret_cast<const char*>(values + first), now * sizeof(double)));
      continue;
    }
    bytes.clear();
    for (std::size_t i = 0; i < now; ++i) append(bytes, values[first + i]);
    take(std::string_view(bytes));
  }
}

}  // namespace

std::string to_npy(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  const std::optional<std::size_t> count = element_count(shape);
  if (!count || *count != values.size() || shape.size() > kMostDimensions) {
    throw Error("npy", "the shape does not fit the " + std::to_string(values.size()) + " values", "correct the shape");
  }
  std::string bytes = npy_head(shape);
  bytes.reserve(bytes.size() + sizeof(double) * values.size());
  each_part(values.data(), values.size(), [&](std::string_view part) { bytes += part; });
  return bytes;
}

std::string sha256_of_npy(const std::vector<std::size_t>& shape, const std::function<std::span<const double>()>& next) {
  Sha256 hash;
  hash.add(npy_head(shape));
  for (std::span<const double> part = next(); !part.empty(); part = next()) {
    each_part(part.data(), part.size(), [&](std::string_view bytes) { hash.add(bytes); });
  }
  return hash.digits();
}

std::string sha256_of_npy(const std::vector<std::size_t>& shape, const double* values) {
  std::span<const double> left(values, element_count(shape).value_or(0));
  return sha256_of_npy(shape, [&] { return std::exchange(left, {}); });
}

std::string to_npy(ConstMatrixRef matrix) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(matrix.size()));
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) values.push_back(matrix(row, column));
  }
  return to_npy({static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())}, values);
}

}  // namespace antaeus
