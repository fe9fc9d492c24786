#pragma once
/// \file
/// Numbers from and to bytes, in the order that the file format says.

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace antaeus {

/// The number whose bytes begin at \p at; the caller has checked that they are there.
template <class Number>
Number load(const char* at, std::endian order = std::endian::little) {
  char bytes[sizeof(Number)];
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes[i] = order == std::endian::native ? at[i] : at[sizeof(Number) - 1 - i];
  }
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Appends the number, little end first.
template <class Number>
void append(std::string& out, Number value) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof value);
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out += bytes[std::endian::native == std::endian::little ? i : sizeof(Number) - 1 - i];
  }
}

}  // namespace antaeus
