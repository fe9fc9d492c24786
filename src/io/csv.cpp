#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/io/table_reader.hpp"
#include "io/byte_source.hpp"
#include "io/part_columns.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

/// What columns may be separated by: commas, unless the header holds more of another.
constexpr std::string_view kSeparators = ",;\t";
/// Characters that begin a line of comment.
constexpr std::string_view kCommentMarks = "#%";

/// A cell as RFC 4180 wants it.
std::string as_cell(std::string_view cell) {
  // Readers trim spaces, and skip a byte order mark and the marks of comments at the start of the file.
  const bool fragile = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ' ||
                                         kCommentMarks.find(cell.front()) != std::string_view::npos ||
                                         static_cast<unsigned char>(cell.front()) >= 0xEF);
  if (!fragile && cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text += '"';
}

/// One cell of the source.
struct Cell {
  std::string_view text;
  bool is_quoted = false;
  bool is_escaped = false;  ///< doubled quotes in it stand for one
};

std::string unescaped(const Cell& cell) {
  std::string text(cell.text);
  if (!cell.is_escaped) return text;
  std::size_t out = 0;
  for (std::size_t in = 0; in < text.size(); ++in) {
    text[out++] = text[in];
    if (text[in] == '"') ++in;
  }
  text.resize(out);
  return text;
}

char separator_of(std::string_view text) {
  std::array<std::size_t, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    if (const std::size_t at = kSeparators.find(c); at != kSeparators.npos) ++counts[at];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
}

/// A number; with \p decimal_comma "0,5" is one, too.
std::optional<double> cell_number(std::string_view cell, bool decimal_comma) {
  const std::optional<double> value = parse_number(cell);
  if (value || !decimal_comma || cell.find(',') == cell.npos) return value;
  std::string text(cell);
  std::replace(text.begin(), text.end(), ',', '.');
  return parse_number(text);
}

