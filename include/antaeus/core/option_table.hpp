#pragma once
/// \file
/// The table of one struct's options: what core/options.hpp declares, for the sources that have a table or read one.

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/range.hpp"

namespace antaeus {

enum class OptionType : std::uint8_t { switch_, integer, number, choice, text };
constexpr auto enum_names(OptionType) noexcept {
  return name_list<OptionType>("switch", "integer", "number", "choice", "text");
}

/// What a default follows once the robot is known (RobotScale); `nothing`: it is the struct's.
enum class Follows : std::uint8_t { nothing, sign, force, weight };
constexpr auto enum_names(Follows) noexcept { return name_list<Follows>("nothing", "sign", "force", "weight"); }

/// One option of a struct, without the struct's type.
struct OptionRow {
  OptionInfo info;
  OptionType type = OptionType::number;
  Range range;                       ///< of integers and numbers
  std::vector<std::string> choices;  ///< of a choice
  std::function<std::string(const void*)> read;
  /// \throws OptionsError that begins with the place
  std::function<void(void*, std::string_view text, const std::string& place)> write;
  Follows follows = Follows::nothing;
  double share = 1.0;  ///< the default is this much of what it follows
};

namespace detail {

ANTAEUS_API std::string text_of(bool value);
ANTAEUS_API std::string text_of(int value);
ANTAEUS_API std::string text_of(double value);
ANTAEUS_API std::string three_digits(double value);
ANTAEUS_API bool parse_switch(std::string_view text, const std::string& place);
ANTAEUS_API int parse_integer(std::string_view text, const Range& range, const std::string& place);
ANTAEUS_API double parse_number(std::string_view text, const Range& range, const std::string& place);

}  // namespace detail

/// The row of one field.
template <class Options, class Value>
OptionRow option(const char* name, const char* unit, const char* meaning, const char* source, Value Options::* field,
                 Range range = kNotNegative) {
  OptionRow row{{name, unit, meaning, source}, OptionType::text, range, {}, {}, {}, Follows::nothing, 1.0};
  const auto value = [field](const void* options) -> const Value& {
    return static_cast<const Options*>(options)->*field;
  };
  const auto place = [field](void* options) -> Value& { return static_cast<Options*>(options)->*field; };
  if constexpr (std::is_enum_v<Value>) {
    row.type = OptionType::choice;
    row.choices = all_names<Value>();
    row.read = [value](const void* options) { return std::string(to_string(value(options))); };
    row.write = [place](void* options, std::string_view text, const std::string& where) {
      place(options) = parse_enum<Value>(text, where);
    };
  } else if constexpr (std::is_same_v<Value, std::string>) {
    row.read = [value](const void* options) { return value(options); };
    row.write = [place](void* options, std::string_view text, const std::string&) { place(options) = text; };
  } else {
    row.type = std::is_same_v<Value, bool>  ? OptionType::switch_
               : std::is_same_v<Value, int> ? OptionType::integer
                                            : OptionType::number;
    row.read = [value](const void* options) { return detail::text_of(value(options)); };
    row.write = [place, range](void* options, std::string_view text, const std::string& where) {
      if constexpr (std::is_same_v<Value, bool>) place(options) = detail::parse_switch(text, where);
      if constexpr (std::is_same_v<Value, int>) place(options) = detail::parse_integer(text, range, where);
      if constexpr (std::is_same_v<Value, double>) place(options) = detail::parse_number(text, range, where);
    };
  }
  return row;
}

/// The same option with a default that is \p share of what it follows, rounded to two digits.
inline OptionRow following(Follows what, double share, OptionRow row) {
  row.follows = what;
  row.share = share;
  return row;
}

/// Rows of one struct under the name by which users set them.
class ANTAEUS_API OptionTable {
 public:
  /// What stands in a table's braces: one row, or all rows of a struct that is a field.
  struct Entry {
    Entry(OptionRow row) : rows{std::move(row)} {}                       // NOLINT: an entry is written as its row
    Entry(std::vector<OptionRow> several) : rows(std::move(several)) {}  // NOLINT
    std::vector<OptionRow> rows;
  };
  /// \param group  "published_guard" of --set published_guard.clamp_force=40; empty for a struct that is only part of
  /// others
  OptionTable(std::string group, std::initializer_list<Entry> entries);

  const std::string& group() const noexcept { return group_; }
  const std::vector<OptionRow>& rows() const noexcept { return rows_; }
  /// Letters of either case are one. \throws OptionsError at \p place with the nearest name
  const OptionRow& find(std::string_view name, const std::string& place) const;

 private:
  std::string group_;
  std::vector<OptionRow> rows_;
};

/// The rows of a struct that is a field of \p Options: users see no difference.
template <class Options, class Part>
std::vector<OptionRow> part(Part Options::* field) {
  std::vector<OptionRow> rows = options_of(Part{}).rows();
  for (OptionRow& row : rows) {
    row.read = [field, read = row.read](const void* options) {
      return read(&(static_cast<const Options*>(options)->*field));
    };
    row.write = [field, write = row.write](void* options, std::string_view text, const std::string& place) {
      write(&(static_cast<Options*>(options)->*field), text, place);
    };
  }
  return rows;
}

/// Makes a table known to Settings: a constant of this type beside the table, in its source file.
struct ANTAEUS_API OptionGroup {
  template <class Options>
  explicit OptionGroup(const Options& defaults)
      : OptionGroup(options_of(defaults), [defaults] { return std::make_shared<Options>(defaults); }) {}
  OptionGroup(const OptionTable& options, std::function<std::shared_ptr<void>()> make_defaults);

  const OptionTable* table;
  std::function<std::shared_ptr<void>()> make;  ///< the struct with its defaults

  /// Those of all rooms that are linked, by name.
  static const std::vector<OptionGroup>& all();
};

}  // namespace antaeus
