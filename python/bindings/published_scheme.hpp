#pragma once
/// \file
/// What FreeFlyer and FlyingControl share of the published scheme of coordinated control.

#include <optional>
#include <string>

#include "antaeus/core/settings.hpp"
#include "antaeus/space/published_scheme.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// \throws OptionsError for an option of a profile or of a caller's dict that contradicts the published scheme
inline void check_dict_beside_published(const Settings& settings, const char* place, const char* group,
                                        const std::optional<nb::dict>& given) {
  for (const Setting& setting : settings.all()) {
    check_beside_published(setting.group, setting.name, setting.value, setting.place);
  }
  if (!given) return;
  for (const auto& [key, value] : *given) {
    const std::string name = nb::cast<std::string>(key);
    check_beside_published(group, name, option_text(std::string(group) + "." + name, value), place);
  }
}

}  // namespace antaeus::python
