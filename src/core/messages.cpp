#include "antaeus/core/messages.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "antaeus/core/note.hpp"

namespace antaeus {

namespace {

/// A reference is kBegin, a name of Input, perhaps kValue and a value, and kEnd. Texts of users have no control
/// characters (printable), so they hold no reference.
constexpr char kBegin = '\x0e', kEnd = '\x0f', kValue = '\x1f';

/// Python's spelling, where it is not the neutral name.
constexpr std::pair<Input, std::string_view> kPythonNames[] = {
    {Input::baseline, "baselines"},
    {Input::contact, "contacts"},
    {Input::endpoint, "endpoints"},
    {Input::fix, "fixed_robot()"},
    {Input::from, "start"},
    {Input::ignore_meshes, "meshes=\"ignored\""},
    {Input::joint, "joints"},
    {Input::limit, "limits"},
    {Input::out, "path"},
    {Input::payload, "payloads"},
    {Input::set, "settings"},
    {Input::target, "targets"},
    {Input::to, "stop"},
    {Input::total, "robot=None"},
    {Input::with_limits, "limits"},
};

/// The catalogue of notes. {subject} and {0}, {1} … stand for the parts of the note, {a|0|b} for the value 0 between
/// "a" and "b", or nothing where it is empty.
struct Sentence {
  NoteCode code;
  Severity severity;
  const char* text;
};
constexpr Sentence kSentences[] = {
    {NoteCode::clock_not_finite, Severity::warning, "time stamps unusable: the time stamp of step {0} is not finite"},
    {NoteCode::clock_stands_still, Severity::warning, "time stamps unusable: time stands still at {0} s"},
    {NoteCode::time_goes_back, Severity::warning,
     "time stamps unusable: time goes back at step {0}, from {1} s to {2} s"},
    {NoteCode::clock_of_dt, Severity::note, "the clock is computed from dt, {0} s per row"},
    {NoteCode::nanoseconds, Severity::note, "{subject} is read as nanoseconds: its steps are of {0}"},
    {NoteCode::repeated_stamps, Severity::warning, "{0} time stamps repeat the one before"},
    {NoteCode::stamps_left_out, Severity::warning,
     "time stamps left out: {0} s at step {1} is not after the one before"},
    {NoteCode::left_out, Severity::warning, "left out: {0}"},
    {NoteCode::odd_shape, Severity::note, "{subject} is left out: {0}"},
    {NoteCode::other_length, Severity::note, "{subject} is left out: {0}, where the log has {1}"},
    {NoteCode::text_columns, Severity::note, "{0} text and {1} left out: {2}"},
    {NoteCode::unread_columns, Severity::note, "not read: {0}"},
    {NoteCode::other_columns, Severity::note, "{0} of the log belong to no motor: {1}"},
    {NoteCode::guessed, Severity::note, "{0}"},
    {NoteCode::base_columns, Severity::note,
     "{subject} has {0} columns, the model's nq: the first seven are read as the base's pose (x y z, then x y z w), "
     "the others as the motors"},
    {NoteCode::profile_channels, Severity::note, "read through [channels] of the profile"},
    {NoteCode::profile_channels_of_imu, Severity::note,
     "[channels] of the profile is applied to time and IMU alone: the log does not hold every motor"},
    {NoteCode::channels_not_moved, Severity::warning,
     "[channels] moves nothing in time: the log has no clock that runs forward"},
    {NoteCode::quaternion_order, Severity::note, "{subject} is read in the profile's order, {0}"},
    {NoteCode::not_finite, Severity::warning, "{subject}: {0} steps hold NaN or infinity (first: step {1}); {2}"},
    {NoteCode::invalid_steps, Severity::warning,
     "{|subject|; }{0} steps hold NaN, infinity or no unit quaternion (first: step {1}); they keep their index, "
     "verdict invalid_input"},
    {NoteCode::overflow_steps, Severity::warning,
     "{0} steps hold numbers too large to compute a force from (first: step {1}); they keep their index, verdict "
     "invalid_input"},
    {NoteCode::loop_refuses, Severity::warning,
     "{subject}: {0} steps (first: step {1}{, |2|}); a guarded loop refuses them"},
    {NoteCode::loop_degrades, Severity::warning,
     "{subject}: {0} steps (first: step {1}{, |2|}); a guarded loop degrades them"},
    {NoteCode::accelerometer_norm, Severity::warning,
     "imu_acc: median norm {0} m/s², but gravity is {1}; it is read as specific force a − g in m/s², gravity included"},
    {NoteCode::accelerometer_axes, Severity::warning,
     "imu_acc: {0}° away from up by the quaternion; its sign or axes are not those of a − g in the sensor's axes, "
     "+9.81 along the axis that points up at rest"},
    {NoteCode::converted, Severity::note, "{0}"},
    {NoteCode::simulated, Severity::note,
     "the log states that it was simulated: the profile's assumed noise is used, not the noise identified on a "
     "robot"},
    {NoteCode::smoothed, Severity::note,
     "smoothed without delay: polynomials of order {0} over {1} samples; v {2}, a from {3}; {4} through the same "
     "window"},
    {NoteCode::synthetic, Severity::note, "{0}"},
    {NoteCode::injected, Severity::note, "{0}"},
    {NoteCode::refusal, Severity::warning, "flight record: endpoint {0} refused at {1} s ({2})"},
    {NoteCode::not_an_episode, Severity::warning, "the log does not load as an episode: {0}"},
    {NoteCode::part_compared, Severity::note, "of {0} steps the first {1} are compared with"},
    {NoteCode::part_audited, Severity::note,
     "the log has {0} steps, all of them estimated and written; {1}, around its largest force, are audited in detail, "
     "and "
     "filters and guards restart there"},
    {NoteCode::static_residual, Severity::warning, "{0}"},
    {NoteCode::configuration_error, Severity::error, "{0}"},
    {NoteCode::limb_observes, Severity::note, "{0}"},
    {NoteCode::endpoints_left_out, Severity::note, "left out: {0}, because {1}"},
    {NoteCode::no_time_stamps, Severity::warning,
     "no time stamps: the receiver's clock is the time base, and of samples that arrive at one time one is taken"},
    {NoteCode::no_orientation, Severity::warning,
     "no orientation (imu_quat): the base is taken as upright, within residual.tilt_sd"},
    {NoteCode::no_velocities, Severity::warning, "no velocities (dq): motion cannot be excluded, residuals are static"},
    {NoteCode::channels_late, Severity::warning,
     "[channels] moves torques or velocities in time: a stream is read as it comes, so they are late here"},
    {NoteCode::low_state, Severity::note,
     "LowState: motor_state[0] … [{0}] are the profile's motors, in its order; tick is ms; ddq is not read"},
    {NoteCode::low_state_order, Severity::note, "LowState: the quaternion is read as {0}{1}"},
    {NoteCode::guess, Severity::note, "{subject}: {0}"},
    {NoteCode::mimics, Severity::note, "joint '{subject}' mimics another; it is read as an independent joint"},
    {NoteCode::inertia_not_positive, Severity::warning,
     "line {0}: link '{subject}': the inertia is not positive, no body has it; dynamics refuse it"},
    {NoteCode::inertia_of_point, Severity::warning,
     "line {0}: link '{subject}': no body has such an inertia; the link weighs less than a gram and is read as a "
     "point"},
    {NoteCode::inertia_triangle, Severity::warning,
     "line {0}: link '{subject}': the inertia breaks the triangle inequality; it is read as it stands"},
    {NoteCode::no_mass_but_moves, Severity::warning,
     "line {0}: link '{subject}' has no mass and moves (joint '{1}'): read as the file has it"},
    {NoteCode::shape_without_mass, Severity::note, "line {0}: link '{subject}' has a collision shape but no mass"},
    {NoteCode::equality_ignored, Severity::note,
     "{subject} holds a joint or couples tendons; the tree moves without it"},
    {NoteCode::loop_open, Severity::note, "the loop from {0} to {1} is open: torques of {2} are those of a tree"},
    {NoteCode::actuator, Severity::note, "actuator '{subject}' {0}"},
    {NoteCode::armature_left_out, Severity::note,
     "the free joint '{subject}' has an armature of {0}, which is left out: a floating base has no rotor"},
    {NoteCode::scene, Severity::note, "{0} {1}"},
    {NoteCode::renamed, Severity::note,
     "{|subject|: }write '{1}' for '{0}': the old spelling is accepted for one release"},
    {NoteCode::outside_limits, Severity::warning, "{subject} at {0} is {1} outside its limits of {2} to {3}{4}"},
    {NoteCode::effort_limit, Severity::warning,
     "{subject}: an effort limit of {0} for a weight of {1} N is not a usable value{2}"},
    {NoteCode::joint_not_named, Severity::note,
     "{subject} is not named and may not be at zero: it stands at {0}, the nearest that its limits allow"},
    {NoteCode::sd_limit_left_out, Severity::note,
     "the limit on the sd is left out at {subject}: {0}; kappa is over the {1} in which its joints move it"},
    {NoteCode::quantity_left_out, Severity::note, "sd is left out at {subject}: {0}{1}"},
    {NoteCode::limit_unreachable, Severity::warning,
     "{0} cannot be had at {subject}: none of {1} poses within its joints' limits passes it, the least is {2}{3}"},
    {NoteCode::sd_of_prior, Severity::note, "{0}; where its sd is the prior's, no pose passes the limit"},
    {NoteCode::more_positions, Severity::note, "and {0} more positions outside limits"},
};
static_assert(std::size(kSentences) == enum_names(NoteCode{}).size(), "a note has no sentence");
static_assert(std::ranges::all_of(kSentences, [at = 0](const Sentence& sentence) mutable {
  return static_cast<int>(sentence.code) == at++;
}));
const Sentence& sentence_of(NoteCode code) { return kSentences[static_cast<std::size_t>(code)]; }

/// Returns what stands for a placeholder of a sentence.
std::string filled(const Note& note, std::string_view placeholder) {
  const std::size_t first = placeholder.find('|'), last = placeholder.rfind('|');
  const bool framed = first != placeholder.npos;
  const std::string_view key = framed ? placeholder.substr(first + 1, last - first - 1) : placeholder;
  std::string value = key == "subject" ? note.subject : "";
  std::size_t at = 0;
  if (std::from_chars(key.data(), key.data() + key.size(), at).ec == std::errc{} && at < note.values.size()) {
    value = note.values[at].text;
  }
  if (!framed || value.empty()) return value;
  return std::string(placeholder.substr(0, first)) + value + std::string(placeholder.substr(last + 1));
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Returns a value as Python writes it.
std::string literal(std::string_view text) {
  if (text == "true") return "True";
  if (text == "false") return "False";
  double number = 0.0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && error == std::errc{} && last == text.data() + text.size();
  return is_number ? std::string(text) : quoted(text);
}

std::string on_command_line(Input input, std::string_view value) {
  std::string text = "--" + std::string(to_string(input));
  std::ranges::replace(text, '_', '-');
  return value.empty() ? text : text + " " + std::string(value);
}

std::string in_python(Input input, std::string_view value) {
  const auto* const named = std::ranges::find(kPythonNames, input, &std::pair<Input, std::string_view>::first);
  const std::string name(named != std::end(kPythonNames) ? named->second : to_string(input));
  if (value.empty()) return name;
  if (input != Input::set) return name + "=" + literal(value);
  const std::size_t equals = value.find('=');
  const std::string_view option = value.substr(0, equals);
  return name + "={" + quoted(option) + ": " + literal(value.substr(std::min(equals, value.size() - 1) + 1)) + "}";
}

std::string neutral(Input input, std::string_view value) {
  if (input == Input::set && !value.empty()) return std::string(value);
  return std::string(to_string(input)) + (value.empty() ? "" : "=" + std::string(value));
}

}  // namespace

std::string arg(Input input, std::string_view value) {
  std::string text = kBegin + std::string(to_string(input));
  if (!value.empty()) text += kValue + printable(value);
  return text + kEnd;
}

std::string spelled(std::string_view text, FrontEnd front_end) {
  if (!may_refer(text)) return std::string(text);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find(kBegin, at), text.size());
    shown += text.substr(at, begin - at);
    const std::size_t end = std::min(text.find(kEnd, begin), text.size());
    const std::string_view inside = begin < end ? text.substr(begin + 1, end - begin - 1) : "";
    const std::size_t name = std::min(inside.find(kValue), inside.size());
    const std::optional<Input> input = find_enum<Input>(inside.substr(0, name));
    at = begin + 1;
    if (input && end < text.size()) {
      const std::string_view value = inside.substr(std::min(name + 1, inside.size()));
      shown += front_end == FrontEnd::command_line ? on_command_line(*input, value)
               : front_end == FrontEnd::python     ? in_python(*input, value)
                                                   : neutral(*input, value);
      at = end + 1;
    } else if (begin < text.size()) {
      shown += kBegin;  // a control character of somebody's text, which printable() shows
    }
  }
  return shown;
}

