#include "antaeus/core/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/trust/feasibility.hpp"

namespace antaeus::core_test {

enum class Mode { slow, medium, fast };
constexpr auto enum_names(Mode) noexcept { return name_list<Mode>("slow", "medium", "fast"); }

/// Part of another struct.
struct Inner {
  double width = 2.0;
  bool round = false;
};
const OptionTable& options_of(const Inner&) {
  static const OptionTable table("", {
                                         option("width", "m", "its width", "measured", &Inner::width, kPositive),
                                         option("round", "", "whether it is round", "measured", &Inner::round),
                                     });
  return table;
}

struct Sample {
  double not_negative = 1.0;
  double positive = 1.0;
  double signed_number = 0.0;
  double probability = 0.5;
  double below_one = 0.0;
  double share = 1.0;
  double least = 2.5;
  int count = 3;
  int steps = 1;
  bool flag = true;
  Mode mode = Mode::medium;
  std::string name = "none";
  Inner inner{};
};
const OptionTable& options_of(const Sample&) {
  using O = Sample;
  static const OptionTable table("sample",
                                 {
                                     option("not_negative", "N", "zero or more", "test", &O::not_negative),
                                     option("positive", "N", "more than zero", "test", &O::positive, kPositive),
                                     option("signed_number", "m", "either side", "test", &O::signed_number, kAnyNumber),
                                     option("probability", "1", "a probability", "test", &O::probability, kProbability),
                                     option("below_one", "1", "a share, not 1", "test", &O::below_one, kBelowOne),
                                     option("share", "1", "a share", "test", &O::share, kShare),
                                     option("least", "s", "at least 2.5", "test", &O::least, at_least(2.5)),
                                     option("count", "1", "how many", "test", &O::count),
                                     option("steps", "1", "how many, at least one", "test", &O::steps, at_least(1)),
                                     option("flag", "", "whether", "test", &O::flag),
                                     option("mode", "", "slow, medium or fast", "test", &O::mode),
                                     option("name", "", "any text", "test", &O::name),
                                     part(&O::inner),
                                 });
  return table;
}

/// What is said to a value that does not fit, or "accepted".
std::string said_to_option(const char* name, std::string_view text) {
  Sample options;
  try {
    set_option(options, "sample", name, text);
  } catch (const OptionsError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, NumbersHaveRanges) {
  struct Row {
    const char* name;
    std::vector<const char*> good, bad;
    const char* says;
  };
  for (const Row& row : {
           Row{"not_negative", {"0", "1e-300", "7", "-0"}, {"-1", "-1e-300"}, "write a number, zero or more"},
           Row{"positive", {"1e-300", "3"}, {"0", "-0", "-2"}, "write a number, more than zero"},
           Row{"signed_number", {"-0.03", "-1e300", "0", "5"}, {}, "write a number, any finite one"},
           Row{"probability",
               {"0.5", "1e-9", "0.999"},
               {"0", "1", "-0.1", "1.5"},
               "write a number, more than zero and less than 1"},
           Row{"below_one", {"0", "0.999"}, {"1", "-0.1", "2"}, "write a number, zero or more and less than 1"},
           Row{"share", {"0", "1", "0.3"}, {"-0.1", "1.0001"}, "write a number, zero or more and at most 1"},
           Row{"least", {"2.5", "100"}, {"2.4999", "0", "-3"}, "write a number, at least 2.5"},
           Row{"width", {"0.1"}, {"0", "-1"}, "write a number, more than zero"},
       }) {
    for (const char* text : row.good) EXPECT_EQ(said_to_option(row.name, text), "accepted") << row.name << "=" << text;
    std::vector<const char*> bad = row.bad;
    // What is not a finite number fits nowhere.
    bad.insert(bad.end(), {"nan", "-nan", "inf", "-inf", "infinity", "1e999", "", " ", "1 ", " 1", "1,5", "0x10", "ten",
                           "1.5.2", "--1", "+1"});
    for (const char* text : bad) {
      EXPECT_EQ(said_to_option(row.name, text),
                "sample." + std::string(row.name) + ": '" + text + "' is not a number that fits; " + row.says);
    }
  }
}

TEST(Options, IntegersAreWhole) {
  EXPECT_EQ(said_to_option("count", "0"), "accepted");
  EXPECT_EQ(said_to_option("count", "2147483647"), "accepted");
  EXPECT_EQ(said_to_option("steps", "1"), "accepted");
  EXPECT_EQ(said_to_option("steps", "0"),
            "sample.steps: '0' is not a number that fits; write a whole number, at least 1");
  for (const char* text : {"1.5", "2.0", "1e3", "-1", "2147483648", "", "three", "1 ", "nan", "inf"}) {
    EXPECT_EQ(said_to_option("count", text), "sample.count: '" + std::string(text) +
                                                 "' is not a number that fits; write a whole number, zero or more");
  }
}

TEST(Options, SwitchesAreTrueOrFalse) {
  Sample options;
  set_option(options, "sample", "flag", "false");
  EXPECT_FALSE(options.flag);
  set_option(options, "sample", "flag", "true");
  EXPECT_TRUE(options.flag);
  for (const char* text : {"1", "0", "yes", "True", "", "maybe"}) {
    EXPECT_EQ(said_to_option("flag", text),
              "sample.flag: '" + std::string(text) + "' is not a switch; write true or false");
  }
}

TEST(Options, ChoicesComeWithTheNearestName) {
  Sample options;
  set_option(options, "sample", "mode", "fast");
  EXPECT_EQ(options.mode, Mode::fast);
  EXPECT_EQ(said_to_option("mode", "fasst"), "sample.mode: unknown value 'fasst'; did you mean 'fast'?");
  EXPECT_EQ(said_to_option("mode", "instantly"), "sample.mode: unknown value 'instantly'; valid: slow, medium, fast");
  EXPECT_EQ(said_to_option("mode", "2"), "sample.mode: unknown value '2'; valid: slow, medium, fast");
}

TEST(Options, TextIsTakenAsItIs) {
  Sample options;
  set_option(options, "sample", "name", " a=b\n");
  EXPECT_EQ(options.name, " a=b\n");
  set_option(options, "sample", "name", "");
  EXPECT_EQ(options.name, "");
}

TEST(Options, UnknownNamesComeWithPlaceAndNearest) {
  EXPECT_EQ(said_to_option("positiv", "1"), "sample: unknown option 'positiv'; did you mean 'positive'?");
  EXPECT_EQ(said_to_option("widht", "1"), "sample: unknown option 'widht'; did you mean 'width'?");
  EXPECT_NE(said_to_option("inner", "1").find("sample: unknown option 'inner'; valid: not_negative, positive, "),
            std::string::npos)
      << "a part has no name of its own: " << said_to_option("inner", "1");
}

/// A long or hostile value does not fill a terminal nor steer it.
TEST(Options, MessagesAreShortAndPrintable) {
  EXPECT_LT(said_to_option("positive", std::string(5000, '9') + "x").size(), 200u);
  EXPECT_EQ(said_to_option("positive", "\033[31m\n").find('\033'), std::string::npos);
  EXPECT_NE(said_to_option("positive", "\033[31m\n").find("\\x1b[31m\\x0a"), std::string::npos);
}

TEST(Options, WhatIsRefusedChangesNothing) {
  Sample options;
  for (const auto& [name, text] : {std::pair("positive", "-1"), std::pair("count", "1.5"), std::pair("flag", "maybe"),
                                   std::pair("mode", "fasst"), std::pair("width", "0")}) {
    EXPECT_THROW(set_option(options, "sample", name, text), OptionsError);
  }
  const std::vector<OptionValue> before = list_options(Sample{}), after = list_options(options);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value) << before[i].info.name;
}

TEST(Options, APartIsSetAndReadThroughItsOwner) {
  Sample options;
  set_option(options, "sample", "width", "0.25");
  set_option(options, "sample", "round", "true");
  EXPECT_EQ(options.inner.width, 0.25);
  EXPECT_TRUE(options.inner.round);
  const OptionRow& row = options_of(options).find("width", "");
  EXPECT_EQ(row.read(&options), "0.25");
  EXPECT_EQ(std::string(row.info.unit), "m");
  Inner alone;
  set_option(alone, "inner", "width", "3");
  EXPECT_EQ(alone.width, 3.0);
  EXPECT_TRUE(options_of(alone).group().empty());
  // The library's own: priors of a contact are options of whoever has one.
  PosteriorOptions posterior;
  set_option(posterior, "posterior", "moment_prior", "0.5");
  set_option(posterior, "posterior", "base_force_sd", "9");
  EXPECT_EQ(posterior.prior.moment, 0.5);
  EXPECT_EQ(posterior.base_rows.force_sd, 9.0);
}

TEST(Options, ASignedOptionTakesEitherSide) {
  FeasibilityOptions options;
  set_option(options, "feasibility", "sole_forward", "-0.03");
  EXPECT_EQ(options.sole_forward, -0.03);
  EXPECT_NO_THROW(check_options(options));
  set_option(options, "feasibility", "sole_depth", "-0.01");
  EXPECT_EQ(options.sole_depth, -0.01);
  EXPECT_THROW(set_option(options, "feasibility", "friction", "-0.1"), OptionsError);
}

TEST(Options, CheckNamesTheFirstOptionOutOfRange) {
  const auto message = [](auto change) -> std::string {
    Sample options;
    change(options);
    try {
      check_options(options);
    } catch (const OptionsError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([](Sample&) {}), "accepted");
  EXPECT_EQ(message([](Sample& o) { o.positive = 0.0; }),
            "sample.positive: 0 is out of range; give a number, more than zero");
  EXPECT_EQ(message([](Sample& o) { o.positive = kNaN; }),
            "sample.positive: nan is out of range; give a number, more than zero");
  EXPECT_EQ(message([](Sample& o) { o.signed_number = -kInfinity; }),
            "sample.signed_number: -inf is out of range; give a number, any finite one");
  EXPECT_EQ(message([](Sample& o) { o.probability = 1.0; }),
            "sample.probability: 1 is out of range; give a number, more than zero and less than 1");
  EXPECT_EQ(message([](Sample& o) { o.steps = 0; }), "sample.steps: 0 is out of range; give a number, at least 1");
  EXPECT_EQ(message([](Sample& o) { o.inner.width = -1.5; }),
            "sample.width: -1.5 is out of range; give a number, more than zero");
  EXPECT_EQ(message([](Sample& o) { o.share = 2.0, o.positive = -1.0; }),
            "sample.positive: -1 is out of range; give a number, more than zero")
      << "the first of the table";
  Inner part_alone{.width = 0.0};
  EXPECT_THROW(check_options(part_alone), OptionsError);
}

TEST(Options, ListHasEveryRowWithItsValue) {
  Sample options;
  options.positive = 0.1;
  options.signed_number = -1e-20;
  options.mode = Mode::slow;
  options.inner.width = 1.0 / 3.0;
  const std::vector<OptionValue> listed = list_options(options);
  const std::vector<std::pair<std::string, std::string>> expected = {{"not_negative", "1"},
                                                                     {"positive", "0.1"},
                                                                     {"signed_number", "-1e-20"},
                                                                     {"probability", "0.5"},
                                                                     {"below_one", "0"},
                                                                     {"share", "1"},
                                                                     {"least", "2.5"},
                                                                     {"count", "3"},
                                                                     {"steps", "1"},
                                                                     {"flag", "true"},
                                                                     {"mode", "slow"},
                                                                     {"name", "none"},
                                                                     {"round", "false"},
                                                                     {"width", "0.3333333333333333"}};
  ASSERT_EQ(listed.size(), expected.size());
  std::vector<std::pair<std::string, std::string>> seen;
  for (const OptionValue& value : listed) {
    EXPECT_EQ(value.group, "sample") << value.info.name;
    seen.emplace_back(value.info.name, value.value);
  }
  EXPECT_EQ(seen.front().first, "not_negative");
  EXPECT_EQ(seen.back().first, "round") << "parts stand where the field stands";
  EXPECT_EQ(std::set(seen.begin(), seen.end()), std::set(expected.begin(), expected.end()));
}

/// What is written is read again, to the last bit.
TEST(Options, TextKeepsEveryBit) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-308, 123456789.123456789, 5e-324}) {
    Sample from, to;
    from.positive = value;
    set_option(to, "sample", "positive", options_of(from).find("positive", "").read(&from));
    EXPECT_EQ(to.positive, value);
  }
}

