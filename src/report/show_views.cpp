// The linked views of a log: every number is one of its arrays, read when the page is written.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "episode/logged_base.hpp"
#include "report/page_words.hpp"
#include "report/show_sections.hpp"

namespace antaeus::detail {

namespace {

using Bin = Channel::Bin;

constexpr std::size_t kFirstLogJoints = 4;  ///< that are chosen at first
constexpr int kFirstLines = 8;              ///< of another channel that are shown at first
constexpr int kMostLines = 64;              ///< of another channel
constexpr int kFirstOthers = 3;             ///< other channels that are open at first
constexpr std::size_t kMostMarks = 20;      ///< gaps in time that are marked
constexpr std::size_t kMostTexts = 1000;    ///< pieces without numbers that are told
constexpr const char* kAxes[] = {"x", "y", "z"};

class ShowViews {
 public:
  ShowViews(std::shared_ptr<const FittedLog> shown) : shown_(std::move(shown)), log_(*shown_->log) {}

  Views make(std::shared_ptr<const MeshFiles> meshes) {
    views_.runs.push_back({log_.name, log_.steps(), 0, shown_->time});
    const int peak = shown_->peak_joint();
    if (peak >= 0 && log_.steps() > 1) {
      views_.focus = shown_->column(ChannelRole::torque, peak)->peak_step();
      views_.focus_name = "Largest torque";
    }
    select();
    joint_panels();
    imu_panels();
    other_panels();
    missing_panel();
    bars();
    if (shown_->fits) scene(std::move(meshes));
    columns();
    return std::move(views_);
  }

 private:
  int joints() const { return static_cast<int>(shown_->joints.size()); }
  const std::string& joint_name(int j) const { return shown_->joints[static_cast<std::size_t>(j)]; }

  void select() {
    q_.assign(shown_->joints.size(), kNoChannel);
    tau_.assign(shown_->joints.size(), kNoChannel);
    for (int j = 0; j < joints(); ++j) {
      q_[static_cast<std::size_t>(j)] = joint_column(ChannelRole::position, j, Bin::one_row);
      tau_[static_cast<std::size_t>(j)] = joint_column(ChannelRole::torque, j);
    }
    if (joints() < 2) return;
    Selector selector{"joints", "joint", shown_->joints, {}, true};
    // Those that move most, and the one that the cursor stands for at first; in a log that stands still the first ones.
    const int peak = shown_->peak_joint();
    const auto choose = [&](int j) {
      std::vector<int>& chosen = selector.chosen;
      const bool fresh = std::find(chosen.begin(), chosen.end(), j) == chosen.end();
      if (fresh && chosen.size() < kFirstLogJoints) chosen.push_back(j);
    };
    if (peak >= 0) choose(peak);
    for (const int j : shown_->by_motion) choose(j);
    for (int j = 0; j < joints() && shown_->by_motion.empty(); ++j) {
      bool any = false;
      for (std::size_t role = 0; role < kJointRoles; ++role)
        any = any || shown_->has(static_cast<ChannelRole>(role), j);
      if (any) choose(j);
    }
    if (selector.chosen.empty()) return;  // no joint has a number
    views_.selectors.push_back(std::move(selector));
  }
  Conditions when(int j) const { return views_.selectors.empty() ? Conditions{} : Conditions{{0, j}}; }

  // --- Channels ------------------------------------------------------------------------------------------------------

  ChannelId column(int place, int c, Bin bin = Bin::extremes) {
    const SampleMatrix& values = shown_->channel(place)->values;
    return views_.add(
        [&values, c](Eigen::Index row) {
          const double value = values(row, c);
          return is_sample(value) ? value : kNaN;
        },
        bin);
  }
  /// None where the column has no finite number.
  ChannelId joint_column(ChannelRole role, int j, Bin bin = Bin::extremes) {
    return shown_->has(role, j) ? column(shown_->place(role), j, bin) : kNoChannel;
  }

  // --- Panels --------------------------------------------------------------------------------------------------------

  void add(ViewPanel panel) {
    const bool any = std::any_of(panel.lines.begin(), panel.lines.end(),
                                 [](const Line& line) { return line.channel != kNoChannel; });
    if (!any && panel.lanes.empty()) return;
    views_.panels.push_back(std::move(panel));
  }

  void joint_lines(ViewPanel& panel, ChannelRole role, const char* suffix = "", bool dashed = false) {
    for (int j = 0; j < joints(); ++j) {
      const ChannelId channel = role == ChannelRole::torque ? tau_[static_cast<std::size_t>(j)] : joint_column(role, j);
      if (channel == kNoChannel) continue;
      panel.lines.push_back({.name = joint_name(j) + suffix,
                             .channel = channel,
                             .tone = Tone::blue,
                             .follows_choice = joints() > 1,
                             .dashed = dashed,
                             .when = when(j)});
    }
  }

