#pragma once
/// \file
/// Whether rows fill the array that is given for them. Private to the library.

#include <cstddef>
#include <cstdint>
#include <string>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

/// How rows lie in an array: numbers in a row, numbers in all, between the beginnings of two rows (0: no gap).
struct RowsInArray {
  std::ptrdiff_t width;
  std::size_t size;
  std::ptrdiff_t stride;
};

enum class RowFault : std::uint8_t { none, stride, size };

/// What is wrong with an array for \p count rows. One that is empty is absent, and no states need none.
inline RowFault fault_of(const RowsInArray& array, std::ptrdiff_t count) noexcept {
  if (array.size == 0) return RowFault::none;
  if (array.stride != 0 && array.stride < array.width) return RowFault::stride;
  if (count == 0) return RowFault::none;
  const auto stride = static_cast<std::size_t>(array.stride == 0 ? array.width : array.stride);
  const auto rows = static_cast<std::size_t>(count - 1), width = static_cast<std::size_t>(array.width);
  // Rows that follow each other fill their array; with a stride the last one must be whole.
  if (array.stride == 0) {
    return array.size / width == rows + 1 && array.size % width == 0 ? RowFault::none : RowFault::size;
  }
  return array.size >= width && (array.size - width) / stride >= rows ? RowFault::none : RowFault::size;
}

/// \throws OptionsError naming the array, what it holds and what it should; for no fault nothing
inline void throw_fault(const std::string& name, const RowsInArray& array, RowFault fault, std::ptrdiff_t count) {
  const std::string width = std::to_string(array.width);
  switch (fault) {
    case RowFault::none: return;
    case RowFault::stride:
      throw OptionsError(name, "a stride of " + std::to_string(array.stride),
                         "a row has " + width + " numbers, and rows must not overlap");
    case RowFault::size:
      throw OptionsError(name, std::to_string(array.size) + " numbers for " + std::to_string(count) + " states",
                         array.stride == 0 ? "give " + width + " a state"
                                           : "with its stride of " + std::to_string(array.stride) + " give " + width +
                                                 " a state, the last one too");
  }
}

}  // namespace antaeus::detail