/// Splits a text into rows of cells, and counts lines for messages. Of the text it holds what one row needs.
class Scanner {
 public:
  Scanner(ByteSource& source, const std::string& name) : source_(source), name_(name) {
    hold_line();
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      throw Error(name, "the text is UTF-16", "save it as UTF-8");
    }
    find_separator();
  }
  bool has_decimal_commas() const { return separator_ != ','; }

  /// Sets the separator that the line at hand uses.
  void find_separator() {
    hold_row();
    separator_ = separator_of(text_.substr(at_));
  }
  bool is_comment() const { return !at_end() && kCommentMarks.find(text_[at_]) != std::string_view::npos; }
  /// Moves past the marks and spaces at the beginning of a comment, unless they are the name of a column.
  void skip_comment_marks() {
    const std::size_t names = text_.find_first_not_of("#% ", at_);
    if (names != std::string_view::npos && kSeparators.find(text_[names]) == std::string_view::npos) at_ = names;
  }
  /// Moves past the line at hand, whatever it holds.
  void skip_line() {
    hold_line();
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    ++line_;
    hold_line();
  }

  /// Where a row begins, so that seek() finds it again.
  struct Place {
    std::uint64_t at = 0;
    std::size_t line = 1;
  };
  Place here() const { return {before_ + at_, line_}; }
  void seek(const Place& place) {
    held_.clear();
    text_ = held_;
    before_ = place.at;
    at_ = 0;
    line_ = place.line;
    hold_line();
  }

  bool at_end() const { return at_ >= text_.size(); }
  std::string place() const { return name_ + ":" + std::to_string(row_line_); }
  /// Line on which the last row began.
  std::size_t row_line() const { return row_line_; }

  /// Appends the cells of the next row to \p cells and returns how many there are. They are valid until the next row.
  std::size_t read_row(std::vector<Cell>& cells) {
    hold_row();
    const std::size_t before = cells.size();
    row_line_ = line_;
    do cells.push_back(read_cell());
    while (take(separator_));
    if (!take('\n') && take('\r')) take('\n');
    ++line_;
    return cells.size() - before;
  }

  /// True when nothing but line ends is left.
  bool only_blank_lines_left() {
    while (true) {
      if (text_.find_first_not_of("\r\n", at_) != std::string_view::npos) return false;
      if (!hold_more()) return true;
    }
  }

 private:
  /// Reads on until what is held contains the end of a line, or the text ends.
  void hold_line() {
    while (text_.find('\n', at_) == std::string_view::npos && hold_more()) {
    }
  }
  /// Reads on until a row that begins at at_ ends in what is held, or the text ends.
  void hold_row() {
    bool quoted = false;
    for (std::size_t looked = at_;;) {
      for (; looked < text_.size(); ++looked) {
        if (text_[looked] == '"') quoted = !quoted;
        // What follows a line's end tells "\r\n" from "\r", and a doubled quote from one that closes.
        if (text_[looked] == '\n' && !quoted) return;
      }
      const std::size_t dropped = at_;
      if (!hold_more()) return;
      looked -= dropped;
    }
  }
  /// Drops what was read and appends the next bytes; false at the end of the text.
  bool hold_more() {
    constexpr std::uint64_t kAtATime = std::uint64_t{1} << 18;
    const std::uint64_t held_to = before_ + held_.size();
    const auto count = static_cast<std::size_t>(std::min(kAtATime, source_.size() - held_to));
    if (count == 0) return false;
    held_.erase(0, at_);
    before_ += at_;
    at_ = 0;
    const std::size_t kept = held_.size();
    held_.resize(kept + count);
    source_.read(held_to, held_.data() + kept, count);
    text_ = held_;
    return true;
  }

  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// A line ends with "\n", "\r\n" or the file; any other '\r' belongs to its cell.
  bool at_line_end() const {
    if (at_end() || text_[at_] == '\n') return true;
    return text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n');
  }

  Cell read_cell() {
    if (take('"')) return read_quoted_cell();
    const std::size_t start = at_;
    while (!at_line_end() && text_[at_] != separator_) ++at_;
    return {text_.substr(start, at_ - start)};
  }

  Cell read_quoted_cell() {
    const std::size_t start = at_;
    bool escaped = false;
    while (true) {
      const std::size_t stop = text_.find('"', at_);
      if (stop == std::string_view::npos) throw Error(place(), "a quote is opened and never closed", "close it");
      line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(stop), '\n'));
      at_ = stop + 1;
      if (take('"')) {
        escaped = true;
        continue;
      }
      if (!at_line_end() && text_[at_] != separator_) {
        throw Error(place(), "text follows a closing quote", "double the quotes inside a quoted cell");
      }
      return {text_.substr(start, stop - start), true, escaped};
    }
  }

  ByteSource& source_;
  const std::string& name_;
  std::string held_;
  std::string_view text_;     ///< of held_
  std::uint64_t before_ = 0;  ///< bytes of the source that are no longer held
  char separator_ = ',';
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
};

/// Moves past comments before the header, or to the names in the last of them: a row of as many cells that holds a
/// number follows then, as NumPy's savetxt writes it.
void skip_comments(Scanner& scanner) {
  if (!scanner.is_comment()) return;
  Scanner::Place last, begin;
  while (scanner.is_comment()) {
    last = scanner.here();
    scanner.skip_line();
  }
  begin = scanner.here();
  const auto names_columns = [&] {
    std::vector<Cell> row;
    scanner.seek(last);
    scanner.skip_comment_marks();
    scanner.find_separator();
    const std::size_t named = scanner.read_row(row);
    if (scanner.only_blank_lines_left()) return true;
    row.clear();
    return scanner.read_row(row) == named && std::ranges::any_of(row, [&](const Cell& cell) {
             return cell_number(cell.text, scanner.has_decimal_commas()).has_value();
           });
  };
  bool is_header = false;
  try {
    is_header = names_columns();
  } catch (const Error&) {  // free text, with a quote that is never closed
  }
  scanner.seek(is_header ? last : begin);
  if (is_header) scanner.skip_comment_marks();
  scanner.find_separator();
}

std::vector<std::string> read_header(Scanner& scanner, const std::string& name) {
  constexpr const char* kRemedy = "the first line must name the columns";
  if (scanner.only_blank_lines_left()) throw Error(name + ":1", "the file is empty", kRemedy);
  skip_comments(scanner);
  std::vector<Cell> cells;
  scanner.read_row(cells);
  if (std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.text.empty(); })) {
    throw Error(scanner.place(), "there is no header", kRemedy);
  }
  if (std::all_of(cells.begin(), cells.end(),
                  [&](const Cell& cell) { return cell_number(cell.text, scanner.has_decimal_commas()).has_value(); })) {
    throw Error(scanner.place(), "there are numbers where the header should be", kRemedy);
  }
  std::vector<std::string> header;
  std::unordered_map<std::string, std::size_t> seen;
  for (const Cell& cell : cells) {
    header.push_back(unescaped(cell));
    if (!seen.emplace(header.back(), header.size()).second) {
      throw Error(scanner.place(), "the name '" + excerpt(header.back()) + "' appears twice", "rename one of them");
    }
  }
  return header;
}

