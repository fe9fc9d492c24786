#pragma once
/// \file
/// Notes of results: a code and values for programs, and one catalogue of sentences for people.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/number_text.hpp"

namespace antaeus {

/// `error`: no force that is computed can be trusted. `warning`: some may be wrong. `note`: for information.
enum class Severity : std::uint8_t { error, warning, note };
constexpr auto enum_names(Severity) noexcept { return name_list<Severity>("error", "warning", "note"); }

/// The kinds of notes; the catalogue in messages.cpp has severity and sentence of each.
enum class NoteCode : std::uint8_t {
  // a log and its channels
  clock_not_finite,
  clock_stands_still,
  time_goes_back,
  clock_of_dt,
  nanoseconds,
  repeated_stamps,
  stamps_left_out,
  left_out,
  odd_shape,
  other_length,
  text_columns,
  unread_columns,
  other_columns,
  guessed,
  base_columns,
  profile_channels,
  profile_channels_of_imu,
  channels_not_moved,
  quaternion_order,
  not_finite,
  invalid_steps,
  overflow_steps,
  loop_refuses,
  loop_degrades,
  accelerometer_norm,
  accelerometer_axes,
  converted,
  simulated,
  smoothed,
  synthetic,
  injected,
  refusal,
  not_an_episode,
  // an audit or estimate
  part_compared,
  part_audited,
  static_residual,
  configuration_error,
  limb_observes,
  endpoints_left_out,
  // a stream
  no_time_stamps,
  no_orientation,
  no_velocities,
  channels_late,
  low_state,
  low_state_order,
  // a robot, a scene and poses
  guess,
  mimics,
  inertia_not_positive,
  inertia_of_point,
  inertia_triangle,
  no_mass_but_moves,
  shape_without_mass,
  equality_ignored,
  loop_open,
  actuator,
  armature_left_out,
  scene,
  renamed,
  outside_limits,
  effort_limit,
  joint_not_named,
  sd_limit_left_out,
  quantity_left_out,
  limit_unreachable,
  sd_of_prior,
  more_positions,
};
constexpr auto enum_names(NoteCode) noexcept {
  return name_list<NoteCode>(
      "clock_not_finite", "clock_stands_still", "time_goes_back", "clock_of_dt", "nanoseconds", "repeated_stamps",
      "stamps_left_out", "left_out", "odd_shape", "other_length", "text_columns", "unread_columns", "other_columns",
      "guessed", "base_columns", "profile_channels", "profile_channels_of_imu", "channels_not_moved",
      "quaternion_order", "not_finite", "invalid_steps", "overflow_steps", "loop_refuses", "loop_degrades",
      "accelerometer_norm", "accelerometer_axes", "converted", "simulated", "smoothed", "synthetic", "injected",
      "refusal", "not_an_episode", "part_compared", "part_audited", "static_residual", "configuration_error",
      "limb_observes", "endpoints_left_out", "no_time_stamps", "no_orientation", "no_velocities", "channels_late",
      "low_state", "low_state_order", "guess", "mimics", "inertia_not_positive", "inertia_of_point", "inertia_triangle",
      "no_mass_but_moves", "shape_without_mass", "equality_ignored", "loop_open", "actuator", "armature_left_out",
      "scene", "renamed", "outside_limits", "effort_limit", "joint_not_named", "sd_limit_left_out", "quantity_left_out",
      "limit_unreachable", "sd_of_prior", "more_positions");
}

/// A value of a note: a text, or a number with the text that shows it.
struct NoteValue {
  NoteValue() = default;
  NoteValue(std::string value) : text(std::move(value)) {}
  NoteValue(const char* value) : text(value) {}
  NoteValue(std::string_view value) : text(value) {}
  template <std::integral Number>
  NoteValue(Number value) : text(std::to_string(value)), number(static_cast<double>(value)) {}
  NoteValue(double value) : text(shortest_text(value)), number(value) {}
  /// \param shown  the number as the sentence has it: rounded, or with its noun
  NoteValue(double value, std::string shown) : text(std::move(shown)), number(value) {}
  bool operator==(const NoteValue&) const = default;

  std::string text;
  std::optional<double> number;
};

/// Something that a user should know of a result.
struct ANTAEUS_API Note {
  Note() = default;
  /// With the severity of the catalogue.
  Note(NoteCode code, std::string subject = {}, std::vector<NoteValue> values = {}, std::string remedy = {});
  bool operator==(const Note&) const = default;

  NoteCode code = NoteCode::converted;
  Severity severity = Severity::note;
  std::string subject;            ///< file, channel or joint that it is about; empty: the result as a whole
  std::vector<NoteValue> values;  ///< in the order in which the sentence has them
  std::string remedy;             ///< what to do; empty: nothing
};

/// Returns the sentence, without a full stop.
ANTAEUS_API std::string note_text(const Note& note, FrontEnd front_end = FrontEnd::neutral);
/// Returns the sentences, one per note.
ANTAEUS_API std::vector<std::string> note_texts(const std::vector<Note>& notes, FrontEnd front_end = FrontEnd::neutral);

constexpr void visit_fields(const Note*, auto&& visit) {
  using N = Note;
  visit(field("code", "", "kind of the note, a name of NoteCode", [](const N& n) { return to_string(n.code); }));
  visit(field("severity", "", "`error`, `warning` or `note`", [](const N& n) { return to_string(n.severity); }));
  visit(field("subject", "", "file, channel or joint that it is about; empty: the result as a whole", &N::subject));
  visit(field("values", "", "numbers and texts of the sentence, in its order", &N::values));
  visit(field("remedy", "", "what to do; empty: nothing", &N::remedy));
  visit(field("text", "", "the sentence", [](const N& n) { return note_text(n); }));
}

}  // namespace antaeus
