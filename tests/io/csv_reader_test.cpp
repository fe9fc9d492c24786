#include "antaeus/io/csv_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

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

}  // namespace
}  // namespace antaeus