  std::string unit(ChannelRole role) const {
    return shown_->place(role) < 0 ? "" : shown_->unit_of_channel(shown_->place(role));
  }
  std::string unit_in_words(ChannelRole role) const {
    return shown_->place(role) < 0 ? "" : shown_->unit_in_words(shown_->place(role));
  }

  void joint_panels() {
    const bool q = shown_->place(ChannelRole::position) >= 0, target = shown_->place(ChannelRole::target) >= 0;
    ViewPanel position{.id = "position",
                       .title = q && target ? "Position (line) and target (dashes)"
                                : q         ? "Position"
                                            : "Target",
                       .unit = unit_in_words(q ? ChannelRole::position : ChannelRole::target)};
    joint_lines(position, ChannelRole::position);
    joint_lines(position, ChannelRole::target, " target", true);
    add(std::move(position));
    const auto one = [&](const char* id, const char* title, ChannelRole role, bool detail) {
      ViewPanel panel{.id = id, .title = title, .unit = unit_in_words(role), .detail = detail};
      joint_lines(panel, role);
      add(std::move(panel));
    };
    one("torque", "Torque", ChannelRole::torque, false);
    one("velocity", "Velocity", ChannelRole::velocity, false);
    one("acceleration", "Acceleration", ChannelRole::acceleration, true);
  }

  void imu_panels() {
    if (const auto orientation = logged_orientation(*shown_)) {
      ViewPanel panel{.id = "orientation", .title = "Orientation of the IMU", .unit = "deg"};
      constexpr const char* kNames[] = {"roll", "pitch", "yaw"};
      constexpr Tone kTones[] = {Tone::vermillion, Tone::green, Tone::blue};
      for (int angle = 0; angle < 3; ++angle) {
        const ChannelId channel = views_.add([orientation, angle](Eigen::Index row) {
          const Eigen::Vector4d q = orientation(row);
          const double x = q[0], y = q[1], z = q[2], w = q[3];
          if (angle == 0) return kDegrees * std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
          if (angle == 1) return kDegrees * std::asin(std::clamp(2 * (w * y - z * x), -1.0, 1.0));
          return kDegrees * std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
        });
        panel.lines.push_back({.name = kNames[angle], .channel = channel, .tone = kTones[angle]});
      }
      add(std::move(panel));
    }
    const auto axes = [&](const char* id, const char* title, int place) {
      if (place < 0) return;
      ViewPanel panel{.id = id, .title = title, .unit = shown_->unit_of_channel(place), .detail = true};
      constexpr Tone kTones[] = {Tone::vermillion, Tone::green, Tone::blue};
      for (int c = 0; c < 3; ++c) {
        if (facts(place).columns[static_cast<std::size_t>(c)].finite == 0) continue;
        panel.lines.push_back({.name = kAxes[c], .channel = column(place, c), .tone = kTones[c]});
      }
      add(std::move(panel));
    };
    axes("gyro", "Gyro", shown_->gyro);
    axes("accelerometer", "Accelerometer", shown_->accelerometer);
  }
  const ChannelFacts& facts(int place) const { return shown_->facts.channels[static_cast<std::size_t>(place)]; }

  void other_panels() {
    int made = 0;
    for (const int place : shown_->others) {
      const RawChannel& channel = *shown_->channel(place);
      ViewPanel panel{
          .id = "channel-" + std::to_string(place), .title = channel.name, .unit = shown_->unit_of_channel(place)};
      int lines = 0;
      for (int c = 0; c < static_cast<int>(channel.columns.size()) && lines < kMostLines; ++c) {
        if (facts(place).columns[static_cast<std::size_t>(c)].finite == 0) continue;
        const std::string& label = channel.columns[static_cast<std::size_t>(c)];
        panel.lines.push_back({.name = label.empty() ? channel.name : label,
                               .channel = column(place, c),
                               .tone = series_style(static_cast<std::size_t>(lines)).tone,
                               .shown = lines < kFirstLines});
        ++lines;
      }
      if (lines < static_cast<int>(channel.columns.size()) && lines == kMostLines) {
        panel.title += ", the first " + std::to_string(kMostLines) + " of " + std::to_string(channel.columns.size());
      }
      if (lines == 0) continue;
      panel.detail = made++ >= kFirstOthers;
      add(std::move(panel));
    }
  }

