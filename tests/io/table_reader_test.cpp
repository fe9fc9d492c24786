#include "antaeus/io/table_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "io_support.hpp"

namespace antaeus {
namespace {

/// Rows that are longer than what is read at a time, quotes with line ends in them, an empty cell, both line ends.
std::string long_csv(int rows) {
  std::string text = "time,\"a,b\",word,c\r\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(0.001 * i) + (i % 7 == 0 ? "," : "," + std::to_string(i * i)) + ",\"line\n" +
            (i % 1000 == 500 ? std::string(300'000, 'x') : std::string("\"\"q\"\"")) + "\"," + std::to_string(-i) +
            (i % 2 ? "\r\n" : "\n");
  }
  return text;
}

TEST(CsvReader, RowsAreThoseOfTheTable) {
  constexpr int kRows = 3000;
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "long.csv";
  write_file(file, long_csv(kRows));
  const Table table = read_csv(file);
  CsvReader csv(file);
  ASSERT_EQ(csv.rows(), table.rows());
  ASSERT_EQ(csv.rows(), static_cast<std::size_t>(kRows));
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"time", "a,b", "word", "c"}));
  EXPECT_TRUE(csv.is_text(2));
  EXPECT_FALSE(csv.is_text(1));
  const std::vector<double> time = table.numbers("time"), a = table.numbers("a,b"), c = table.numbers("c");
  for (const std::size_t first : {0, 2999, 1023, 1024, 0, 500, 2047, 2048}) {  // forwards and back
    const std::size_t count = std::min<std::size_t>(700, csv.rows() - first);
    std::vector<double> rows(3 * count);
    csv.read(first, count, {3, 0, 1}, rows.data());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(rows[3 * i], c[first + i]);
      ASSERT_EQ(rows[3 * i + 1], time[first + i]);
      ASSERT_TRUE(rows[3 * i + 2] == a[first + i] || (std::isnan(rows[3 * i + 2]) && std::isnan(a[first + i])));
    }
  }
  double none = 0.0;
  EXPECT_ERROR(csv.read(2999, 2, {0}, &none), "no rows there");
}

TEST(CsvReader, RefusesWhatReadCsvRefuses) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "bad.csv";
  for (const char* text : {"", "a,b\n1,2\n3\n", "a,b\n\n1,2\n", "a,a\n1,2\n", "a,b\n1,\"2\n", "1,2\n3,4\n"}) {
    write_file(file, text);
    const auto told = [&](auto read) { return test::message_of([&] { static_cast<void>(read()); }); };
    const std::string of_table = told([&] { return read_csv(file); });
    EXPECT_NE(of_table, "") << text;
    EXPECT_EQ(told([&] { return CsvReader(file).rows(); }), of_table);
  }
}

TEST(ParquetReader, RowsAreThoseOfTheTable) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "long.parquet";
  std::vector<double> x;
  std::vector<std::int64_t> n;
  TextColumn word;
  constexpr std::size_t kRows = 40'000;
  for (std::size_t i = 0; i < kRows; ++i) {
    x.push_back(i % 11 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.5 * static_cast<double>(i));
    n.push_back(static_cast<std::int64_t>(i) - 7);
    word.push_back(i % 2 ? "a" : "b");
  }
  Table table;
  table.add({"x", "N", "", x});
  table.add({"word", "", "", word});
  table.add({"n", "", "", n});
  write_file(file, to_parquet(table));
  ParquetReader parquet(file);
  EXPECT_EQ(parquet.columns(), (std::vector<std::string>{"x", "word", "n"}));
  EXPECT_EQ(parquet.rows(), kRows);
  EXPECT_TRUE(parquet.is_text(1));
  EXPECT_FALSE(parquet.is_text(2));
  for (const std::size_t first :
       {std::size_t{0}, std::size_t{16'383}, kRows - 1, std::size_t{5}, std::size_t{20'000}}) {
    const std::size_t count = std::min<std::size_t>(17'000, kRows - first);
    std::vector<double> rows(2 * count);
    parquet.read(first, count, {2, 0}, rows.data());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(rows[2 * i], static_cast<double>(n[first + i]));
      ASSERT_TRUE(rows[2 * i + 1] == x[first + i] || (std::isnan(rows[2 * i + 1]) && std::isnan(x[first + i])));
    }
  }
  double none = 0.0;
  EXPECT_ERROR(parquet.read(kRows, 1, {0}, &none), "no rows there");
}

TEST(ParquetReader, ASmallFileThatPromisesMuchIsRefused) {
  const test::TemporaryFolder folder;
  Table table;
  table.add({"x", "", "", std::vector<double>(30'000'000, 0.0)});
  write_file(folder.path() / "bomb.parquet", to_parquet(table));
  EXPECT_ERROR(ParquetReader(folder.path() / "bomb.parquet"), "more than 64 bytes to one");
  EXPECT_ERROR(read_parquet(folder.path() / "bomb.parquet"), "more than 64 bytes to one");
}

}  // namespace
}  // namespace antaeus
