#include "antaeus/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "core/utf8.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

/// Deeper files are refused: values of this class are copied, written and destroyed by recursion.
constexpr std::size_t kDeepest = 256;

const Json kNull;

[[noreturn]] void throw_wrong_kind(const char* wanted) {
  throw Error("JSON", std::string("the value is no ") + wanted, "check the file against its schema");
}

/// What would steer a terminal is escaped: the same text to a reader of JSON, and harmless where the file is shown.
void append_quoted(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  const std::string valid = valid_utf8(text);
  out += '"';
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t length = utf8_length(valid, at);
    const char32_t code = utf8_code_point(valid, at, length);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += valid[at];
    } else if (code == '\n') {
      out += "\\n";
    } else if (is_steering(code)) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 15U];
    } else {
      out.append(valid, at, length);
    }
    at += length;
  }
  out += '"';
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
  } else if (value == 0.0 && std::signbit(value)) {
    out += "-0.0";  // readers take "-0" for the integer, which has no sign
  } else {
    append_shortest(out, value);
  }
}

/// Writes a tree.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  std::string take() { return std::move(out_); }

  void write(const Json& value) {
    if (value.is_array()) {
      write_all('[', value.items(), ']', [this](const Json& item) { write(item); });
    } else if (value.is_object()) {
      write_all('{', value.members(), '}', [this](const Json::Member& member) {
        append_quoted(out_, member.first);
        out_ += indent_ < 0 ? ":" : ": ";
        write(member.second);
      });
    } else if (value.is_text()) {
      append_quoted(out_, value.text());
    } else if (value.is_integer()) {
      out_ += std::to_string(value.integer());
    } else if (value.is_number()) {
      append_number(out_, value.number());
    } else {
      out_ += value.is_null() ? "null" : value.boolean() ? "true" : "false";
    }
  }

 private:
  template <class Items, class Write>
  void write_all(char open, const Items& items, char close, Write write_item) {
    out_ += open;
    ++depth_;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out_ += ',';
      is_first = false;
      new_line();
      write_item(item);
    }
    --depth_;
    if (!is_first) new_line();
    out_ += close;
  }

  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  std::string out_;
  std::size_t depth_ = 0;
  int indent_;
};

/// Shows how far the parser has read.
struct CountingIterator {
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::forward_iterator_tag;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    *reached = ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

/// Builds the tree from the parser's events; the parser itself does not recurse.
class Builder {
 public:
  using Numbers = nlohmann::json;

  Json take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(Numbers::number_integer_t value) { return add(Json(std::int64_t{value})); }
  bool number_unsigned(Numbers::number_unsigned_t value) {
    constexpr auto kLargest = static_cast<Numbers::number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return value <= kLargest ? add(Json(static_cast<std::int64_t>(value))) : add(Json(static_cast<double>(value)));
  }
  bool number_float(Numbers::number_float_t value, const std::string&) { return add(Json(value)); }
  bool string(std::string& text) { return add(Json(std::move(text))); }
  bool binary(Numbers::binary_t&) { return refuse("binary data"); }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& text) {
    open_.back().key = std::move(text);
    return true;
  }

  bool end_array() {
    Json closed(std::move(open_.back().items));
    open_.pop_back();
    return add(std::move(closed));
  }

  bool end_object() {
    Json::Object members = std::move(open_.back().members);
    open_.pop_back();
    std::vector<std::string_view> keys;
    keys.reserve(members.size());
    for (const Json::Member& member : members) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    const auto twin = std::adjacent_find(keys.begin(), keys.end());
    if (twin != keys.end()) return refuse("the key '" + excerpt(*twin) + "' appears twice in one object");
    return add(Json(std::move(members)));
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …": the place is ours to
    // tell.
    const std::string_view whole = error.what();
    const std::size_t place = whole.find(": ");
    const std::size_t code = whole.find("] ");
    const std::size_t start = place != whole.npos ? place + 2 : code != whole.npos ? code + 2 : 0;
    constexpr std::size_t kShown = 200;
    return refuse(valid_utf8(whole.substr(start, kShown)));
  }

 private:
  struct Open {
    bool is_object;
    Json::Array items;
    Json::Object members;
    std::string key;
  };

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool open(bool is_object) {
    if (open_.size() >= kDeepest) return refuse("nested deeper than " + std::to_string(kDeepest) + " levels");
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  Json root_;
  std::vector<Open> open_;
  std::string problem_;
};

}  // namespace

Json& Json::push_back(Json item) {
  if (is_null()) value_ = Array{};
  auto* const items = std::get_if<Array>(&value_);
  if (!items) throw_wrong_kind("array");
  items->push_back(std::move(item));
  return *this;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  auto* const members = std::get_if<Object>(&value_);
  if (!members) throw_wrong_kind("object");
  for (Member& member : *members) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  members->emplace_back(std::string(key), std::move(value));
  return *this;
}

const Json& Json::operator[](std::string_view key) const noexcept {
  if (const auto* const members = std::get_if<Object>(&value_)) {
    for (const Member& member : *members) {
      if (member.first == key) return member.second;
    }
  }
  return kNull;
}

const Json& Json::operator[](std::size_t index) const noexcept {
  const auto* const items = std::get_if<Array>(&value_);
  return items && index < items->size() ? (*items)[index] : kNull;
}

std::size_t Json::size() const noexcept {
  if (const auto* const items = std::get_if<Array>(&value_)) return items->size();
  if (const auto* const members = std::get_if<Object>(&value_)) return members->size();
  return 0;
}

double Json::number() const {
  if (const auto* const value = std::get_if<double>(&value_)) return *value;
  if (const auto* const value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  throw_wrong_kind("number");
}

std::int64_t Json::integer() const {
  if (const auto* const value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* const value = std::get_if<double>(&value_)) {
    constexpr double kBound = 9223372036854775808.0;  // 2^63
    if (*value >= -kBound && *value < kBound && std::trunc(*value) == *value) return static_cast<std::int64_t>(*value);
  }
  throw_wrong_kind("integer");
}

bool Json::boolean() const {
  if (const auto* const value = std::get_if<bool>(&value_)) return *value;
  throw_wrong_kind("boolean");
}

const std::string& Json::text() const {
  if (const auto* const value = std::get_if<std::string>(&value_)) return *value;
  throw_wrong_kind("text");
}

const Json::Array& Json::items() const {
  if (const auto* const value = std::get_if<Array>(&value_)) return *value;
  throw_wrong_kind("array");
}

const Json::Object& Json::members() const {
  if (const auto* const value = std::get_if<Object>(&value_)) return *value;
  throw_wrong_kind("object");
}

std::string Json::dump(int indent) const {
  Writer writer(indent);
  writer.write(*this);
  return writer.take();
}

Json parse_json(std::string_view text, const std::string& name) {
  const char* reached = text.data();
  const char* const end = text.data() + text.size();
  Builder builder;
  const bool is_read = nlohmann::json::sax_parse(CountingIterator{reached, &reached}, CountingIterator{end, &reached},
                                                 &builder, nlohmann::json::input_format_t::json);
  if (is_read) return builder.take();
  // The last character that was read is the offending one, or the text ended too early.
  const auto read = static_cast<std::size_t>(reached - text.data());
  const std::string_view before = text.substr(0, read - std::min<std::size_t>(read, 1));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = before.size() - (line_end == before.npos ? 0 : line_end + 1) + 1;
  throw Error(name + ":" + std::to_string(line) + ":" + std::to_string(column), builder.problem(),
              "correct the file there");
}

}  // namespace antaeus
