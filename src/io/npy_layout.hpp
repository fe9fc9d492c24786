#pragma once
// How a .npy file lays out its array. Private to src/io.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/io/array_reader.hpp"
#include "io/byte_source.hpp"

namespace antaeus {

struct NpyLayout {
  std::vector<std::size_t> shape;
  std::string stored_type;       ///< "float32", …
  std::size_t element_size = 0;  ///< [bytes]
  std::size_t count = 0;         ///< elements
  std::size_t data_at = 0;       ///< where they begin
  std::endian order = std::endian::native;
  bool is_fortran_order = false;
  /// \p count elements as doubles.
  void (*convert)(const char* from, std::size_t count, std::endian order, double* to) = nullptr;
};

/// Bytes of the header, to be read before it can be parsed, by the first kNpyPreamble bytes of a file, or fewer where
/// it is shorter.
inline constexpr std::size_t kNpyPreamble = 12;
std::size_t npy_header_size(std::string_view preamble) noexcept;

/// \param bytes  the file's first npy_header_size() ones, or all \param size  of the whole file: the shape is compared
/// with it
/// \throws Error
NpyLayout read_npy_layout(std::string_view bytes, std::uint64_t size, const std::string& name);

/// Values stored with the first index fastest, in the order with the last index fastest.
std::vector<double> to_c_order(const std::vector<double>& stored, const std::vector<std::size_t>& shape);

/// An array whose bytes are somewhere. \throws Error
std::shared_ptr<detail::ArrayBytes> array_of(std::shared_ptr<ByteSource> bytes, std::string name);

}  // namespace antaeus
