#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "antaeus/core/numbers.hpp"
#include "antaeus/io/table.hpp"
#include "io_support.hpp"

namespace antaeus {

namespace {

const std::vector<double>& numbers(const Table& table, std::size_t column) {
  return std::get<std::vector<double>>(table.columns().at(column).data);
}

const TextColumn& texts(const Table& table, std::size_t column) {
  return std::get<TextColumn>(table.columns().at(column).data);
}

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return names;
}

}  // namespace

TEST(Csv, WritesTheTextThatRfc4180Asks) {
  Table table;
  TextColumn text;
  for (const char* const cell : {"a,b", "say \"x\"", "two\nlines", " spaced", ""}) text.push_back(cell);
  table.add({"te,xt", "", "", text});
  table.add({"x", "N", "", std::vector<double>{0.1, kNaN, -kInfinity, 1e21, -0.0}});
  table.add({"n", "1", "", std::vector<std::int64_t>{0, -1, std::numeric_limits<std::int64_t>::min(), 3, 4}});
  EXPECT_EQ(to_csv(table),
            "\"te,xt\",x,n\n\"a,b\",0.1,0\n\"say \"\"x\"\"\",,-1\n\"two\nlines\",-inf,-9223372036854775808\n"
            "\" spaced\",1e+21,3\n,-0,4\n");
  EXPECT_EQ(to_csv(Table{}), "");
}

TEST(Csv, SemicolonsAndTabsSeparateWhereTheHeaderHoldsMoreOfThem) {
  const Table table = parse_csv("t [s];a,b;\"c;d\";text\n0,5;1;-2,25e1;x,y\n1;;3;1,2,3\n", "t");
  ASSERT_EQ(table.columns().size(), 4u);
  EXPECT_EQ(table.columns()[1].name, "a,b");
  EXPECT_EQ(table.columns()[2].name, "c;d");
  EXPECT_EQ(numbers(table, 0), (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(numbers(table, 1)[0], 1.0);
  EXPECT_TRUE(std::isnan(numbers(table, 1)[1]));
  EXPECT_EQ(numbers(table, 2), (std::vector<double>{-22.5, 3.0}));
  EXPECT_EQ(texts(table, 3)[1], "1,2,3");
  EXPECT_EQ(to_csv(parse_csv(to_csv(table), "t")), to_csv(table)) << "names that hold separators are quoted";
  EXPECT_EQ(numbers(parse_csv("a\tb\n1\t2,5\n", "t"), 1)[0], 2.5);
  // A comma is no decimal point where it separates, and a semicolon is part of its cell there.
  const Table commas = parse_csv("a,b;c\n1,2\n", "t");
  EXPECT_EQ(commas.columns()[1].name, "b;c");
  EXPECT_EQ(numbers(commas, 1)[0], 2.0);
}

TEST(Csv, NoNumberIsNeverWrittenAsANumber) {
  Table table;
  table.add({"x", "", "", std::vector<double>{kNaN, 1.0, kNaN}});
  EXPECT_EQ(to_csv(table), "x\n\"\"\n1\n\"\"\n");
  EXPECT_TRUE(std::isnan(numbers(parse_csv(to_csv(table), "t"), 0)[2]));
}

TEST(Csv, EveryDoubleReadsBackTheSame) {
  constexpr unsigned kSeed = 20240607;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::vector<double> values = {0.0, -0.0, 5e-324, -std::numeric_limits<double>::max(), kInfinity, -kInfinity};
  while (values.size() < 20000) values.push_back(std::bit_cast<double>(random()));
  Table table;
  table.add({"x", "", "", values});
  const std::vector<double> again = numbers(parse_csv(to_csv(table), "t"), 0);
  ASSERT_EQ(again.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(again[i]));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(again[i]), std::bit_cast<std::uint64_t>(values[i])) << values[i];
    }
  }
}

TEST(Csv, ReadsWhatOtherToolsWrite) {
  const Table table =
      parse_csv("\xEF\xBB\xBFt,x y,\"na\"\"me\"\r\n0, +1.5 ,a\r\n.5,nan,\"b\r\n,c\"\r\n1e3,,\"\"\r\n\r\n", "t");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.columns()[0].name, "t");
  EXPECT_EQ(table.columns()[2].name, "na\"me");
  EXPECT_EQ(numbers(table, 0), (std::vector<double>{0, 0.5, 1000}));
  EXPECT_EQ(numbers(table, 1)[0], 1.5);
  EXPECT_TRUE(std::isnan(numbers(table, 1)[1]) && std::isnan(numbers(table, 1)[2]));
  EXPECT_EQ(texts(table, 2)[1], "b\r\n,c");
  EXPECT_EQ(texts(table, 2)[2], "");
}

TEST(Csv, OneTextMakesATextColumn) {
  const Table table = parse_csv("x\n1\n0x10\n1e999\n", "t");
  EXPECT_EQ(texts(table, 0).levels, (std::vector<std::string>{"1", "0x10", "1e999"}));
  EXPECT_ERROR(table.numbers("x"), "row 1: '0x10' is text");
}

