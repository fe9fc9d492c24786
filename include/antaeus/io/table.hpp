#pragma once
/// \file
/// A table of named columns, each with unit, sign and meaning. It is read from and written to CSV and Parquet.
/// NaN is an empty cell in CSV and null in Parquet: "no number" is never written as a number.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Text column that stores each distinct string once.
struct ANTAEUS_API TextColumn {
  std::vector<std::string> levels;  ///< distinct strings, in order of first appearance
  std::vector<std::int32_t> codes;  ///< one index into `levels` a row
  std::size_t first_line = 0;       ///< of a file, where the first cell that is not a number is; 0: not of a file

  void push_back(std::string_view text);
  std::string_view operator[](std::size_t row) const { return levels[static_cast<std::size_t>(codes[row])]; }
  std::size_t size() const noexcept { return codes.size(); }
};

using ColumnData = std::variant<std::vector<double>, std::vector<std::int64_t>, TextColumn>;

/// A column, with what a reader needs to use it.
struct ANTAEUS_API Column {
  std::string name;     ///< header text
  std::string unit;     ///< "N", "N·m", "rad", "1"; empty for text
  std::string meaning;  ///< one sentence, with frame and sign where they apply
  ColumnData data;

  std::size_t size() const noexcept;
};

/// The first cell of a text column that is not a number.
struct ANTAEUS_API TextCell {
  std::size_t row = 0;         ///< counted from 0, without the header
  std::size_t line = 0;        ///< of the file, counted from 1; 0: unknown
  std::string text = {};       ///< short enough to be shown
  bool after_numbers = false;  ///< whether a cell above it holds a number

  /// "column 'tau_0' (line 102), row 100"
  std::string place(const std::string& column) const;
};

/// Columns of equal length.
class ANTAEUS_API Table {
 public:
  /// Appends a column. \throws Error when the name repeats or the length differs.
  void add(Column column);

  const std::vector<Column>& columns() const noexcept { return columns_; }
  std::size_t rows() const noexcept { return columns_.empty() ? 0 : columns_.front().size(); }
  /// \throws Error with the nearest name when there is no such column
  const Column& column(std::string_view name) const;
  /// The column as numbers (integers are converted). \throws Error when it holds text, with row and text of the cell
  std::vector<double> numbers(std::string_view name) const;
  /// The first cell of a text column that is not a number, with empty text where all are. \throws Error when there is
  /// no such column
  TextCell first_text(std::string_view name) const;

 private:
  std::vector<Column> columns_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< of the columns, by name
};

/// CSV text: header line, '\n' ends, RFC 4180 quotes, numbers in the shortest form that reads back equal.
ANTAEUS_API std::string to_csv(const Table& table);

/// Reads a CSV file with a header line; a column whose every cell is a number or empty is numeric (empty = NaN), and so
/// is one of ISO 8601 time stamps (seconds since 1970). Cells are separated by commas, or by semicolons or tabs where
/// the header holds more of them: 0,5 is then a number, too. Lines of comment (# or %) before the header are skipped;
/// the last of them is the header where a row of numbers follows.
/// \throws Error that names file and line: no header, ragged row, repeated name, unclosed quote
ANTAEUS_API Table read_csv(const std::filesystem::path& file);
/// The same from text; \p name stands in for the file in messages.
ANTAEUS_API Table parse_csv(std::string_view text, const std::string& name);

/// Parquet bytes with unit and meaning as field metadata. Loads libantaeus_parquet.so on first use.
/// \throws Error when that library is not installed
ANTAEUS_API std::string to_parquet(const Table& table);
/// Why Parquet can be neither written nor read here, with the remedy, in one line; empty where it can.
ANTAEUS_API std::string missing_parquet();
ANTAEUS_API Table read_parquet(const std::filesystem::path& file);

}  // namespace antaeus
