// A described robot as a profile.toml that people read and change.
#include <algorithm>
#include <cmath>
#include <system_error>

#include "antaeus/check/describe.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "robot/files/noise_file.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kLineLength = 118;

class ProfileText {
 public:
  ProfileText(const RobotFacts& facts, const std::filesystem::path& folder) : facts_(facts), folder_(folder) {}

  std::string write() {
    head();
    motors();
    groups();
    endpoints();
    imu();
    torque();
    poses();
    log_columns();
    return std::move(out_);
  }

 private:
  void line(const std::string& text = {}) { out_ += text + "\n"; }
  void key(const std::string& name, const std::string& value, const std::string& comment = {}) {
    line(name + " = " + value + (comment.empty() ? "" : "    # " + one_line(comment)));
  }
  void text(const std::string& name, const std::string& value, const std::string& comment = {}) {
    key(name, toml_text(value), comment);
  }
  static std::string one_line(std::string text) {
    text = printable(spelled(text, FrontEnd::command_line));
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  /// A comment over as many lines as it takes.
  void comment(const std::string& text) {
    const std::string all = one_line(text);
    std::string row = "#";
    std::size_t at = 0;
    while (at < all.size()) {
      const std::size_t end = std::min(all.find(' ', at), all.size());
      if (row.size() + 1 + end - at > kLineLength && row.size() > 1) {
        line(row);
        row = "#";
      }
      row += ' ';
      row.append(all, at, end - at);
      at = end + 1;
    }
    line(row);
  }
  void list(const std::string& name, const std::vector<std::string>& items) {
    std::string all = name + " = [";
    for (const std::string& item : items) all += (all.ends_with('[') ? "" : ", ") + toml_text(item);
    all += ']';
    if (all.size() <= kLineLength) return line(all);
    line(name + " = [");
    std::string row = "   ";
    for (const std::string& one : items) {
      const std::string item = " " + toml_text(one) + ",";
      if (row.size() + item.size() > kLineLength) {
        line(row);
        row = "   ";
      }
      row += item;
    }
    line(row);
    line("]");
  }
  static std::string number(double value) {
    const std::string text = shortest_text(value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  /// A joint as a key.
  static std::string bare(const std::string& name) {
    const bool plain = std::ranges::all_of(name, [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return plain && !name.empty() ? name : toml_text(name);
  }

  void head() {
    comment("Written by `antaeus robot --write`" +
            (facts_.log.empty() ? std::string(" from the description alone.")
                                : " from the description and the log " + facts_.log + ".") +
            " What no file states is marked 'guessed' or 'assumed': read those lines. docs/reference/profile.md lists "
            "every key; "
            "SI units, "
            "radians.");
    line();
    line("schema = 1");
    text("name", facts_.name);
    text("title", facts_.title);
    const std::string model = model_reference(facts_.model, folder_);
    const bool is_shipped = std::filesystem::path(model).extension().empty();
    text("model", model, is_shipped ? "a robot that comes with Antaeus" : "relative to this file");
    const bool guess = std::ranges::count(facts_.guesses, "base", &Note::subject) > 0;
    text("base", facts_.base == Base::fixed ? "fixed" : "floating", (guess ? "guessed: " : "") + facts_.base_why);
    const Vector3& g = facts_.gravity;
    key("gravity", "[" + number(g.x()) + ", " + number(g.y()) + ", " + number(g.z()) + "]",
        "assumed: m/s², world axes, z up");
    text("provenance", "described from " + facts_.model.filename().string() +
                           ": noise is assumed from effort limits, friction is not known");
  }

  void motors() {
    line();
    if (facts_.log.empty()) {
      comment("The order of a log's columns. It is the order of the model here: with a log it is the log's.");
    } else {
      comment("The order of the log's columns.");
    }
    for (const Note& guess : facts_.guesses) {
      if (guess.subject == "motors") comment("guessed: " + guess.values[0].text);
    }
    list("motors", facts_.motors);
    if (facts_.motor_labels != facts_.motors) {
      comment("What the log calls them.");
      list("motor_labels", facts_.motor_labels);
    }
    left_out(JointUse::mimic, "Left out, since they follow another joint");
    left_out(JointUse::passive, "Left out, since they turn freely");
    left_out(JointUse::unlogged, facts_.log.empty() ? "Left out, since no motor moves them; locked at zero"
                                                    : "Not in the log; locked at zero");
    std::vector<std::string> endless;
    for (const JointFacts& j : facts_.joints) {
      if (j.use == JointUse::motor && j.joint.type == JointType::continuous) endless.push_back(j.joint.name);
    }
    named("They turn without end", endless);
  }
  void left_out(JointUse use, const std::string& why) {
    std::vector<std::string> names;
    for (const JointFacts& j : facts_.joints) {
      if (j.use == use) names.push_back(j.joint.name + (use == JointUse::mimic ? " (" + j.joint.mimics + ")" : ""));
    }
    named(why, names);
  }
  void named(const std::string& what, const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    if (!names.empty()) comment(what + ": " + all + ".");
  }

  void groups() {
    for (const JointGroup& group : facts_.groups) {
      line();
      line("[[groups]]");
      text("name", group.name);
      text("title", group.title);
      list("joints", group.joints);
    }
  }

  void endpoints() {
    line();
    const bool any = std::ranges::any_of(facts_.endpoints, [](const auto& e) { return e.chosen; });
    comment(any ? "Contact frames: one per limb; others of the same limb are below it, ranked. μ of a "
                  "contact (friction) is not known."
                : "No contact frame was found: add [[endpoints]] with frame and kind.");
    for (std::size_t i = 0; i < facts_.endpoints.size(); ++i) {
      const EndpointFacts& e = facts_.endpoints[i];
      if (!e.chosen) continue;
      line();
      line("[[endpoints]]");
      text("frame", e.endpoint.frame, e.why);
      text("label", e.endpoint.label);
      text("kind", std::string(to_string(e.endpoint.kind)));
      text("group", e.endpoint.group);
      std::string others;
      for (std::size_t k = i + 1; k < facts_.endpoints.size() && facts_.endpoints[k].rank > 1; ++k) {
        others +=
            (others.empty() ? "" : "; ") + facts_.endpoints[k].endpoint.frame + " (" + facts_.endpoints[k].why + ")";
      }
      if (!others.empty()) comment("instead: " + others);
    }
  }

  void imu() {
    if (facts_.imu_frame.empty()) {
      if (facts_.base == Base::fixed) return;
      line();
      return comment(
          "No frame is named after an IMU. A floating robot needs [imu] with frame = \"…\": without it the base is "
          "taken "
          "as upright.");
    }
    line();
    if (facts_.base == Base::fixed) {
      return comment("IMU: " + facts_.imu_frame + " (" + facts_.imu_why + "); a fixed base needs none.");
    }
    line("[imu]");
    text("frame", facts_.imu_frame, facts_.imu_why);
    text("quaternion_order", "xyzw",
         "guessed: the default, as the channel's name does not show it. `antaeus check` finds it in a log");
  }

  void torque() {
    const bool feet = std::ranges::any_of(
        facts_.endpoints, [](const auto& e) { return e.chosen && e.endpoint.kind == EndpointKind::foot; });
    line();
    const bool hands = std::ranges::any_of(
        facts_.endpoints, [](const auto& e) { return e.chosen && e.endpoint.kind != EndpointKind::foot; });
    if (hands) {
      comment("[robot] rated_load, in kg, is not known: force limits then follow effort limits and reach" +
              std::string(feet ? ", those of feet the weight." : "."));
      line();
    }
    line("[torque]");
    text("source", "motor",
         "guessed: from motor currents, friction and rotors inside; \"joint\" for a sensor at the output");
    key("sign", "1", "guessed: positive along the joint's axis; `antaeus check` finds it in a log");
    text("friction", "bound", "not identified; `antaeus identify` does it, from a log without contact");
    line();
    comment(
        "Noise. These keys are optional: the same is assumed without them, and noted. Identified ones (`antaeus "
        "identify`) are better by far.");
    std::vector<const JointFacts*> motors;
    for (const std::string& motor : facts_.motors) {
      const auto at = std::ranges::find_if(facts_.joints, [&](const auto& j) { return j.joint.name == motor; });
      if (at != facts_.joints.end()) motors.push_back(&*at);
    }
    const auto same = [](const JointFacts& a, const JointFacts& b) {
      return a.torque_sd == b.torque_sd && a.sd_from == b.sd_from && a.slides() == b.slides();
    };
    while (!motors.empty()) {
      const JointFacts one = *motors.front();
      std::string all;
      for (const JointFacts* j : motors) {
        if (same(*j, one)) all += (all.empty() ? "\"" : ", \"") + j->joint.name + "\"";
      }
      std::erase_if(motors, [&](const JointFacts* j) { return same(*j, one); });
      const std::string unit = one.slides() ? " N" : " N·m";
      const std::string effort = significant_text(one.joint.effort_limit, 4) + unit;
      line("# [[joint_figures]]");
      line("# joints = [" + one_line(all) + "]");
      line("# torque_sd = " + significant_text(one.torque_sd, 3) + "    # assumed: " +
           (one.sd_from == FigureSource::effort_limit ? "1 % of the effort limit, " + effort
            : one.sd_from == FigureSource::weight
                ? "1 % of its weight at full reach, since the effort limit of " + effort + " is not a usable value"
                : "no effort limit is stated"));
      line("# static_sd = " + significant_text(one.static_sd, 3));
    }
  }

  void poses() {
    for (const NamedPose& pose : facts_.poses) {
      line();
      line("[[poses]]");
      text("name", pose.name);
      text("title", pose.title);
      comment("guessed: within all limits; whether anything is in its way is not known.");
      std::string positions;
      for (const auto& [joint, at] : pose.positions) {
        positions += (positions.empty() ? " " : ", ") + bare(joint) + " = " + number(at);
      }
      line("positions = {" + positions + " }");
    }
  }

  void log_columns() {
    if (facts_.log.empty()) return;
    line();
    comment(
        "Found in " + facts_.log +
        (std::isfinite(facts_.log_rate) ? " (" + significant_text(facts_.log_rate, 4) + " Hz)" : " (no usable clock)") +
        ":");
    for (const LogChannelFacts& c : facts_.log_channels) line("#   " + one_line(c.channel + ": " + c.source));
    for (const Note& note : facts_.log_notes) comment("• " + note_text(note));
    const bool any = std::ranges::any_of(facts_.log_channels, [](const auto& c) { return !c.pattern.empty(); });
    if (!any) {
      comment("Its channels are found by their names: no option is needed.");
      return;
    }
    if (!facts_.needs_patterns)
      comment("Its columns are found by these names anyway; uncomment the patterns to hold every log to them.");
    const std::string off = facts_.needs_patterns ? "" : "# ";
    line(off + "[options.episode]");
    for (const LogChannelFacts& c : facts_.log_channels) {
      if (!c.pattern.empty()) line(off + c.option + " = " + toml_text(c.pattern) + "    # " + one_line(c.channel));
    }
  }

  const RobotFacts& facts_;
  const std::filesystem::path& folder_;
  std::string out_;
};

}  // namespace

std::string described_profile(const RobotFacts& facts, const std::filesystem::path& folder) {
  return ProfileText(facts, folder).write();
}

void write_described_profile(const RobotFacts& facts, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  if (file.extension() != ".toml") {
    throw OptionsError(arg(Input::write), "'" + file.string() + "' does not end in .toml", "name it profile.toml");
  }
  if (facts.motors.empty()) {
    throw ModelError(facts.model.empty() ? facts.name : facts.model.string(), "nothing in it moves by a motor",
                     "a profile needs a joint that is revolute, continuous or prismatic");
  }
  if (facts.model.empty()) {
    throw ModelError(facts.name, "it has no description file", "describe it by its URDF or MJCF");
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string text = described_profile(facts, folder);
  // What is put in place loads.
  {
    const ScratchFolder scratch(fs::temp_directory_path());
    const fs::path there = scratch.path() / file.filename();
    write_file(there, described_profile(facts, scratch.path()));
    const Robot loaded = load_robot(there.string());
    if (loaded.profile.options.motors != facts.motors) {
      throw Error(file.string(), "the profile does not load as it was meant", "please report it");
    }
  }
  write_file(file, text);
}

}  // namespace antaeus
