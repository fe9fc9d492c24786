#include "antaeus/io/table.hpp"

#include <gtest/gtest.h>

#include "io_support.hpp"
#include "support/cpu_time.hpp"

namespace antaeus {

namespace {

Table two_rows() {
  Table table;
  table.add({"step", "1", "index in the log", std::vector<std::int64_t>{0, 1}});
  table.add({"Fz", "N", "force", std::vector<double>{1.5, -2.0}});
  TextColumn verdict;
  verdict.push_back("ok");
  verdict.push_back("refused");
  table.add({"verdict", "", "", verdict});
  return table;
}

}  // namespace

TEST(TextColumn, StoresEachTextOnce) {
  TextColumn column;
  for (const char* const text : {"b", "a", "b", "b", "", "a"}) column.push_back(text);
  EXPECT_EQ(column.levels, (std::vector<std::string>{"b", "a", ""}));
  EXPECT_EQ(column.codes, (std::vector<std::int32_t>{0, 1, 0, 0, 2, 1}));
  EXPECT_EQ(column[5], "a");
}

TEST(Table, RefusesWhatDoesNotFit) {
  Table table = two_rows();
  EXPECT_ERROR(table.add({"Fz", "", "", std::vector<double>{1, 2}}), "'Fz'");
  EXPECT_ERROR(table.add({"Fx", "", "", std::vector<double>{1}}), "has 1 rows where the table has 2");
  EXPECT_ERROR(table.add({"text", "", "", TextColumn{{"a"}, {0, 1}}}), "code");
  EXPECT_ERROR(table.add({"text", "", "", TextColumn{{"a"}, {0, -1}}}), "code");
  EXPECT_EQ(table.columns().size(), 3U);
}

TEST(Table, AnUnknownColumnNamesTheNearest) {
  EXPECT_EQ(two_rows().column("Fz").unit, "N");
  EXPECT_ERROR(two_rows().column("verdct"), "did you mean 'verdict'?");
}

TEST(Table, NumbersConvertIntegersAndRefuseText) {
  EXPECT_EQ(two_rows().numbers("step"), (std::vector<double>{0, 1}));
  EXPECT_EQ(two_rows().numbers("Fz"), (std::vector<double>{1.5, -2.0}));
  EXPECT_ERROR(two_rows().numbers("verdict"), "'ok' is text where a number is needed");
}

TEST(Table, ManyColumnsTakeTimeInProportion) {
  // Compared with all before, eight times as many cost 64 times as much: 60 000 took about 3 s, and take 20 ms.
  constexpr int kColumns = 60'000, kTimes = 8;
  const auto filled = [](int columns) {
    Table table;
    for (int i = 0; i < columns; ++i) table.add({"column_" + std::to_string(i), "", "", std::vector<double>{1.0}});
    return table;
  };
  const double few = test::cheapest_cpu_seconds(5, [&] { filled(kColumns / kTimes); });
  const double many = test::cheapest_cpu_seconds(2, [&] { filled(kColumns); });
  RecordProperty("ratio", std::to_string(many / few));
  EXPECT_LT(many, 3 * kTimes * few);
  Table table = filled(kColumns);
  EXPECT_EQ(table.column("column_59999").name, "column_59999");
  EXPECT_ERROR(table.add({"column_7", "", "", std::vector<double>{1.0}}), "column of this name");
}

}  // namespace antaeus
