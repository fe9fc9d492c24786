/// \file
/// Arbitrary bytes as a .npz file, and, behind a first byte 'W', as the one member of a sound archive (its checksum
/// fits).

#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/numpy.hpp"
#include "fuzz/fuzz_target.hpp"
#include "io/hex.hpp"
#include "io/npz_samples.hpp"

namespace {

void put(std::string& out, std::size_t value, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint32_t crc32(std::string_view data) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) ? 0xEDB88320 : 0U);
  }
  return ~crc;
}

/// A deflate stream (RFC 1951, 3.2.4) of blocks that are not compressed.
std::string deflated(std::string_view data) {
  constexpr std::size_t kLongestBlock = 0xFFFF;
  std::string out;
  do {
    const std::string_view block = data.substr(0, kLongestBlock);
    data.remove_prefix(block.size());
    put(out, data.empty() ? 1 : 0, 1);
    put(out, block.size(), 2);
    put(out, ~block.size(), 2);
    out += block;
  } while (!data.empty());
  return out;
}

/// A sound archive of one deflated member.
std::string archive(std::string_view data) {
  const std::string packed = deflated(data);
  const std::string name = "q.npy";
  std::string common;
  put(common, 20, 2);
  put(common, 0, 2);
  put(common, 8, 2);
  put(common, 0x00210000, 4);
  put(common, crc32(data), 4);
  put(common, packed.size(), 4);
  put(common, data.size(), 4);
  put(common, name.size(), 2);
  put(common, 0, 2);
  std::string out;
  put(out, 0x04034b50, 4);
  out += common + name + packed;
  const std::size_t directory = out.size();
  put(out, 0x02014b50, 4);
  put(out, 20, 2);
  out += common + std::string(14, '\0') + name;
  const std::size_t end = out.size();
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, 1, 2);
  put(out, 1, 2);
  put(out, end - directory, 4);
  put(out, directory, 4);
  put(out, 0, 2);
  return out;
}

antaeus::NumpyArray array(std::vector<std::size_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values), "float64"};
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  const std::string npy = antaeus::to_npy({2, 2}, {1, 2, 3, 4});
  return {antaeus::to_npz({{"q", array({2, 2}, {1, 2, 3, 4})}, {"t", array({3}, {0, 1, 2})}}),
          antaeus::to_npz({}),
          antaeus::test::from_hex(antaeus::test::kSavez),
          antaeus::test::from_hex(antaeus::test::kSavezCompressed),
          archive(npy),
          archive(antaeus::to_npy({64, 64}, std::vector<double>(4096, 0.0))),
          "W" + npy,
          "W" + antaeus::to_npy({1}, {5})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const bool is_wrapped = bytes.starts_with('W');
    const auto arrays = antaeus::parse_npz(is_wrapped ? archive(bytes.substr(1)) : std::string(bytes), "fuzz.npz");
    antaeus::fuzz::accept();
    const auto again = antaeus::parse_npz(antaeus::to_npz(arrays), "again");
    antaeus::fuzz::require(again.size() == arrays.size());
    for (const auto& [name, values] : arrays) antaeus::fuzz::require(again.at(name).shape == values.shape);
  } catch (const antaeus::Error&) {
  }
  return 0;
}
