#pragma once
/// \file
/// Options are plain structs with defaults. Each has one static function
///
///     template <class Self, class Visitor>
///     static void visit(Self& self, Visitor&& visit) { visit(OptionInfo{"limit", "N", "…", "…"}, self.limit); }
///
/// from which JSON, the CLI's --set, Python's keyword arguments and the report's table of settings are all fed.

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus {

/// What a reader needs to set an option.
struct OptionInfo {
  const char* name;
  const char* unit;     ///< "N", "rad", "1"; "" for names and switches
  const char* meaning;  ///< one sentence
  const char* source;   ///< paper, report or measurement that the default comes from
};

/// Names of an enumeration's values; specialise with `static constexpr std::pair<const char*, Enum> table[]`.
template <class Enum>
struct EnumNames;

/// The name of an enumeration's value, as files and the CLI write it.
template <class Enum>
const char* enum_name(Enum value) noexcept {
  for (const auto& [name, candidate] : EnumNames<Enum>::table) {
    if (candidate == value) return name;
  }
  return "?";
}

/// One option as text, for tables and files.
struct OptionValue {
  std::string group;
  OptionInfo info;
  std::string value;
};

namespace detail {

template <class T>
std::string option_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return enum_name(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else {
    char buffer[40];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
  }
}

template <class T>
void parse_option(const std::string& place, std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false")
      throw OptionsError(place, "'" + std::string(text) + "' is no switch", "write true or false");
    value = text == "true";
  } else if constexpr (std::is_enum_v<T>) {
    std::vector<std::string> names;
    for (const auto& [name, candidate] : EnumNames<T>::table) {
      if (text == name) {
        value = candidate;
        return;
      }
      names.emplace_back(name);
    }
    const UnknownName unknown = unknown_name("value", text, names);
    throw OptionsError(place, unknown.problem, unknown.remedy);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = std::string(text);
  } else {
    T parsed{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    bool good = error == std::errc{} && end == text.data() + text.size();
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(parsed) && parsed >= 0;
    if (!good)
      throw OptionsError(place, "'" + std::string(text.substr(0, 60)) + "' is no number that fits",
                         "write a finite number, zero or more");
    value = parsed;
  }
}

}  // namespace detail

/// Every option of a struct with its present value.
template <class Options>
std::vector<OptionValue> list_options(const Options& options, const std::string& group) {
  std::vector<OptionValue> listed;
  Options::visit(options, [&](const OptionInfo& info, const auto& value) {
    listed.push_back({group, info, detail::option_text(value)});
  });
  return listed;
}

/// Sets one option from text. \throws OptionsError for an unknown name (with the nearest) or a value that does not fit
template <class Options>
void set_option(Options& options, const std::string& group, std::string_view name, std::string_view text) {
  bool found = false;
  std::vector<std::string> names;
  Options::visit(options, [&](const OptionInfo& info, auto& value) {
    names.emplace_back(info.name);
    if (name != info.name) return;
    found = true;
    detail::parse_option(group + "." + info.name, text, value);
  });
  if (found) return;
  const UnknownName unknown = unknown_name("option", name, names);
  throw OptionsError(group, unknown.problem, unknown.remedy);
}

}  // namespace antaeus
