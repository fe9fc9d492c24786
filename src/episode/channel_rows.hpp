#pragma once
// The numbers of one channel of a log, wherever they are. Private to src/episode.

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/types.hpp"
#include "antaeus/io/array_reader.hpp"
#include "antaeus/io/files.hpp"

namespace antaeus {

class ChannelRows {
 public:
  virtual ~ChannelRows() = default;
  /// \p count rows from \p first on, row by row. \throws Error for a file that is damaged there
  virtual void read(std::size_t first, std::size_t count, double* out) = 0;
  /// Of the samples as a float64 .npy, or as the source has it. \param all  the numbers, in order; null: they are read
  virtual std::string hash(const std::vector<std::size_t>& shape, const double* all) {
    if (all) return sha256_of_npy(shape, all);
    const std::size_t columns = shape.size() == 2 ? shape[1] : 1;
    constexpr std::size_t kAtATime = 4096;
    std::vector<double> rows(kAtATime * columns);
    return sha256_of_npy(shape, [&, first = std::size_t{0}]() mutable {
      const std::size_t count = std::min(kAtATime, shape[0] - first);
      if (count > 0) read(first, count, rows.data());
      first += count;
      return std::span<const double>(rows.data(), count * columns);
    });
  }
  /// Whether they are read from the file when they are asked for.
  virtual bool streams() const { return false; }
};

class RowsInMemory : public ChannelRows {
 public:
  RowsInMemory(std::vector<double> values, std::size_t columns) : values_(std::move(values)), columns_(columns) {}
  void read(std::size_t first, std::size_t count, double* out) override {
    std::copy_n(values_.data() + first * columns_, count * columns_, out);
  }

 private:
  std::vector<double> values_;
  std::size_t columns_;
};

/// Of an .npz's member.
class RowsOfArray : public ChannelRows {
 public:
  explicit RowsOfArray(ArrayReader array) : array_(std::move(array)) {}
  void read(std::size_t first, std::size_t count, double* out) override { array_.read(first, count, out); }
  bool streams() const override { return true; }

 protected:
  ArrayReader array_;
};

/// Of a .npy file, whose hash is that of its bytes.
class RowsOfFile : public RowsOfArray {
 public:
  RowsOfFile(ArrayReader array, std::filesystem::path file) : RowsOfArray(std::move(array)), file_(std::move(file)) {}
  std::string hash(const std::vector<std::size_t>&, const double*) override { return sha256_of_file(file_); }

 private:
  std::filesystem::path file_;
};

}  // namespace antaeus
