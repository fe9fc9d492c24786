#pragma once
/// \file
/// NumPy arrays: .npy (format 1.0, 2.0, 3.0) and .npz (stored and deflated members).
/// Accepted element types: float32, float64, signed and unsigned integers of 8 to 64 bits, bool; little- and
/// big-endian; C and Fortran order. Object arrays, structured types and complex numbers are refused by name.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// An array as doubles in C (row-major) order, and how it was stored. Integers beyond 2^53 become the nearest double.
struct ANTAEUS_API NumpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< product(shape) elements, last index fastest
  std::string stored_type;     ///< "float32", "float64", "int64", …

  std::size_t rows() const noexcept { return shape.empty() ? 1 : shape[0]; }
  std::size_t columns() const noexcept;  ///< product of all but the first extent
};

/// Parses the bytes of one .npy file. The declared shape is checked against the bytes present before anything is
/// allocated. \param name stands for the file in messages. \throws Error
ANTAEUS_API NumpyArray parse_npy(std::string_view bytes, const std::string& name);
ANTAEUS_API NumpyArray read_npy(const std::filesystem::path& file);
/// Members by name without ".npy". Stored and deflated members, of files beyond 4 GiB too (zip64); deflated
/// members may hold 64 MiB of numbers together, or 64 times the bytes of the file. \throws Error on encrypted,
/// truncated, duplicate, overlapping or oversized members, and on a wrong checksum
/// \param left_out  unless null, a member that cannot be read as numbers (texts, objects, damaged ones) is no error: it
/// is
///                  left out, and its message stands here
ANTAEUS_API std::map<std::string, NumpyArray> parse_npz(std::string_view bytes, const std::string& name,
                                                        std::vector<std::string>* left_out = nullptr);
ANTAEUS_API std::map<std::string, NumpyArray> read_npz(const std::filesystem::path& file,
                                                       std::vector<std::string>* left_out = nullptr);

/// Bytes of a .npy file, float64, C order, format 1.0.
ANTAEUS_API std::string to_npy(const std::vector<std::size_t>& shape, const std::vector<double>& values);
/// sha256() of those bytes, which are not made. \param values  product(shape) of them
ANTAEUS_API std::string sha256_of_npy(const std::vector<std::size_t>& shape, const double* values);
/// The same of values that come part after part, none at the end.
ANTAEUS_API std::string sha256_of_npy(const std::vector<std::size_t>& shape,
                                      const std::function<std::span<const double>()>& next);
/// The rows × columns matrix as above.
ANTAEUS_API std::string to_npy(ConstMatrixRef matrix);
/// Bytes of a .npz file (stored members, fixed time stamp: same input, same bytes).
ANTAEUS_API std::string to_npz(const std::map<std::string, NumpyArray>& arrays);

}  // namespace antaeus
