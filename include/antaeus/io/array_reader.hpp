#pragma once
/// \file
/// NumPy arrays of any length, read in rows: a .npy file, or one member of an .npz.
///
///     NpzReader log("log.npz");
///     ArrayReader tau = log.array("tau");
///     tau.read(0, 1000, numbers.data());     // rows 0 to 999
///
/// Memory is that of a block, whatever the length. Arrays in Fortran order alone are read as a whole.

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/io/numpy.hpp"

namespace antaeus {

namespace detail {
struct ArrayBytes;
}

class ANTAEUS_API ArrayReader {
 public:
  /// Of a .npy file. \throws Error as read_npy
  explicit ArrayReader(const std::filesystem::path& file);
  ArrayReader(ArrayReader&&) noexcept = default;
  ArrayReader& operator=(ArrayReader&&) noexcept = default;

  const std::vector<std::size_t>& shape() const noexcept;
  const std::string& stored_type() const noexcept;
  std::size_t rows() const noexcept;     ///< the first extent; 1 of a single number
  std::size_t columns() const noexcept;  ///< product of the others
  /// Numbers of \p count rows from \p first on, in C order. Going forward is cheap; going back in a deflated member
  /// reads it again from its start. The checksum of a member is compared once its bytes were read one after the other.
  /// \throws Error for rows that are not there, and for what is damaged
  void read(std::size_t first, std::size_t count, double* out);
  NumpyArray all();

 private:
  friend class NpzReader;
  explicit ArrayReader(std::shared_ptr<detail::ArrayBytes> bytes) noexcept;
  std::shared_ptr<detail::ArrayBytes> bytes_;
};

/// The directory of an .npz; no member is read before it is asked for.
class ANTAEUS_API NpzReader {
 public:
  /// \throws Error as read_npz, of what the directory and the local headers say
  explicit NpzReader(const std::filesystem::path& file);
  NpzReader(NpzReader&&) noexcept = default;
  NpzReader& operator=(NpzReader&&) noexcept = default;

  /// Without ".npy", in the order of the directory.
  const std::vector<std::string>& names() const noexcept;
  bool contains(std::string_view name) const noexcept;
  /// \throws Error where there is none of this name, where what it holds is no array of numbers, and where the
  /// compressed arrays that were asked for hold more than 64 MiB of numbers and 64 times the bytes of the file: hardly
  /// a log, and a small file shall not cost much
  ArrayReader array(std::string_view name) const;

 private:
  friend std::map<std::string, NumpyArray> parse_npz(std::string_view, const std::string&, std::vector<std::string>*);
  struct Impl;
  explicit NpzReader(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace antaeus