void append_header(std::string& text, const Table& table) {
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    text += c ? "," : "";
    const std::string& name = table.columns()[c].name;
    const std::string cell = as_cell(name);
    // Another separator in a name would be taken for the file's.
    text += cell == name && name.find_first_of(kSeparators) != name.npos ? '"' + name + '"' : cell;
  }
  text += '\n';
}

void append_rows(std::string& text, const Table& table) {
  const std::vector<Column>& columns = table.columns();
  std::vector<std::vector<std::string>> levels(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (const auto* const column = std::get_if<TextColumn>(&columns[c].data)) {
      for (const std::string& level : column->levels) levels[c].push_back(as_cell(level));
    }
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t line = text.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c) text += ',';
      const ColumnData& data = columns[c].data;
      if (const auto* const numbers = std::get_if<std::vector<double>>(&data)) {
        if (!std::isnan((*numbers)[row])) append_shortest(text, (*numbers)[row]);
      } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&data)) {
        text += std::to_string((*integers)[row]);
      } else {
        text += levels[c][static_cast<std::size_t>(std::get<TextColumn>(data).codes[row])];
      }
    }
    if (text.size() == line) text += "\"\"";  // the empty cell of a single column is not an empty line
    text += '\n';
  }
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string text;
  if (table.columns().empty()) return text;
  constexpr std::size_t kUsualCell = 20;
  text.reserve((table.rows() + 1) * table.columns().size() * kUsualCell);
  append_header(text, table);
  append_rows(text, table);
  return text;
}

std::string csv_rows(const Table& part, bool with_header) {
  std::string text;
  if (with_header) append_header(text, part);
  append_rows(text, part);
  return text;
}

void write_csv(const TableParts& next, const ByteSink& take) {
  std::vector<std::string> names;
  while (const std::optional<Table> part = next()) {
    const bool first = names.empty();
    if (first) names = column_names(*part);
    check_same_columns(names, *part);
    take(csv_rows(*part, first));
  }
}

struct CsvReader::Impl {
  /// So many rows apart rows can be found again.
  static constexpr std::size_t kMarked = 1024;

  Impl(std::shared_ptr<ByteSource> bytes, std::string file)
      : source(std::move(bytes)), name(std::move(file)), scanner(*source, name), header(read_header(scanner, name)) {
    is_text.resize(header.size());
    holds.resize(header.size());
    first_text.resize(header.size());
    values.resize(header.size());
    marks.push_back(scanner.here());
  }

  /// Reads on to the end, and hands each row to \p take.
  template <class Take>
  void read_all(Take take) {
    while (next_row()) {
      for (std::size_t c = 0; c < header.size(); ++c) {
        if (is_text[c]) continue;
        const std::optional<double> value = number(cells[c]);
        const Holds kind = cells[c].text.empty() ? holds[c] : is_stamp ? Holds::stamps : Holds::numbers;
        is_text[c] = !value || (holds[c] != Holds::nothing && kind != holds[c]);
        if (is_text[c]) {
          first_text[c] = {rows, scanner.row_line(), excerpt(cells[c].text), holds[c] != Holds::nothing};
        } else {
          values[c] = *value;
          holds[c] = kind;
        }
      }
      take();
      if (++rows % kMarked == 0) marks.push_back(scanner.here());
    }
  }

  /// The next row into `cells`; false after the last.
  bool next_row() {
    if (scanner.only_blank_lines_left()) return false;
    cells.clear();
    const std::size_t count = scanner.read_row(cells);
    if (count == 1 && cells.back().text.empty() && !cells.back().is_quoted) {
      throw Error(scanner.place(), "an empty line in the middle of the file", "remove it");
    }
    if (count == header.size()) return true;
    throw Error(scanner.place(), std::to_string(count) + " cells where the header has " + std::to_string(header.size()),
                "give every row one cell a column");
  }
  /// The number that a cell holds, or the seconds since 1970 of a time stamp, which sets is_stamp.
  std::optional<double> number(const Cell& cell) {
    is_stamp = false;
    if (cell.text.empty()) return kNaN;
    if (const auto value = cell_number(cell.text, scanner.has_decimal_commas())) return value;
    const std::optional<double> stamp = parse_time_stamp(cell.text);
    is_stamp = stamp.has_value();
    return stamp;
  }

