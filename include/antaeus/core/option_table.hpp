#pragma once
/// \file
/// The table of one struct's options: what core/options.hpp declares, for the sources that have a table or read one.

#include <cstddef>
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
enum class Follows : std::uint8_t { nothing, sign, force, limit, foot_limit };
constexpr auto enum_names(Follows) noexcept {
  return name_list<Follows>("nothing", "sign", "force", "limit", "foot_limit");
}

/// One option of a struct, without the struct's type: what a field of its type is, and where it stands.
struct ANTAEUS_API OptionRow {
  OptionInfo info{};
  OptionType type = OptionType::number;
  Range range;                       ///< of integers and numbers
  std::vector<std::string> choices;  ///< of a choice
  std::size_t offset = 0;            ///< of the field [bytes]
  // Of a choice: the name of the field's value, and the value of a name.
  std::string_view (*name_of)(const void* field) = nullptr;
  void (*choose)(void* field, std::string_view text, const std::string& place) = nullptr;
  Follows follows = Follows::nothing;
  double share = 1.0;  ///< the default is this much of what it follows

  std::string read(const void* options) const;
  /// \throws OptionsError that begins with the place
  void write(void* options, std::string_view text, const std::string& place) const;
  /// Of integers and numbers; of others NaN.
  double number(const void* options) const noexcept;
};

namespace detail {

/// \throws OptionsError that names the place for a text that is not a number within the range
ANTAEUS_API int parse_integer(std::string_view text, const Range& range, const std::string& place);
ANTAEUS_API double parse_number(std::string_view text, const Range& range, const std::string& place);

template <class Options, class Value>
std::size_t offset_of(Value Options::* field) {
  static const Options kAny{};
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(kAny.*field)) - reinterpret_cast<const char*>(&kAny));
}

}  // namespace detail

/// The row of one field.
template <class Options, class Value>
OptionRow option(const char* name, const char* unit, const char* meaning, const char* source, Value Options::* field,
                 Range range = kNotNegative) {
  OptionRow row;
  row.info = {name, unit, meaning, source};
  row.range = range;
  row.offset = detail::offset_of(field);
  if constexpr (std::is_enum_v<Value>) {
    row.type = OptionType::choice;
    row.choices = all_names<Value>();
    row.name_of = [](const void* at) -> std::string_view { return to_string(*static_cast<const Value*>(at)); };
    row.choose = [](void* at, std::string_view text, const std::string& place) {
      *static_cast<Value*>(at) = parse_enum<Value>(text, place);
    };
  } else {
    constexpr bool is_switch = std::is_same_v<Value, bool>, is_integer = std::is_same_v<Value, int>,
                   is_number = std::is_same_v<Value, double>;
    static_assert(is_switch || is_integer || is_number || std::is_same_v<Value, std::string>);
    row.type = is_switch    ? OptionType::switch_
               : is_integer ? OptionType::integer
               : is_number  ? OptionType::number
                            : OptionType::text;
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
  for (OptionRow& row : rows) row.offset += detail::offset_of(field);
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
