#include "antaeus/space/published_scheme.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "antaeus/core/error.hpp"

namespace antaeus {

FlyingScheme published_scheme(const FlyingScheme& own) {
  FlyingScheme scheme = own;
  if (scheme.control.control.law != FlyingLaw::regulator) scheme.control.control.law = FlyingLaw::tracker;
  scheme.flyer.coriolis = CoriolisForm::published;
  scheme.flyer.j_plus.exit_step = 0.0;
  scheme.flyer.null_space.freeze = NullFreeze::all;
  scheme.flyer.null_space.exit_step = 0.0;
  return scheme;
}

void check_beside_published(std::string_view group, std::string_view name, std::string_view value,
                            const std::string& place) {
  const std::string option = std::string(group) + "." + std::string(name);
  const auto refuse = [&](const std::string& why) {
    throw OptionsError(place, option + "=" + std::string(value) + " with space.compatibility=published: " + why,
                       "leave one of the two");
  };
  const auto is_zero = [&] {
    char* end = nullptr;
    const std::string text(value);
    return std::strtod(text.c_str(), &end) == 0.0 && end != text.c_str();
  };
  if (option == "flying.law" && value == to_string(FlyingLaw::carried)) {
    refuse("it is our own law; the published ones are tracker and regulator");
  }
  if ((option == "j_plus.exit_step" || option == "null_space.exit_step") && !is_zero()) {
    refuse("the published scheme lets go at once, which is 0");
  }
  if (option == "null_space.freeze" && value != to_string(NullFreeze::all)) {
    refuse("the published scheme freezes all");
  }
  constexpr std::array<std::string_view, 4> kUnread = {"j_plus.exit_reach", "null_space.exit_reach", "flying.pull",
                                                       "flying.joint_damping"};
  if (group == "carry" || std::ranges::find(kUnread, option) != kUnread.end())
    refuse("nothing in it reads this option");
}

}  // namespace antaeus