  /// Goes to a row: back by the marks, forward by reading.
  void go_to(std::size_t row) {
    if (row < at || row / kMarked > at / kMarked) {
      scanner.seek(marks[row / kMarked]);
      at = row / kMarked * kMarked;
    }
    for (; at < row; ++at) next_row();
  }

  std::shared_ptr<ByteSource> source;
  std::string name;
  Scanner scanner;
  std::vector<std::string> header;
  enum class Holds : std::uint8_t { nothing, numbers, stamps };
  std::vector<bool> is_text;
  std::vector<Holds> holds;          ///< kind of a column's cells so far; empty ones are of none
  std::vector<TextCell> first_text;  ///< of the columns that are text
  bool is_stamp = false;
  std::vector<Cell> cells;     ///< of the row at hand
  std::vector<double> values;  ///< of read_all: its numbers
  std::size_t rows = 0, at = 0;
  std::vector<Scanner::Place> marks;
};

CsvReader::CsvReader(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>(open_bytes(file), file.string())) {
  impl_->read_all([] {});
  impl_->at = impl_->rows;
}
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;
CsvReader::~CsvReader() = default;

const std::vector<std::string>& CsvReader::columns() const noexcept { return impl_->header; }
std::size_t CsvReader::rows() const noexcept { return impl_->rows; }
bool CsvReader::is_text(std::size_t column) const { return impl_->is_text.at(column); }
TextCell CsvReader::first_text(std::size_t column) const { return impl_->first_text.at(column); }

void CsvReader::read(std::size_t first, std::size_t count, const std::vector<std::size_t>& columns, double* out) {
  Impl& my = *impl_;
  if (first > my.rows || count > my.rows - first) {
    throw Error(my.name, "no rows there", "it has " + std::to_string(my.rows));
  }
  my.go_to(first);
  for (std::size_t row = 0; row < count; ++row, ++my.at) {
    if (!my.next_row()) throw Error(my.name, "it became shorter while it was read", "read it once it is written");
    for (const std::size_t column : columns) *out++ = my.number(my.cells.at(column)).value_or(kNaN);
  }
}

namespace {

Table table_of(CsvReader::Impl& csv) {
  std::vector<std::vector<double>> numbers(csv.header.size());
  csv.read_all([&] {
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      if (!csv.is_text[c]) numbers[c].push_back(csv.values[c]);
    }
  });
  // Texts are read in a second pass: whether a column is one is known after the last row.
  std::vector<TextColumn> texts(csv.header.size());
  // A file of distinct texts would make TextColumn::push_back quadratic.
  std::vector<std::unordered_map<std::string, std::int32_t>> codes(csv.header.size());
  if (std::ranges::find(csv.is_text, true) != csv.is_text.end()) {
    csv.scanner.seek(csv.marks.front());
    while (csv.next_row()) {
      for (std::size_t c = 0; c < texts.size(); ++c) {
        if (!csv.is_text[c]) continue;
        TextColumn& text = texts[c];
        const auto [found, is_new] =
            codes[c].try_emplace(unescaped(csv.cells[c]), static_cast<std::int32_t>(text.levels.size()));
        if (is_new) text.levels.push_back(found->first);
        text.codes.push_back(found->second);
      }
    }
  }
  Table table;
  for (std::size_t c = 0; c < csv.header.size(); ++c) {
    texts[c].first_line = csv.first_text[c].line;
    ColumnData data = csv.is_text[c] ? ColumnData(std::move(texts[c])) : ColumnData(std::move(numbers[c]));
    table.add({csv.header[c], "", "", std::move(data)});
  }
  return table;
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& name) {
  CsvReader::Impl csv(std::make_shared<BytesInMemory>(text), name);
  return table_of(csv);
}

Table read_csv(const std::filesystem::path& file) {
  CsvReader::Impl csv(open_bytes(file), file.string());
  return table_of(csv);
}

}  // namespace antaeus