  /// Rows with NaN or with numbers too large, and gaps in time. Only where there are any.
  void missing_panel() {
    const LogFacts& facts = shown_->facts;
    if (facts.broken.empty() && facts.too_large.empty() && facts.gaps.empty()) return;
    ViewPanel panel{.id = "missing", .title = "What is missing"};
    const auto lane = [&](const char* name, Tone tone, auto&& mark) {
      auto codes = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(log_.steps()), 0);
      mark(*codes);
      const ChannelId channel =
          views_.add([codes](Eigen::Index row) { return static_cast<double>((*codes)[static_cast<std::size_t>(row)]); },
                     Bin::largest);
      panel.lanes.push_back({name, channel, {"no", "here"}, {false, true}, tone});
      return static_cast<int>(panel.lanes.size()) - 1;
    };
    const auto text = [&](Eigen::Index from, Eigen::Index to, int at, std::string words, std::string sentence) {
      if (panel.texts.size() < kMostTexts) panel.texts.push_back({from, to, at, std::move(words), std::move(sentence)});
    };
    const auto pieces_lane = [&](const char* name, Tone tone, const std::string& what,
                                 const std::vector<BrokenRows>& pieces) {
      if (pieces.empty()) return;
      const int at = lane(name, tone, [&](std::vector<std::uint8_t>& codes) {
        for (const BrokenRows& rows : pieces) {
          for (Eigen::Index row = rows.from; row <= rows.to; ++row) codes[static_cast<std::size_t>(row)] = 1;
        }
      });
      for (const BrokenRows& rows : pieces) {
        std::vector<std::string> names;
        for (const int place : rows.channels) names.push_back(shown_->channel(place)->name);
        const std::string which = listed(names);
        const std::string where = rows.from == rows.to
                                      ? "step " + std::to_string(rows.from)
                                      : "steps " + std::to_string(rows.from) + " to " + std::to_string(rows.to);
        text(rows.from, rows.to, at, which, what + " in " + which + ", " + where + ".");
      }
    };
    pieces_lane("NaN", Tone::vermillion, "NaN or infinity", facts.broken);
    pieces_lane("too large", Tone::purple, "Numbers too large to draw", facts.too_large);
    if (!facts.gaps.empty()) {
      const int at = lane("time gap", Tone::orange, [&](std::vector<std::uint8_t>& codes) {
        for (const TimeGap& gap : facts.gaps) codes[static_cast<std::size_t>(gap.step)] = 1;
      });
      for (const TimeGap& gap : facts.gaps) {
        const std::string size = display_number(gap.duration, display_digits(gap.duration)) + " s";
        text(gap.step, gap.step, at, size, "No row for " + size + " before step " + std::to_string(gap.step) + ".");
        if (panel.marks.size() < kMostMarks) panel.marks.push_back({gap.step, "gap of " + size});
      }
      if (!views_.panels.empty()) views_.panels.front().marks = panel.marks;
      panel.marks.clear();
    }
    // It stands with what is open at first.
    const auto detail =
        std::find_if(views_.panels.begin(), views_.panels.end(), [](const ViewPanel& p) { return p.detail; });
    views_.panels.insert(detail, std::move(panel));
  }

  // --- Numbers at the cursor -----------------------------------------------------------------------------------------

