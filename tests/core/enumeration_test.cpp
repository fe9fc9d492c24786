#include "antaeus/core/enumeration.hpp"

#include <gtest/gtest.h>

#include <set>

#include "antaeus/core/reasons.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/core/wrench_estimate.hpp"

namespace antaeus::core_test {

enum class Colour : std::uint8_t { red, green, light_blue };
constexpr auto enum_names(Colour) noexcept { return name_list<Colour>("red", "green", "light_blue"); }

// Known where the program is compiled.
static_assert(to_string(Colour::light_blue) == "light_blue");
static_assert(find_enum<Colour>("green") == Colour::green);
static_assert(!find_enum<Colour>("grey"));
static_assert(NamedEnum<Colour> && !NamedEnum<int> && !NamedEnum<std::byte>);

TEST(Enumeration, EveryValueHasItsNameAndEveryNameItsValue) {
  EXPECT_EQ(to_string(Colour::red), "red");
  EXPECT_EQ(to_string(Colour::green), "green");
  EXPECT_EQ(all_names<Colour>(), (std::vector<std::string>{"red", "green", "light_blue"}));
  for (const std::string& name : all_names<Colour>()) EXPECT_EQ(to_string(*find_enum<Colour>(name)), name);
}

TEST(Enumeration, AnyOtherTextIsNoValue) {
  for (const char* text : {"", "Red", "red ", " red", "re", "redd", "light blue", "?", "0"}) {
    EXPECT_EQ(find_enum<Colour>(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(Enumeration, ANumberThatIsNoValueIsAQuestionMark) {
  EXPECT_EQ(to_string(static_cast<Colour>(3)), "?");
  EXPECT_EQ(to_string(static_cast<Colour>(255)), "?");
  EXPECT_EQ(to_string(static_cast<WrenchRow>(6)), "?");
  EXPECT_EQ(to_string(static_cast<WrenchRow>(7)), "?");
}

TEST(Enumeration, ParseNamesPlaceAndNearest) {
  EXPECT_EQ(parse_enum<Colour>("light_blue", "here"), Colour::light_blue);
  const auto message = [](const char* text, auto&&... kind) -> std::string {
    try {
      parse_enum<Colour>(text, "robot.toml:7", kind...);
    } catch (const OptionsError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("gren"), "robot.toml:7: unknown value 'gren'; did you mean 'green'?");
  EXPECT_EQ(message("gren", "colour"), "robot.toml:7: unknown colour 'gren'; did you mean 'green'?");
  EXPECT_EQ(message("purple"), "robot.toml:7: unknown value 'purple'; valid: red, green, light_blue");
  EXPECT_EQ(message(""), "robot.toml:7: unknown value ''; valid: red, green, light_blue");
  EXPECT_THROW((parse_enum<Colour, ModelError>("purple", "model")), ModelError) << "of the family that was asked for";
}

/// Files, records and pages hold these names: they do not change.
TEST(Enumeration, NamesOfTheCoreAreStable) {
  EXPECT_EQ(all_names<Status>(), (std::vector<std::string>{"ok", "wrong_size", "not_finite", "bad_orientation",
                                                           "unknown_frame", "not_computed", "time_back"}));
  EXPECT_EQ(all_names<Verdict>(),
            (std::vector<std::string>{"ok", "degraded", "refused", "unobservable", "invalid_input"}));
  EXPECT_EQ(all_names<Sign>(), (std::vector<std::string>{"on_robot", "on_environment"}));
  EXPECT_EQ(all_names<WrenchRow>(), (std::vector<std::string>{"Fx", "Fy", "Fz", "Mx", "My", "Mz"}));
  EXPECT_EQ(all_names<ResidualKind>(), (std::vector<std::string>{"static", "inverse_dynamics", "momentum_observer"}));
  const std::vector<std::string> reasons = all_names<Reason>();
  EXPECT_EQ(std::set<std::string>(reasons.begin(), reasons.end()).size(), reasons.size());
}

}  // namespace antaeus::core_test
