#include "antaeus/core/settings.hpp"

#include <algorithm>

namespace antaeus {

void Settings::set(Setting setting) {
  const std::vector<OptionGroup>& groups = OptionGroup::all();
  const auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const OptionGroup& known) { return known.table->group() == setting.group; });
  if (group == groups.end()) {
    std::vector<std::string> names;
    for (const OptionGroup& known : groups) names.push_back(known.table->group());
    throw_unknown<OptionsError>(setting.place, "option group", setting.group, names);
  }
  // Tried on a struct of its own: a value that does not fit is found here, where its place is known.
  const std::shared_ptr<void> scratch = group->make();
  const std::string place = setting.place.empty() ? setting.group : setting.place + ": " + setting.group;
  detail::set_option(*group->table, scratch.get(), place, setting.name, setting.value);
  settings_.push_back(std::move(setting));
}

void Settings::set(std::string_view assignment, const std::string& place) {
  const std::size_t equals = assignment.find('='), dot = assignment.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
    throw OptionsError(place, "'" + std::string(assignment.substr(0, 120)) + "' is no assignment",
                       "write group.option=value");
  }
  set(Setting{std::string(assignment.substr(0, dot)), std::string(assignment.substr(dot + 1, equals - dot - 1)),
              std::string(assignment.substr(equals + 1)), place});
}

}  // namespace antaeus
