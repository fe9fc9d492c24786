#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"

namespace antaeus::cli {

namespace {

constexpr std::size_t kDefaultWidth = 100;

/// Returns the text of a library as a terminal shows it: flags for inputs, control characters made visible.
std::string shown(std::string_view text) { return printable(spelled(text, FrontEnd::command_line)); }

std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return kDefaultWidth;
}

/// Columns that a UTF-8 text takes: code points, all of width one here.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_number(std::string_view cell) {
  if (cell.empty()) return false;
  return cell == "–" || cell == "never" ||
         (cell.find_first_not_of("0123456789.+-−e %∞·⁻⁰¹²³⁴⁵⁶⁷⁸⁹") == std::string_view::npos);
}

/// Returns where the word at \p at ends. A command stays whole, an option has its value, and `antaeus` its verb: they
/// are copied.
std::size_t end_of_word(std::string_view text, std::size_t at, std::string_view command) {
  const auto space = [&](std::size_t from) { return std::min(text.find(' ', from), text.size()); };
  if (!command.empty() && text.substr(at).starts_with(command)) return space(at + command.size());
  const std::size_t end = space(at);
  std::string_view word = text.substr(at, end - at);
  word.remove_prefix(std::min(word.find_first_not_of("(["), word.size()));
  const bool is_followed = word == "antaeus" || (word.starts_with("--") && word.find_first_of(".,;:)]=") == word.npos);
  return is_followed && end < text.size() ? space(end + 1) : end;
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width, std::string_view command = {}) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = end_of_word(text, at, command);
    const std::string_view word = text.substr(at, end - at);
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(cell)), ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {
  for (std::string& head : heads_) head = shown(head);
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  const std::size_t columns = heads_.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> right(columns, true);
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = width_of(heads_[c]);
    for (const auto& row : rows_) {
      widths[c] = std::max(widths[c], width_of(row[c]));
      right[c] = right[c] && (row[c].empty() || is_number(row[c]));
    }
  }
  std::size_t before = 2;
  for (std::size_t c = 0; c + 1 < columns; ++c) before += widths[c] + 2;
  const std::size_t width = terminal_width();
  widths.back() = std::min(widths.back(), width > before + 24 ? width - before : 24);

  std::string out;
  const auto put = [&](const std::vector<std::string>& cells) {
    const std::vector<std::string> last = lines_of(cells.back(), widths.back());
    std::string line = "  ";
    for (std::size_t c = 0; c + 1 < columns; ++c) line += padded(cells[c], widths[c], right[c]) + "  ";
    line += right.back() ? padded(last[0], widths.back(), true) : last[0];
    out += line + "\n";
    for (std::size_t n = 1; n < last.size(); ++n) out += std::string(before, ' ') + last[n] + "\n";
  };
  put(heads_);
  std::string rule = "  ";
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t n = 0; n < widths[c]; ++n) rule += "─";
    if (c + 1 < columns) rule += "  ";
  }
  out += rule + "\n";
  for (const auto& row : rows_) put(row);
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::string_view command) {
  std::string out;
  const std::string space(indent, ' ');
  for (const std::string& line : lines_of(shown(text), terminal_width() - indent, shown(command)))
    out += space + line + "\n";
  return out;
}

std::string heading(std::string_view text) {
  const std::string plain = shown(text);
  return isatty(STDOUT_FILENO) ? "\n\033[1m" + plain + "\033[0m\n" : "\n" + plain + "\n";
}

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  constexpr double kLargest = 1e7;
  if (std::abs(value) >= kLargest) {
    const std::string text = scientific_text(value, 1);
    const std::size_t e = text.find('e');
    return text.substr(0, e) + "·10" + raised_text(std::stoi(text.substr(e + 1)));
  }
  const std::string text = fixed_text(value, digits);
  // "-0.00" would be read as a sign.
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string condition(double kappa, int digits) {
  constexpr double kSingular = 1e12;
  return fixed(kappa >= kSingular ? std::numeric_limits<double>::infinity() : kappa, digits);
}

std::function<void(double)> progress_bar(std::string what) {
  if (!isatty(STDERR_FILENO)) return {};
  struct State {
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    bool shown = false;
  };
  const auto state = std::make_shared<State>();
  return [state, what = std::move(what)](double share) {
    const auto elapsed = std::chrono::steady_clock::now() - state->begin;
    if (!state->shown && elapsed < std::chrono::milliseconds(500)) return;
    state->shown = true;
    if (share >= 1.0) {
      std::fputs("\r\033[K", stderr);
      return;
    }
    constexpr int kWidth = 40;
    std::string bar;
    for (int i = 0; i < kWidth; ++i) bar += i < static_cast<int>(share * kWidth) ? "█" : "░";
    std::fprintf(stderr, "\r%s %s %3d %%", what.c_str(), bar.c_str(), static_cast<int>(100 * share));
    std::fflush(stderr);
  };
}

void say(std::string_view line) { std::fprintf(stderr, "%s\n", shown(line).c_str()); }
void print(std::string_view text) {
  const std::string spelled_text = spelled(text, FrontEnd::command_line);
  std::fwrite(spelled_text.data(), 1, spelled_text.size(), stdout);
}

}  // namespace antaeus::cli
