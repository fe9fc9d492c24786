#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "antaeus/core/numbers.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "io_support.hpp"

namespace antaeus {

namespace {

Table three_rows() {
  Table table;
  table.add(
      {"step", "1", "index in the log", std::vector<std::int64_t>{0, 1, std::numeric_limits<std::int64_t>::max()}});
  table.add({"Fz", "N", "force along z, on the robot, world frame", std::vector<double>{-0.1, kNaN, 533.25}});
  TextColumn verdict;
  for (const char* const text : {"ok", "", "ok"}) verdict.push_back(text);
  table.add({"verdict", "", "trust", verdict});
  return table;
}

}  // namespace

TEST(Parquet, RoundTripKeepsValuesUnitsAndMeanings) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "t.parquet", to_parquet(three_rows()));
  const Table again = read_parquet(folder.path() / "t.parquet");
  ASSERT_EQ(again.columns().size(), 3U);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(again.columns()[c].name, three_rows().columns()[c].name);
    EXPECT_EQ(again.columns()[c].unit, three_rows().columns()[c].unit);
    EXPECT_EQ(again.columns()[c].meaning, three_rows().columns()[c].meaning);
  }
  EXPECT_EQ(to_csv(again), to_csv(three_rows()));
  EXPECT_TRUE(std::holds_alternative<std::vector<std::int64_t>>(again.column("step").data));
  EXPECT_TRUE(std::isnan(again.numbers("Fz")[1]));
}

TEST(Parquet, TheSameTableGivesTheSameBytes) {
  const std::string bytes = to_parquet(three_rows());
  EXPECT_EQ(bytes, to_parquet(three_rows()));
  EXPECT_EQ(bytes.substr(0, 4), "PAR1");
  EXPECT_EQ(bytes.substr(bytes.size() - 4), "PAR1");
}

TEST(Parquet, EmptyTablesAndHostileTexts) {
  const test::TemporaryFolder folder;
  Table none;
  none.add({"x", "N", "", std::vector<double>{}});
  none.add({"t", "", "", TextColumn{}});
  write_file(folder.path() / "none.parquet", to_parquet(none));
  EXPECT_EQ(read_parquet(folder.path() / "none.parquet").rows(), 0U);
  Table odd;
  TextColumn text;
  text.push_back("\xFF,\"\n");
  odd.add({"naïve\xFF", "N·m", "", text});
  write_file(folder.path() / "odd.parquet", to_parquet(odd));
  const Table again = read_parquet(folder.path() / "odd.parquet");
  EXPECT_EQ(again.columns()[0].name, "naïve\uFFFD");
  EXPECT_EQ(std::get<TextColumn>(again.columns()[0].data)[0], "\uFFFD,\"\n");
}

TEST(Parquet, DamagedFilesAreErrors) {
  const test::TemporaryFolder folder;
  const std::string bytes = to_parquet(three_rows());
  for (const std::string& damaged :
       {std::string(), std::string("PAR1"), bytes.substr(0, bytes.size() / 2), std::string(bytes.size(), 'x')}) {
    write_file(folder.path() / "bad.parquet", damaged);
    EXPECT_ERROR(read_parquet(folder.path() / "bad.parquet"), "bad.parquet: it cannot be read as Parquet");
  }
  EXPECT_ERROR(read_parquet(folder.path() / "absent.parquet"), "absent.parquet");
}

}  // namespace antaeus
