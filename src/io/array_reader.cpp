#include "antaeus/io/array_reader.hpp"

#include <utility>

#include "antaeus/core/error.hpp"
#include "io/byte_source.hpp"
#include "io/npy_layout.hpp"

namespace antaeus {

struct detail::ArrayBytes {
  std::shared_ptr<ByteSource> bytes;
  std::string name;
  NpyLayout layout;
  std::vector<double> whole;  ///< of an array in Fortran order, once a row was wanted
  std::string buffer;

  std::size_t columns() const noexcept { return NumpyArray{layout.shape, {}, {}}.columns(); }

  /// Elements as they are stored.
  void take(std::size_t first, std::size_t count, double* out) {
    constexpr std::size_t kAtATime = std::size_t{1} << 16;
    while (count > 0) {
      const std::size_t now = std::min(count, kAtATime);
      buffer.resize(now * layout.element_size);
      bytes->read(layout.data_at + first * layout.element_size, buffer.data(), buffer.size());
      layout.convert(buffer.data(), now, layout.order, out);
      first += now;
      out += now;
      count -= now;
    }
  }

  std::vector<double> values() {
    std::vector<double> all(layout.count);
    take(0, layout.count, all.data());
    return layout.is_fortran_order ? to_c_order(all, layout.shape) : all;
  }
  NumpyArray array() { return {layout.shape, values(), layout.stored_type}; }
};

std::shared_ptr<detail::ArrayBytes> array_of(std::shared_ptr<ByteSource> bytes, std::string name) {
  const std::uint64_t size = bytes->size();
  const auto head_of = [&](std::size_t count) {
    std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(count, size)), '\0');
    bytes->read(0, head.data(), head.size());
    return head;
  };
  NpyLayout layout = read_npy_layout(head_of(npy_header_size(head_of(kNpyPreamble))), size, name);
  return std::make_shared<detail::ArrayBytes>(
      detail::ArrayBytes{std::move(bytes), std::move(name), std::move(layout), {}, {}});
}

ArrayReader::ArrayReader(std::shared_ptr<detail::ArrayBytes> bytes) noexcept : bytes_(std::move(bytes)) {}
ArrayReader::ArrayReader(const std::filesystem::path& file) : bytes_(array_of(open_bytes(file), file.string())) {}

const std::vector<std::size_t>& ArrayReader::shape() const noexcept { return bytes_->layout.shape; }
const std::string& ArrayReader::stored_type() const noexcept { return bytes_->layout.stored_type; }
std::size_t ArrayReader::rows() const noexcept { return shape().empty() ? 1 : shape()[0]; }
std::size_t ArrayReader::columns() const noexcept { return bytes_->columns(); }

void ArrayReader::read(std::size_t first, std::size_t count, double* out) {
  if (first > rows() || count > rows() - first) {
    throw Error(bytes_->name, "no rows there", "it has " + std::to_string(rows()));
  }
  detail::ArrayBytes& my = *bytes_;
  if (!my.layout.is_fortran_order) return my.take(first * columns(), count * columns(), out);
  if (my.whole.size() != my.layout.count) my.whole = my.values();
  const auto from = my.whole.begin() + static_cast<std::ptrdiff_t>(first * columns());
  std::copy_n(from, count * columns(), out);
}

NumpyArray ArrayReader::all() { return bytes_->array(); }

NumpyArray parse_npy(std::string_view bytes, const std::string& name) {
  return array_of(std::make_shared<BytesInMemory>(bytes), name)->array();
}
NumpyArray read_npy(const std::filesystem::path& file) { return ArrayReader(file).all(); }

}  // namespace antaeus