  void bars() {
    const bool torque = std::any_of(tau_.begin(), tau_.end(), [](ChannelId c) { return c != kNoChannel; });
    const bool position = std::any_of(q_.begin(), q_.end(), [](ChannelId c) { return c != kNoChannel; });
    if (!torque && !position) return;
    BarList list{.title = torque ? "Torque of each joint" : "Position of each joint",
                 .value_head = torque ? "torque" : "position",
                 .aside_head = torque && position ? "position" : "",
                 .unit = unit(torque ? ChannelRole::torque : ChannelRole::position),
                 .aside_unit = torque && position ? unit(ChannelRole::position) : "",
                 .selector = views_.selectors.empty() ? -1 : 0};
    // One unit stands behind every number: where joints differ, each says its own.
    const bool mixed = list.unit.find(" or ") != std::string::npos || list.aside_unit.find(" or ") != std::string::npos;
    if (mixed) list.unit = list.aside_unit = "";
    for (int j = 0; j < joints(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const ChannelId value = torque ? tau_[at] : q_[at], aside = torque ? q_[at] : kNoChannel;
      if (value == kNoChannel && aside == kNoChannel) continue;
      std::string title = motor_name(j);
      if (mixed) {
        title += (title.empty() ? "" : ", ") + shown_->unit(ChannelRole::torque, j) + ", " +
                 shown_->unit(ChannelRole::position, j);
      }
      list.rows.push_back({joint_name(j), std::move(title), value, aside, views_.selectors.empty() ? -1 : j});
    }
    views_.bars.push_back(std::move(list));
  }
  /// The robot's name of a joint; empty without one.
  std::string motor_name(int j) const {
    const int motor = shown_->fits ? shown_->motors[static_cast<std::size_t>(j)] : -1;
    return motor < 0 ? "" : shown_->robot->model.motor_names()[static_cast<std::size_t>(motor)];
  }

  void columns() {
    for (int j = 0; j < joints(); ++j) {
      for (const ChannelRole role :
           {ChannelRole::position, ChannelRole::target, ChannelRole::torque, ChannelRole::velocity}) {
        if (!shown_->has(role, j)) continue;
        const ChannelId channel = role == ChannelRole::torque     ? tau_[static_cast<std::size_t>(j)]
                                  : role == ChannelRole::position ? q_[static_cast<std::size_t>(j)]
                                                                  : joint_column(role, j);
        views_.columns.push_back({.label = joint_name(j) + " " + std::string(to_string(role)),
                                  .unit = shown_->unit(role, j),
                                  .channel = channel,
                                  .digits = 3,
                                  .when = when(j)});
      }
    }
    // Without joints the other channels are what there is.
    if (joints() > 0) return;
    for (const int place : shown_->others) {
      for (int c = 0; c < shown_->channel(place)->values.cols() && std::ssize(views_.columns) < 2 * kFirstLines; ++c) {
        const ColumnFacts& of = facts(place).columns[static_cast<std::size_t>(c)];
        if (of.finite == 0) continue;
        const double size = std::max(std::abs(of.least), std::abs(of.largest));
        views_.columns.push_back({.label = shown_->column_name(place, c),
                                  .unit = shown_->unit_of_channel(place),
                                  .channel = column(place, c),
                                  .digits = display_digits(size)});
      }
    }
  }

  // --- Robot ---------------------------------------------------------------------------------------------------------

  void scene(std::shared_ptr<const MeshFiles> meshes) {
    const bool posed = std::any_of(q_.begin(), q_.end(), [](ChannelId c) { return c != kNoChannel; });
    if (!posed) return;  // the page says that there are no positions
    const RobotDescription& description = shown_->robot->model.description();
    SceneRobot robot{.description = description, .meshes = std::move(meshes)};
    bool tinted = false;
    std::vector<std::string> driven;
    for (int j = 0; j < joints(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (shown_->motors[at] < 0) continue;
      SceneRobot::Joint joint{motor_name(j), q_[at], {}};
      if (tau_[at] != kNoChannel) {
        joint.tints.push_back({tau_[at], {}});
        tinted = true;
      }
      if (q_[at] != kNoChannel) driven.push_back(joint.name);
      robot.joints.push_back(std::move(joint));
    }
    std::string note = tinted ? "Colour: torque." : "";
    const auto say = [&](const std::string& sentence) { note += (note.empty() ? "" : " ") + sentence; };
    std::vector<std::string> standing;
    for (const JointDescription& joint : description.joints) {
      if (joint.type != JointType::fixed && std::find(driven.begin(), driven.end(), joint.name) == driven.end()) {
        standing.push_back(joint.name);
      }
    }
    if (!standing.empty()) {
      const bool many = standing.size() > 3;
      say(many ? std::to_string(standing.size()) + " joints of which the log has no position stand at zero."
               : "Of " + listed(standing) + " the log has no position: at zero.");
    }
    if (shown_->robot->model.base() != Base::fixed) say(orient(robot));
    views_.scenes.push_back({.title = shown_->robot_title, .note = std::move(note), .robots = {std::move(robot)}});
  }

  /// Turns the base as the log says. \return what the page says of it
  std::string orient(SceneRobot& robot) {
    const LoggedBase base = logged_base(*shown_);
    for (std::size_t c = 0; c < 4 && base.orientation; ++c) {
      robot.base[3 + c] = views_.add(
          [of = base.orientation, c](Eigen::Index row) { return of(row)[static_cast<Eigen::Index>(c)]; }, Bin::one_row);
    }
    for (int c = 0; c < 3 && base.position >= 0; ++c) {
      robot.base[static_cast<std::size_t>(c)] = column(base.position, c, Bin::one_row);
    }
    return base.told;
  }

  std::shared_ptr<const FittedLog> shown_;
  const RawLog& log_;
  Views views_;
  std::vector<ChannelId> q_, tau_;
};

}  // namespace

Views show_views(const std::shared_ptr<const FittedLog>& shown, std::shared_ptr<const MeshFiles> meshes) {
  return ShowViews(shown).make(std::move(meshes));
}

}  // namespace antaeus::detail