std::vector<std::string> spelled(const std::vector<std::string>& texts, FrontEnd front_end) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) shown.push_back(spelled(text, front_end));
  return shown;
}

Note::Note(NoteCode of, std::string about, std::vector<NoteValue> parts, std::string what_to_do)
    : code(of),
      severity(sentence_of(of).severity),
      subject(std::move(about)),
      values(std::move(parts)),
      remedy(std::move(what_to_do)) {}

std::string note_text(const Note& note, FrontEnd front_end) {
  const std::string_view sentence = sentence_of(note.code).text;
  std::string filled_in;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t open = std::min(sentence.find('{', at), sentence.size());
    const std::size_t close = std::min(sentence.find('}', open), sentence.size());
    filled_in += sentence.substr(at, open - at);
    if (open < close) filled_in += filled(note, sentence.substr(open + 1, close - open - 1));
    at = std::min(close + 1, sentence.size());
  }
  if (!note.remedy.empty()) filled_in += "; " + note.remedy;
  return spelled(filled_in, front_end);
}

std::vector<std::string> note_texts(const std::vector<Note>& notes, FrontEnd front_end) {
  std::vector<std::string> sentences;
  for (const Note& note : notes) sentences.push_back(note_text(note, front_end));
  return sentences;
}

}  // namespace antaeus
