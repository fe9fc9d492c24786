#pragma once
/// \file
/// Settings: options that users wrote in a profile's [options] or behind --set.
/// Each is checked when it is set, and kept until the module that owns the option reads it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// One option as a user set it.
struct Setting {
  std::string group, name, value;
  std::string place;
};
constexpr void visit_fields(const Setting*, auto&& visit) {
  using S = Setting;
  visit(field("group", "", "of the option", &S::group));
  visit(field("name", "", "of the option", &S::name));
  visit(field("value", "", "as it was written", &S::value));
  visit(field("place", "", "where it was written: \"h1_2.toml:12\", or the input", &S::place));
}

/// What of a robot the defaults of its options follow, each with the words that say where it comes from.
struct RobotScale {
  std::optional<Sign> sign;  ///< that the consumer of its forces reads
  std::string sign_from;
  double force = kNaN;  ///< [N] that its endpoints are made for; NaN: not known, and defaults stay as they are
  std::string force_from;
  double weight = kNaN;  ///< [N] of the whole robot
  std::string weight_from;
  /// [N] Half of the force that guards let pass at a hand: `force`, or more where that is a guess from the weight.
  double limit = kNaN;
  std::string limit_from;
  double foot_limit = kNaN;  ///< [N] half of what they let pass at a foot
  std::string foot_limit_from;
};

/// Settings in the order in which they were made: the last one of an option counts.
class ANTAEUS_API Settings {
 public:
  /// Checks group, name and value against the option tables of all modules that are loaded. A setting of a component
  /// that is not (groups_of_components) is kept unchecked: nothing in this program reads it.
  /// \throws OptionsError at the setting's place, with the nearest name
  void set(Setting setting);
  /// The groups of the libraries that stand on libantaeus.so: motion, sim, studies.
  static std::span<const std::string_view> groups_of_components() noexcept;
  /// True if the previous release had a group of this name. `set` accepts its spellings with a note.
  static bool is_old_group(std::string_view group) noexcept;
  /// "group.option=value". \throws OptionsError for another form, and as above
  void set(std::string_view assignment, const std::string& place = "settings");

  const std::vector<Setting>& all() const noexcept { return settings_; }
  /// One note per setting that was written in a spelling of the previous release.
  const std::vector<Note>& notes() const noexcept { return notes_; }
  /// The last one of an option; null when nobody set it.
  const Setting* find(std::string_view group, std::string_view name) const noexcept;

  /// What the defaults follow from now on.
  void set_scale(RobotScale scale) { scale_ = std::move(scale); }
  const RobotScale& scale() const noexcept { return scale_; }

  /// The options of a group: \p defaults, those that follow the robot as it is, and what users set.
  template <class Options>
  Options get(Options options = {}) const {
    apply(options_of(options), &options);
    return options;
  }

  /// The options of a group as they are now, each with the source of its value.
  template <class Options>
  std::vector<OptionValue> list(const Options& options) const {
    return with_sources(options_of(options), &options);
  }

 private:
  void apply(const OptionTable& table, void* options) const;
  std::vector<OptionValue> with_sources(const OptionTable& table, const void* options) const;

  std::vector<Setting> settings_;
  std::vector<Note> notes_;
  RobotScale scale_;
};

}  // namespace antaeus
