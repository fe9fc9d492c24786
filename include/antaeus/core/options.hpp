#pragma once
/// \file
/// Options: plain structs with defaults, and one table each that says what a user must know to set them.
///
/// The header has the struct, each field with unit and meaning, and one line:
///
///     const OptionTable& options_of(const PublishedGuardOptions&);
///
/// The source file has the table, one row an option: name, unit, meaning, source, field, range.
///     const OptionTable& options_of(const PublishedGuardOptions&) {
///       static const OptionTable table("published_guard", {
///           option("clamp_force", "N", "limit of each component", "incident report",
///           &PublishedGuardOptions::clamp_force, kPositive),
///       });
///       return table;
///     }
///     const OptionGroup kGroup(PublishedGuardOptions{});  // known to every --set, every profile, and the docs
///
/// JSON, `--set`, profiles, Python's keyword arguments, docs/reference/cli.md and the report's settings read this
/// table. A header of options needs no more than this; core/option_table.hpp is for the source that has the table.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"

namespace antaeus {

class OptionTable;

/// What a reader needs to set an option.
struct OptionInfo {
  const char* name;
  const char* unit;     ///< "N", "rad", "1"; "" for names and switches
  const char* meaning;  ///< one sentence
  const char* source;   ///< paper, report or measurement that the default comes from
};

/// One option with its present value, for tables and files.
struct OptionValue {
  std::string group;
  OptionInfo info;
  std::string value;
  std::string source;
  std::string given_by = {};  ///< the beginning of `source`: who set the value, or what it follows; empty: the default
};
constexpr void visit_fields(const OptionValue*, auto&& visit) {
  using V = OptionValue;
  visit(field("option", "", "`group.option`", [](const V& v) {
          return v.group + "." + v.info.name;
        }).only(FieldUse::file_only));
  visit(field("group", "", "\"published_guard\" of published_guard.clamp_force=40", &V::group)
            .only(FieldUse::python_only));
  visit(field("name", "", "in its group", [](const V& v) { return v.info.name; }).only(FieldUse::python_only));
  visit(field("value", "", "as `set` takes it", &V::value));
  visit(field("unit", "", "empty for names and switches", [](const V& v) { return v.info.unit; }));
  visit(field("meaning", "", "one sentence", [](const V& v) { return v.info.meaning; }));
  visit(field(
      "source", "",
      "where the value comes from: `set: FILE:LINE` or `set: ` and the input; the share of the robot's load or weight "
      "that it is; else where the default comes from",
      &V::source));
}

namespace detail {
ANTAEUS_API void set_option(const OptionTable& table, void* options, const std::string& place, std::string_view name,
                            std::string_view text);
ANTAEUS_API void check_options(const OptionTable& table, const void* options);
ANTAEUS_API std::vector<OptionValue> list_options(const OptionTable& table, const void* options);
}  // namespace detail

/// Sets one option from text. \param place  for messages: "guard", "robot.toml:12"
/// \throws OptionsError for an unknown name (with the nearest) or a value that does not fit
template <class Options>
void set_option(Options& options, const std::string& place, std::string_view name, std::string_view text) {
  detail::set_option(options_of(options), &options, place, name, text);
}
/// \throws OptionsError that names the first option out of its range
template <class Options>
void check_options(const Options& options) {
  detail::check_options(options_of(options), &options);
}
/// Every option of a struct with its present value.
template <class Options>
std::vector<OptionValue> list_options(const Options& options) {
  return detail::list_options(options_of(options), &options);
}

}  // namespace antaeus
