#pragma once
/// \file
/// Settings: options that users wrote in a profile's [options] or behind --set.
/// Each is checked when it is set, and kept until the module that owns the option reads it.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

/// One option as a user set it.
struct Setting {
  std::string group, name, value;
  std::string place;  ///< where it was written: "h1_2.toml:12", "--set"
};

/// Settings in the order in which they were made: the last one of an option counts.
class ANTAEUS_API Settings {
 public:
  /// Checks group, name and value against the option tables of all modules.
  /// \throws OptionsError at the setting's place, with the nearest name
  void set(Setting setting);
  /// "group.option=value". \throws OptionsError for another form, and as above
  void set(std::string_view assignment, const std::string& place = "--set");

  const std::vector<Setting>& all() const noexcept { return settings_; }

  /// The options of a group: \p defaults with what users set.
  template <class Options>
  Options get(Options options = {}) const {
    const OptionTable& table = options_of(options);
    for (const Setting& setting : settings_) {
      if (setting.group == table.group()) set_option(options, setting.group, setting.name, setting.value);
    }
    return options;
  }

 private:
  std::vector<Setting> settings_;
};

}  // namespace antaeus