TEST(Csv, ErrorsNameFileAndLine) {
  EXPECT_ERROR(parse_csv("", "log.csv"), "log.csv:1: the file is empty");
  EXPECT_ERROR(parse_csv("\n\n", "log.csv"), "log.csv:1");
  EXPECT_ERROR(parse_csv(",,\n1,2,3\n", "log.csv"), "no header");
  EXPECT_ERROR(parse_csv("1,2\n3,4\n", "log.csv"), "log.csv:1: there are numbers where the header should be");
  EXPECT_ERROR(parse_csv("a,b\n1,2\n3\n", "log.csv"), "log.csv:3: 1 cells where the header has 2");
  EXPECT_ERROR(parse_csv("a,b\n\"x\ny\",2\n3,4,5\n", "log.csv"), "log.csv:4: 3 cells");
  EXPECT_ERROR(parse_csv("a,b,a\n", "log.csv"), "the name 'a' appears twice");
  EXPECT_ERROR(parse_csv("a,b\n1,\"2\n", "log.csv"), "log.csv:2: a quote is opened and never closed");
  EXPECT_ERROR(parse_csv("a\n\"1\"2\n", "log.csv"), "log.csv:2: text follows a closing quote");
  EXPECT_ERROR(parse_csv("a\n1\n\n2\n", "log.csv"), "log.csv:3: an empty line");
  EXPECT_ERROR(parse_csv("\xFF\xFE"
                         "a\0",
                         "log.csv"),
               "UTF-16");
  EXPECT_ERROR(read_csv("no/such.csv"), "no/such.csv");
}

TEST(Csv, CommentsPrecedeTheHeaderOrHoldIt) {
  for (const char* const text : {"# a,b\n1,2\n", "#a,b\n1,2\n", "% a,b\n1,2\n", "# free \" text\n# a,b\n1,2\n",
                                 "# free, text\na,b\n1,2\n", "# free text\na;b\n1,5;2\n", "# a\tb\n1\t2\n"}) {
    const Table table = parse_csv(text, "t");
    EXPECT_EQ(column_names(table), (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(numbers(table, 1), std::vector<double>{2}) << text;
  }
  EXPECT_EQ(column_names(parse_csv("#,a\n0,2\n", "t")).back(), "a");  // a column of numbers called #
  EXPECT_EQ(parse_csv("# only,names\n", "t").rows(), 0u);
}

TEST(Csv, TimeStampsAreSecondsSince1970) {
  const auto seconds = [](const std::string& stamp) {
    return numbers(parse_csv("time\n\"" + stamp + "\"\n", "t"), 0).at(0);
  };
  EXPECT_EQ(seconds("1970-01-02T00:00:00Z"), 86400.0);
  EXPECT_EQ(seconds("2026-03-04T10:00:00.5Z"), 1772618400.5);
  EXPECT_EQ(seconds("2026-03-04 10:00:00.500"), 1772618400.5);
  EXPECT_EQ(seconds("2026-03-04T11:30:00,5+01:30"), 1772618400.5);
  EXPECT_EQ(seconds("2024-02-29T00:00:00-0100"), 1709168400.0);
  for (const char* const none :
       {"2026-02-29T00:00:00Z", "2026-03-04", "10:00:00", "2026-03-04T24:00:00Z", "2026-03-04T10:00:00 later"}) {
    EXPECT_TRUE(
        std::holds_alternative<TextColumn>(parse_csv(std::string("time\n") + none + "\n", "t").columns()[0].data))
        << none;
  }
  // Numbers and stamps in one column are a mistake.
  EXPECT_TRUE(std::holds_alternative<TextColumn>(parse_csv("time\n1970-01-02T00:00:00Z\n5\n", "t").columns()[0].data));
}

TEST(Csv, TheFirstCellOfTextIsFoundByRowAndLine) {
  const Table table = parse_csv("# comment\na,b\n1,2\n3,n/a\n5,off\n", "t");
  const TextCell cell = table.first_text("b");
  EXPECT_EQ(cell.row, 1u);
  EXPECT_EQ(cell.line, 4u);
  EXPECT_EQ(cell.text, "n/a");
  EXPECT_TRUE(cell.after_numbers);
  EXPECT_ERROR(table.numbers("b"), "column 'b' (line 4), row 1: 'n/a' is text where a number is needed");
  EXPECT_FALSE(parse_csv("a\nx\n1\n", "t").first_text("a").after_numbers);
}

TEST(Csv, IsIndependentOfTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  // Those with a decimal comma count where they are installed.
  for (const char* const locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"}) {
    if (!std::setlocale(LC_NUMERIC, locale)) continue;
    Table table;
    table.add({"x", "", "", std::vector<double>{1.5}});
    EXPECT_EQ(to_csv(table), "x\n1.5\n") << locale;
    EXPECT_EQ(numbers(parse_csv("x\n1.5\n", "t"), 0)[0], 1.5) << locale;
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

// Printed for information: the bound against a baseline lives in the benchmarks.
TEST(Csv, TimeOfAnEpisodeSizedTable) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.0, 100.0);
  Table table;
  for (int c = 0; c < 25; ++c) {
    std::vector<double> values(20960);
    for (double& value : values) value = normal(random);
    table.add({std::to_string(c) + "c", "N", "", std::move(values)});
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string text = to_csv(table);
  const std::chrono::duration<double, std::milli> written = std::chrono::steady_clock::now() - start;
  const Table again = parse_csv(text, "t");
  const std::chrono::duration<double, std::milli> both = std::chrono::steady_clock::now() - start;
  RecordProperty("to_csv_ms", std::to_string(written.count()));
  RecordProperty("parse_csv_ms", std::to_string((both - written).count()));
  EXPECT_EQ(to_csv(again), text);
}

}  // namespace antaeus
