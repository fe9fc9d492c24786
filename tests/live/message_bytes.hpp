#pragma once
/// Texts and numbers as the bytes of a message.

#include <cstddef>
#include <span>
#include <string>

#include "antaeus/core/types.hpp"

namespace antaeus::test {

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
inline std::span<const std::byte> bytes_of(const VectorX& numbers) {
  return std::as_bytes(std::span(numbers.data(), static_cast<std::size_t>(numbers.size())));
}

}  // namespace antaeus::test
