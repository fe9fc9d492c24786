/// \file
/// Arbitrary bytes as a .npy file.

#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/numpy.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

std::string npy(const std::string& header, const std::string& data, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  std::vector<std::string> all = {antaeus::to_npy({2, 3}, {1, 2, 3, 4, 5, 6}), antaeus::to_npy({}, {7}),
                                  antaeus::to_npy({0, 4}, {})};
  for (const std::string type : {"<f4", ">f8", "<i8", "|b1", ">u2", "|O8", "<c8", "<U3"}) {
    for (const char* const order : {"True", "False"}) {
      const std::string head = "{'descr': '" + type + "', 'fortran_order': " + order;
      all.push_back(
          npy(head + ", 'shape': (2, 2, 1), }\n", std::string(4 * static_cast<std::size_t>(type[2] - '0'), 'x')));
      all.push_back(npy(head + ", 'shape': (4294967296, 4294967296), }\n", "", 2));
    }
  }
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const antaeus::NumpyArray array = antaeus::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz.npy");
    antaeus::fuzz::accept();
    std::size_t count = 1;
    for (const std::size_t extent : array.shape) count *= extent;
    antaeus::fuzz::require(count == array.values.size() && array.rows() * array.columns() == count);
    antaeus::fuzz::require(antaeus::parse_npy(antaeus::to_npy(array.shape, array.values), "again").shape ==
                           array.shape);
  } catch (const antaeus::Error&) {
  }
  return 0;
}
