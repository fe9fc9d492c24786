#include "antaeus/core/settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// A size that defaults follow, and the words that say where it comes from.
struct FollowedSize {
  double size;
  const std::string& from;
};
FollowedSize size_of(Follows what, const RobotScale& scale) {
  if (what == Follows::limit) return {scale.limit, scale.limit_from};
  if (what == Follows::foot_limit) return {scale.foot_limit, scale.foot_limit_from};
  return {scale.force, scale.force_from};
}

/// A default that follows the robot as text; empty where what it follows is not known. Two digits: the rule is no
/// better.
std::string followed(const OptionRow& row, const RobotScale& scale) {
  if (row.follows == Follows::sign && scale.sign) return std::string(to_string(*scale.sign));
  if (row.follows == Follows::nothing || row.follows == Follows::sign) return {};
  const double size = size_of(row.follows, scale).size;
  if (!(size > 0) || !std::isfinite(size)) return {};
  return shortest_text(rounded_to(row.share * size, 2));
}

// A profile may set what another program reads. The test Settings.GroupsOfComponents holds the list to the libraries.
constexpr std::array<std::string_view, 26> kGroupsOfComponents = {
    "actuators", "clip",  "contact",    "control",  "damping_mode", "det",   "experiment", "flying", "gamma",
    "gravity",   "ik",    "impedance",  "incident", "initial",      "live",  "null_space", "parity", "perturbation",
    "plant",     "scene", "sensorless", "space",    "split",        "tasks", "timing",     "trace"};

/// A spelling of the previous release. The last part that is not empty has changed: group, option or value.
struct Renamed {
  std::string_view group, option, value, current;
};
constexpr Renamed kRenamed[] = {
    {"guard", "", "", "published_guard"},
    {"guarded", "", "", "consumer_guard"},
    {"contact_place", "", "", "contact_location"},
    {"held_pose", "envelope_window", "", "speed_range_window"},
    {"held_pose", "envelope_factor", "", "speed_range_factor"},
    {"held_pose", "envelope_still_speed", "", "speed_range_still_speed"},
    {"held_pose", "envelope_moving_speed", "", "speed_range_moving_speed"},
    {"residual", "envelope_window", "", "speed_range_window"},
    {"residual", "envelope_factor", "", "speed_range_factor"},
    {"residual", "envelope_still_speed", "", "speed_range_still_speed"},
    {"residual", "envelope_moving_speed", "", "speed_range_moving_speed"},
    {"residual", "day_learn", "", "session_learn"},
    {"residual", "day_from", "", "session_from"},
    {"residual", "day_until", "", "session_until"},
    {"residual", "day_forget", "", "session_forget"},
    {"residual", "day_contact_sd", "", "session_contact_sd"},
    {"residual", "day_largest", "", "session_largest"},
    {"sensorless", "told_error", "", "stated_error"},
    {"sensorless", "told_sd", "", "stated_sd"},
    {"split", "hidden_place_sd", "", "hidden_location_sd"},
    {"preflight", "noise", "figures", "assumed"},
    {"residual", "noise", "figures", "assumed"},
    {"residual", "session_learn", "told", "stated"},
};

std::string assignment_text(const Setting& setting) { return setting.group + "." + setting.name + "=" + setting.value; }

/// Rewrites a setting in today's spelling. \return whether it had another
bool update(Setting& setting) {
  bool changed = false;
  for (const Renamed& renamed : kRenamed) {
    if (setting.group != renamed.group || (!renamed.option.empty() && setting.name != renamed.option) ||
        (!renamed.value.empty() && setting.value != renamed.value)) {
      continue;
    }
    (renamed.option.empty() ? setting.group : renamed.value.empty() ? setting.name : setting.value) = renamed.current;
    changed = true;
  }
  return changed;
}

}  // namespace

std::span<const std::string_view> Settings::groups_of_components() noexcept { return kGroupsOfComponents; }

bool Settings::is_old_group(std::string_view group) noexcept {
  return std::ranges::any_of(kRenamed,
                             [&](const Renamed& renamed) { return renamed.option.empty() && renamed.group == group; });
}

void Settings::set(Setting setting) {
  if (const std::string written = assignment_text(setting); update(setting)) {
    notes_.push_back({NoteCode::renamed, setting.place, {written, assignment_text(setting)}});
  }
  const std::vector<OptionGroup>& groups = OptionGroup::all();
  const auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const OptionGroup& known) { return known.table->group() == setting.group; });
  if (group == groups.end()) {
    if (std::ranges::find(kGroupsOfComponents, setting.group) != kGroupsOfComponents.end()) {
      settings_.push_back(std::move(setting));
      return;
    }
    std::vector<std::string> names;
    for (const OptionGroup& known : groups) names.push_back(known.table->group());
    for (const std::string_view name : kGroupsOfComponents) {
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    }
    throw_unknown<OptionsError>(setting.place, "option group", setting.group, names);
  }
  // Tried on a struct of its own: a value that does not fit is found here, where its place is known.
  const std::shared_ptr<void> scratch = group->make();
  const std::string place = setting.place.empty() ? setting.group : setting.place + ": " + setting.group;
  setting.name = group->table->find(setting.name, place).info.name;  // as the table writes it: `find` asks for that
  detail::set_option(*group->table, scratch.get(), place, setting.name, setting.value);
  settings_.push_back(std::move(setting));
}

void Settings::set(std::string_view assignment, const std::string& place) {
  const std::size_t equals = assignment.find('='), dot = assignment.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
    throw OptionsError(place, "'" + std::string(assignment.substr(0, 120)) + "' is not an assignment",
                       "write group.option=value");
  }
  set(Setting{std::string(assignment.substr(0, dot)), std::string(assignment.substr(dot + 1, equals - dot - 1)),
              std::string(assignment.substr(equals + 1)), place});
}

const Setting* Settings::find(std::string_view group, std::string_view name) const noexcept {
  const Setting* found = nullptr;
  for (const Setting& setting : settings_) {
    if (setting.group == group && setting.name == name) found = &setting;
  }
  return found;
}

void Settings::apply(const OptionTable& table, void* options) const {
  for (const OptionRow& row : table.rows()) {
    const std::string value = followed(row, scale_);
    if (!value.empty()) row.write(options, value, table.group() + "." + row.info.name);
  }
  for (const Setting& setting : settings_) {
    if (setting.group == table.group()) detail::set_option(table, options, setting.group, setting.name, setting.value);
  }
}

std::vector<OptionValue> Settings::with_sources(const OptionTable& table, const void* options) const {
  std::vector<OptionValue> listed = detail::list_options(table, options);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const OptionRow& row = table.rows()[i];
    OptionValue& option = listed[i];
    const std::string value = followed(row, scale_);
    if (const Setting* set = find(table.group(), row.info.name)) {
      // A folder is of this machine, and no source.
      const std::string place = set->place.substr(set->place.find_last_of('/') + 1);
      option.given_by = "set: " + place;
      option.source = option.given_by + "; the default: " + row.info.source;
    } else if (!value.empty() && value == option.value) {
      const bool signs = row.follows == Follows::sign;
      option.given_by =
          signs ? scale_.sign_from : significant_text(row.share, 3) + " × " + size_of(row.follows, scale_).from;
      option.source = option.given_by + (signs ? "" : std::string("; ") + row.info.source);
    }
  }
  return listed;
}

}  // namespace antaeus
