#include "antaeus/io/table_parts.hpp"

#include <gtest/gtest.h>

#include "antaeus/io/files.hpp"
#include "io_support.hpp"

namespace antaeus {

namespace {

/// Rows [first, last) of a table of numbers, integers and texts; a text column knows the levels of its part alone.
Table rows(int first, int last) {
  std::vector<double> numbers;
  std::vector<std::int64_t> steps;
  TextColumn words;
  for (int i = first; i < last; ++i) {
    numbers.push_back(i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.1 * i);
    steps.push_back(i);
    words.push_back(i % 5 < 2 ? "ok" : "word " + std::to_string(i / 4));
  }
  Table table;
  table.add({"step", "1", "index", std::move(steps)});
  table.add({"Fz", "N", "force", std::move(numbers)});
  table.add({"verdict", "", "", std::move(words)});
  return table;
}

/// The parts that end at \p ends.
TableParts parts(std::vector<int> ends) {
  return [ends, at = std::size_t{0}, first = 0]() mutable -> std::optional<Table> {
    if (at == ends.size()) return std::nullopt;
    const int from = std::exchange(first, ends[at]);
    return rows(from, ends[at++]);
  };
}

std::string csv_of(const TableParts& next) {
  std::string text;
  write_csv(next, [&](std::string_view bytes) { text += bytes; });
  return text;
}
std::string parquet_of(const TableParts& next) {
  std::string text;
  write_parquet(next, [&](std::string_view bytes) { text += bytes; });
  return text;
}

}  // namespace

TEST(TableParts, InCsvAreTheWholeTable) {
  const std::string whole = to_csv(rows(0, 40));
  for (const std::vector<int>& ends : {std::vector<int>{40}, {1, 40}, {7, 7, 13, 40}, {0, 20, 40, 40}}) {
    EXPECT_EQ(csv_of(parts(ends)), whole);
  }
}

TEST(TableParts, InParquetReadAsTheWholeTable) {
  const test::TemporaryFolder folder;
  for (const std::vector<int>& ends : {std::vector<int>{40}, {1, 40}, {7, 7, 13, 40}, {0, 20, 40, 40}}) {
    write_file(folder.path() / "parts.parquet", parquet_of(parts(ends)));
    const Table again = read_parquet(folder.path() / "parts.parquet");
    EXPECT_EQ(to_csv(again), to_csv(rows(0, 40)));
    EXPECT_EQ(again.column("Fz").unit, "N");
  }
  EXPECT_EQ(parquet_of(parts({40})), to_parquet(rows(0, 40))) << "one part is the table, to the byte";
}

TEST(TableParts, OfOtherColumnsAndThoseThatThrowAreErrors) {
  const auto other = [turn = 0]() mutable -> std::optional<Table> {
    if (turn++ == 0) return rows(0, 3);
    Table table;
    table.add({"Fx", "N", "", std::vector<double>{1.0}});
    return table;
  };
  EXPECT_ERROR(csv_of(TableParts(other)), "a part has other columns");
  EXPECT_ERROR(parquet_of(TableParts(other)), "a part has other columns");
  const auto broken = [turn = 0]() mutable -> std::optional<Table> {
    if (turn++ == 0) return rows(0, 3);
    throw Error("log", "it ended", "give the rest");
  };
  EXPECT_ERROR(csv_of(TableParts(broken)), "log: it ended");
  EXPECT_ERROR(parquet_of(TableParts(broken)), "log: it ended");
}

TEST(TableParts, AreWrittenAsTheyComeAndASinkThatFailsIsHeard) {
  std::size_t written = 0, at_last_part = 0;
  int made = 0;
  const auto next = [&]() -> std::optional<Table> {
    if (made == 3) return std::nullopt;
    at_last_part = written;
    ++made;
    return rows((made - 1) * 70'000, made * 70'000);
  };
  write_parquet(next, [&](std::string_view bytes) { written += bytes.size(); });
  EXPECT_GT(at_last_part, written / 4)
      << "the first of three parts is out when the last is asked for: the writer looks one ahead";
  const auto full = [](std::string_view) { throw Error("disk", "it is full", "make room"); };
  EXPECT_ERROR(write_parquet(parts({40}), full), "disk: it is full");
  EXPECT_ERROR(write_csv(parts({40}), full), "disk: it is full");
}

}  // namespace antaeus
