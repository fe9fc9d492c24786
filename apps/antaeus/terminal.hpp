#pragma once
// What people see: tables and wrapped text on stdout, progress and talk on stderr.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus::cli {

/// A table for a terminal: text to the left, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads);
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Columns that would pass the terminal's edge are wrapped in the last column.
  std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

/// Paragraph wrapped at the terminal's width, continuation lines indented. \p command: the part of it that users copy,
/// which is never broken.
std::string wrapped(std::string_view text, std::size_t indent = 0, std::string_view command = {});
/// Heading in bold where stdout is a terminal.
std::string heading(std::string_view text);
/// A number as people write it: fixed decimals, from ten million on a power of ten (4.6·10⁸), "∞"; "–" for NaN.
std::string fixed(double value, int digits);
/// The same of a condition number, which double precision knows up to 10¹²: beyond, the matrix is singular and κ is ∞.
std::string condition(double kappa, int digits);

/// Progress bar on stderr, shown only on a terminal and only when the work takes more than half a second.
std::function<void(double)> progress_bar(std::string what);
/// A line of talk on stderr.
void say(std::string_view line);
void print(std::string_view text);

}  // namespace antaeus::cli
