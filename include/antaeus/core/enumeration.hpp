#pragma once
/// \file
/// The names of an enumeration's values, stated once. Files, command line, Python and pages all use them.
///
///     enum class Sign { on_robot, on_environment };
///     constexpr auto enum_names(Sign) noexcept { return name_list<Sign>("on_robot", "on_environment"); }
///
/// The names stand in the order of the values, which count from 0. A name too few or too many does not compile.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace detail {

/// Whether the enumeration has this value. For one that it has not, compilers print "(antaeus::Sign)2"; a name may
/// begin with "(anonymous namespace)::" too.
template <class Enum, Enum value>
constexpr bool is_enumerator() noexcept {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t at = text.rfind("value = ");
  if (at == std::string_view::npos || text.substr(at + 8, 1) != "(") return true;
  const std::size_t number = text.find(')', at) + 1;
  return number >= text.size() || ((text[number] < '0' || text[number] > '9') && text[number] != '-');
}

}  // namespace detail

/// The names of an enumeration; checks at compile time that there is one for each value.
template <class Enum, class... Names>
constexpr auto name_list(Names... names) noexcept {
  constexpr std::size_t kCount = sizeof...(Names);
  static_assert(detail::is_enumerator<Enum, static_cast<Enum>(kCount - 1)>(), "more names than values");
  static_assert(!detail::is_enumerator<Enum, static_cast<Enum>(kCount)>(), "a value has no name");
  return std::array<const char*, kCount>{names...};
}

/// An enumeration that has its line of names.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) { enum_names(value)[0]; };

/// The name of a value, as files, command line and Python write it. "?" for a number that is not a value.
template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) noexcept {
  constexpr auto kNames = enum_names(Enum{});
  const auto at = static_cast<std::size_t>(value);
  return at < kNames.size() ? kNames[at] : "?";
}

/// The value of that name, nothing for any other text.
template <NamedEnum Enum>
constexpr std::optional<Enum> find_enum(std::string_view name) noexcept {
  constexpr auto kNames = enum_names(Enum{});
  for (std::size_t at = 0; at < kNames.size(); ++at) {
    if (name == kNames[at]) return static_cast<Enum>(at);
  }
  return std::nullopt;
}

/// All names in the order of the values.
template <NamedEnum Enum>
std::vector<std::string> all_names() {
  constexpr auto kNames = enum_names(Enum{});
  return {kNames.begin(), kNames.end()};
}

/// All values in their order.
template <NamedEnum Enum>
constexpr auto all_values() noexcept {
  std::array<Enum, enum_names(Enum{}).size()> values{};
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<Enum>(at);
  return values;
}

/// \throws Failure that names the place and the nearest valid name
template <NamedEnum Enum, class Failure = OptionsError>
Enum parse_enum(std::string_view name, const std::string& place, std::string_view kind = "value") {
  if (const std::optional<Enum> value = find_enum<Enum>(name)) return *value;
  throw_unknown<Failure>(place, kind, name, all_names<Enum>());
}

}  // namespace antaeus