TEST(Options, RowsKnowTheirType) {
  const OptionTable& table = options_of(Sample{});
  EXPECT_EQ(table.group(), "sample");
  EXPECT_EQ(table.find("positive", "").type, OptionType::number);
  EXPECT_EQ(table.find("count", "").type, OptionType::integer);
  EXPECT_EQ(table.find("flag", "").type, OptionType::switch_);
  EXPECT_EQ(table.find("name", "").type, OptionType::text);
  EXPECT_EQ(table.find("mode", "").type, OptionType::choice);
  EXPECT_EQ(table.find("mode", "").choices, (std::vector<std::string>{"slow", "medium", "fast"}));
  EXPECT_TRUE(table.find("positive", "").choices.empty());
}

TEST(Range, HoldsAndTells) {
  EXPECT_TRUE(kNotNegative.holds(0.0) && !kNotNegative.holds(-1e-9));
  EXPECT_TRUE(!kPositive.holds(0.0) && kPositive.holds(1e-9));
  EXPECT_TRUE(kAnyNumber.holds(-1e300) && kAnyNumber.holds(1e300));
  EXPECT_TRUE(!kProbability.holds(0.0) && !kProbability.holds(1.0) && kProbability.holds(0.5));
  EXPECT_TRUE(kBelowOne.holds(0.0) && !kBelowOne.holds(1.0));
  EXPECT_TRUE(kShare.holds(0.0) && kShare.holds(1.0) && !kShare.holds(1.0000001));
  for (const Range& range : {kNotNegative, kPositive, kAnyNumber, kProbability, kBelowOne, kShare, at_least(3)}) {
    for (const double value : {kNaN, kInfinity, -kInfinity}) EXPECT_FALSE(range.holds(value)) << range.text();
  }
  const Range negative{.lowest = -kInfinity, .highest = 0.0, .highest_allowed = false};
  EXPECT_EQ(negative.text(), "less than 0");
  EXPECT_TRUE(negative.holds(-1.0) && !negative.holds(0.0));
  EXPECT_EQ((Range{-2.0, 3.5}).text(), "at least -2 and at most 3.5");
}

/// What docs/reference/cli.md, --set, profiles and Python rest on.
TEST(OptionGroups, AreWhole) {
  std::set<std::string> groups;
  std::string last;
  for (const OptionGroup& group : OptionGroup::all()) {
    SCOPED_TRACE(group.table->group());
    EXPECT_FALSE(group.table->group().empty());
    EXPECT_TRUE(groups.insert(group.table->group()).second) << "twice";
    EXPECT_LT(last, group.table->group()) << "by name";
    last = group.table->group();
    ASSERT_FALSE(group.table->rows().empty());
    const std::shared_ptr<void> defaults = group.make();
    EXPECT_NO_THROW(detail::check_options(*group.table, defaults.get()));
    std::set<std::string> names;
    for (const OptionRow& row : group.table->rows()) {
      SCOPED_TRACE(row.info.name);
      // A gain may be K_fp, as papers have it; its name is found in lower case too, so there is one of each.
      std::string name = row.info.name;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      EXPECT_TRUE(names.insert(name).second) << "twice";
      EXPECT_EQ(&group.table->find(name, "here"), &row);
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos);
      EXPECT_FALSE(std::string_view(row.info.meaning).empty());
      EXPECT_FALSE(std::string_view(row.info.source).empty());
      const bool number = row.type == OptionType::number || row.type == OptionType::integer;
      EXPECT_EQ(!std::string_view(row.info.unit).empty(), number) << "numbers have a unit, and nothing else has";
      EXPECT_EQ(!row.choices.empty(), row.type == OptionType::choice);
      // A default can be written as it is read, and stays what it was.
      const std::string value = row.read(defaults.get());
      EXPECT_NO_THROW(row.write(defaults.get(), value, "here")) << value;
      EXPECT_EQ(row.read(defaults.get()), value);
      if (row.type == OptionType::text) continue;
      EXPECT_THROW(row.write(defaults.get(), "no value at all", "here"), OptionsError);
      EXPECT_EQ(row.read(defaults.get()), value);
      for (const std::string& choice : row.choices) {
        row.write(defaults.get(), choice, "here");
        EXPECT_EQ(row.read(defaults.get()), choice);
      }
    }
  }
  for (const char* name : {"published_guard", "consumer_guard", "posterior", "residual", "equation", "episode"}) {
    EXPECT_TRUE(groups.contains(name)) << name;
  }
}

/// Each default by itself: every call makes a new struct.
TEST(OptionGroups, MakeFreshDefaults) {
  for (const OptionGroup& group : OptionGroup::all()) {
    EXPECT_NE(group.make().get(), nullptr);
    const std::shared_ptr<void> one = group.make(), two = group.make();
    EXPECT_NE(one.get(), two.get()) << group.table->group();
  }
}

}  // namespace antaeus::core_test
