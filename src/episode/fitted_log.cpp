#include "fitted_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace antaeus::detail {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

namespace {

/// Letters and digits alone, in small letters, without what only says that it is a joint.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
  }
  for (const std::string_view word : {"joint", "motor"}) {
    if (text.size() > word.size() && text.ends_with(word)) text.erase(text.size() - word.size());
  }
  return text;
}

/// What all names begin with, up to their last separator: "panda_" of panda_joint1, panda_joint2.
std::string common_beginning(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  std::string common = names.front();
  for (const std::string& name : names) {
    std::size_t same = 0;
    while (same < std::min(common.size(), name.size()) && common[same] == name[same]) ++same;
    common.resize(same);
  }
  const std::size_t end = common.find_last_of("_/.:- ");
  return end == common.npos ? std::string() : common.substr(0, end + 1);
}

/// Whether a beginning tells one limb from another, so that it may not be left away.
bool names_a_side(const std::string& beginning) {
  constexpr std::array<std::string_view, 22> kSides = {
      "l",  "r",  "left", "right", "front", "rear", "hind", "fore", "upper", "lower", "fl",
      "fr", "rl", "rr",   "lf",    "rf",    "lh",   "rh",   "hl",   "hr",    "arm",   "leg"};
  std::string word;
  for (const char c : beginning + "_") {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      continue;
    }
    if (std::ranges::find(kSides, word) != kSides.end()) return true;
    word.clear();
  }
  return false;
}

/// Whether the labels differ in one letter or number alone, and count down: axisF … axisA, j6 … j1.
bool run_backwards(const std::vector<std::string>& labels) {
  std::string common;
  long last = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string& label = labels[i];
    std::size_t end = label.find_last_not_of("0123456789") + 1;
    if (label.empty() || label.size() - end > 6) return false;
    if (end == label.size()) --end;
    const std::string tail = label.substr(end);
    const long now = is_number(tail) ? std::stol(tail) : tail[0];
    if (i > 0 && (label.substr(0, end) != common || now >= last)) return false;
    common = label.substr(0, end);
    last = now;
  }
  return labels.size() > 1;
}

/// Of Universal Robots' pendant, and of its ROS description.
struct AlsoCalled {
  std::string_view label, joint;
};
constexpr std::array kAlsoCalled = {AlsoCalled{"base", "shoulderpan"}, AlsoCalled{"shoulder", "shoulderlift"}};

constexpr double kLongAgo = 1e6;  ///< [s]

constexpr const char* kUnits[] = {"N·m", "rad", "rad", "rad/s", "rad/s²"};
constexpr const char* kSlidingUnits[] = {"N", "m", "m", "m/s", "m/s²"};

}  // namespace

std::string role_in_words(ChannelRole role) {
  constexpr const char* kWords[] = {"torques",         "positions", "targets",       "velocities", "accelerations",
                                    "IMU orientation", "gyro",      "accelerometer", "other"};
  return kWords[static_cast<std::size_t>(role)];
}

FittedLog::FittedLog(const RawLog& read, const Robot* given) : log(&read), robot(given), facts(log_facts(read)) {
  if (robot) {
    robot_name = robot->profile.name;
    robot_title = robot->profile.title.empty() ? robot->profile.name : robot->profile.title;
  }
  time = log->time;
  if (log->has_time() && std::abs(time[0]) > kLongAgo) {
    origin = time[0];
    time.array() -= origin;
  }
  find_joints();
  fit_robot();
  order_joints();
}

void FittedLog::find_joints() {
  // Channels of joints belong together where they have as many columns: as the robot's motors, else as the first of
  // them.
  Eigen::Index wanted = -1;
  const auto is_joints = [](const RawChannel& c) { return static_cast<std::size_t>(c.role) < kJointRoles; };
  for (const RawChannel& c : log->channels) {
    if (is_joints(c) && robot && c.values.cols() == robot->model.motor_count()) wanted = c.values.cols();
  }
  for (std::size_t i = 0; i < log->channels.size(); ++i) {
    const RawChannel& c = log->channels[i];
    const int place = static_cast<int>(i);
    int* where = nullptr;
    if (is_joints(c)) {
      if (wanted < 0) wanted = c.values.cols();
      if (c.values.cols() == wanted) where = &joint_channels[static_cast<std::size_t>(c.role)];
    } else if (c.role == ChannelRole::orientation) {
      where = &orientation;
    } else if (c.role == ChannelRole::gyro) {
      where = &gyro;
    } else if (c.role == ChannelRole::accelerometer) {
      where = &accelerometer;
    }
    if (where && *where < 0) {
      *where = place;
    } else {
      others.push_back(place);
    }
  }
  // The labels of a channel that has names go before those that have numbers.
  const RawChannel* named = nullptr;
  for (const int place : joint_channels) {
    const RawChannel* c = channel(place);
    if (!c) continue;
    const bool names = !std::any_of(c->columns.begin(), c->columns.end(), is_number);
    if (!named || (names && std::any_of(named->columns.begin(), named->columns.end(), is_number))) named = c;
  }
  if (!named) return;
  for (const std::string& label : named->columns) {
    labels.push_back(label);
    joints.push_back(is_number(label) ? "joint " + label : label.empty() ? "joint" : label);
  }
  motors.assign(joints.size(), -1);
}

void FittedLog::fit_robot() {
  if (!robot) return;
  const std::vector<std::string>& names = robot->model.motor_names();
  const std::vector<std::string>& short_names = robot->profile.motor_labels;
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " motor" : " motors"); };
  if (joints.empty()) {
    misfit = "the log has no channel of joints: drawn without the robot";
    return;
  }
  const auto match = [&](const auto& same) {
    std::size_t known = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      for (std::size_t m = 0; m < names.size() && motors[j] < 0; ++m) {
        const bool taken = std::find(motors.begin(), motors.end(), static_cast<int>(m)) != motors.end();
        if (taken || (!same(labels[j], names[m]) && (m >= short_names.size() || !same(labels[j], short_names[m])))) {
          continue;
        }
        motors[j] = static_cast<int>(m);
      }
      known += motors[j] >= 0;
    }
    return known;
  };
  const auto alike = [](const std::string& a, const std::string& b) { return !is_number(a) && plain(a) == plain(b); };
  std::size_t known = match(std::equal_to<std::string>());
  if (known < joints.size()) known = match(alike);
  if (known == 0) known = match_without_prefixes(match);
  if (known > 0 && known < joints.size() && known < names.size()) known = match_other_names(match);
  if (known == 0 && joints.size() == names.size() && !log->by_name) {
    for (std::size_t j = 0; j < joints.size(); ++j) motors[j] = static_cast<int>(j);
    known = joints.size();
    tell_order();
  }
  if (known == 0) {
    misfit = "the log has " + count(joints.size()) + ", the " + robot_name + " has " + std::to_string(names.size()) +
             ": drawn without the robot";
    return;
  }
  fits = true;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (motors[j] >= 0 && static_cast<std::size_t>(motors[j]) < short_names.size()) {
      joints[j] = short_names[static_cast<std::size_t>(motors[j])];
    }
  }
}

/// fer_joint1 … and panda_joint1 …: names that agree after what all of either begin with. A side is no such beginning.
std::size_t FittedLog::match_without_prefixes(const std::function<std::size_t(const Same&)>& match) {
  const std::vector<std::string>& names = robot->model.motor_names();
  const std::string of_log = common_beginning(labels), of_robot = common_beginning(names);
  if (of_log == of_robot || names_a_side(of_log) || names_a_side(of_robot)) return 0;
  const std::size_t known = match([&](const std::string& label, const std::string& name) {
    if (label.empty() || !name.starts_with(of_robot)) return false;  // a short label of the profile
    const std::string rest = plain(label.substr(of_log.size()));
    return !is_number(rest) && rest == plain(name.substr(of_robot.size()));  // numbers begin at 0 or at 1
  });
  if (known == 0) return 0;
  const auto first = std::ranges::find_if(motors, [](int motor) { return motor >= 0; });
  const auto j = static_cast<std::size_t>(first - motors.begin());
  guesses.push_back("columns are joints of the " + robot_name + " by what stands after '" +
                    (of_log.empty() ? of_robot : of_log) + "': " + labels[j] + " → " +
                    names[static_cast<std::size_t>(motors[j])] + " and so on, " + std::to_string(known) + " of " +
                    std::to_string(joints.size()));
  return known;
}

/// Joints by what else their maker calls them.
std::size_t FittedLog::match_other_names(const std::function<std::size_t(const Same&)>& match) {
  std::string pairs;
  const std::size_t known = match([&](const std::string& label, const std::string& name) {
    const auto* const other = std::ranges::find(kAlsoCalled, std::string_view(plain(label)), &AlsoCalled::label);
    if (other == kAlsoCalled.end() || plain(name) != other->joint) return false;
    pairs += (pairs.empty() ? "" : ", ") + label + " → " + name;
    return true;
  });
  if (!pairs.empty()) guesses.push_back("joints by the names that their maker uses, too: " + pairs);
  return known;
}

void FittedLog::tell_order() {
  if (std::all_of(labels.begin(), labels.end(), [](const std::string& l) { return l.empty() || is_number(l); })) return;
  constexpr std::size_t kMostNamed = 12;
  const std::vector<std::string>& names = robot->model.motor_names();
  std::string pairs;
  for (std::size_t j = 0; j < std::min(kMostNamed, labels.size()); ++j) {
    pairs += (j ? ", " : "") + labels[j] + " → " + names[j];
  }
  if (labels.size() > kMostNamed) pairs += ", …";
  by_order = true;
  guesses.push_back("no column is named after a joint of the " + robot_name + ", so they are taken by order: " + pairs);
  if (!run_backwards(labels)) return;
  std::string order;
  for (std::size_t j = labels.size(); j-- > 0;) order += std::to_string(j) + (j ? ", " : "");
  guesses.push_back("the names run backwards, " + labels.front() + " to " + labels.back() +
                    ": the columns may be in reverse order; if so, write position_order = [" + order +
                    "] and the same torque_order into [channels] of a profile");
}

bool FittedLog::slides(int joint) const {
  if (!fits || motors[static_cast<std::size_t>(joint)] < 0) return false;
  const std::string& name =
      robot->model.motor_names()[static_cast<std::size_t>(motors[static_cast<std::size_t>(joint)])];
  for (const JointDescription& j : robot->model.description().joints) {
    if (j.name == name) return j.type == JointType::prismatic;
  }
  return false;
}

std::string FittedLog::unit(ChannelRole role, int joint) const {
  return (slides(joint) ? kSlidingUnits : kUnits)[static_cast<std::size_t>(role)];
}

std::string FittedLog::unit_of_channel(int place) const {
  const RawChannel& c = *channel(place);
  const auto role = static_cast<std::size_t>(c.role);
  if (role < kJointRoles) {
    int sliding = 0;
    if (joint_channels[role] == place) {
      for (int j = 0; j < static_cast<int>(joints.size()); ++j) sliding += slides(j);
    }
    if (sliding == 0) return kUnits[role];
    if (sliding == static_cast<int>(joints.size())) return kSlidingUnits[role];
    return std::string(kUnits[role]) + " or " + kSlidingUnits[role];
  }
  switch (c.role) {
    case ChannelRole::orientation: return "1";
    case ChannelRole::gyro: return "rad/s";
    case ChannelRole::accelerometer: return "m/s²";
    default: break;
  }
  // "force [N]" says its unit itself.
  const std::size_t open = c.name.rfind('[');
  return open != std::string::npos && c.name.ends_with(']') ? c.name.substr(open + 1, c.name.size() - open - 2) : "";
}

std::string FittedLog::unit_in_words(int place) const {
  const auto role = static_cast<std::size_t>(channel(place)->role);
  if (fits || role >= kJointRoles) return unit_of_channel(place);
  return std::string(kUnits[role]) + " (or " + kSlidingUnits[role] + " where a joint slides)";
}

bool FittedLog::has_fixed_base() const { return robot && robot->model.base() == Base::fixed; }
bool FittedLog::has_idle_imu() const {
  return has_fixed_base() && (orientation >= 0 || gyro >= 0 || accelerometer >= 0);
}

std::string FittedLog::column_name(int place, int column) const {
  const RawChannel& c = *channel(place);
  const auto role = static_cast<std::size_t>(c.role);
  if (role < kJointRoles && joint_channels[role] == place) return joints[static_cast<std::size_t>(column)];
  const std::string& label = c.columns[static_cast<std::size_t>(column)];
  return label.empty() ? c.name : c.name + " " + label;
}

bool FittedLog::is_of_joints(int place) const {
  return std::find(joint_channels.begin(), joint_channels.end(), place) != joint_channels.end();
}

std::string FittedLog::part_name(int place, int column) const {
  const std::string name = column_name(place, column);
  return is_of_joints(place) ? channel(place)->name + " of " + name : name;
}

NamedParts FittedLog::frozen() const {
  NamedParts parts;
  for (int i = 0; i < static_cast<int>(log->channels.size()) && log->steps() > 1; ++i) {
    const ChannelFacts& here = facts.channels[static_cast<std::size_t>(i)];
    const RawChannel& c = *channel(i);
    if (here.frozen) parts.channels.push_back(c.name);
    if (here.frozen || c.role == ChannelRole::target || c.role == ChannelRole::orientation) continue;
    if (c.role == ChannelRole::other) continue;
    for (std::size_t k = 0; k < here.columns.size(); ++k) {
      const ColumnFacts& column = here.columns[k];
      if (column.finite > 1 && column.least == column.largest)
        parts.columns.push_back(part_name(i, static_cast<int>(k)));
    }
  }
  return parts;
}

NamedParts FittedLog::without_numbers() const {
  NamedParts parts;
  for (int i = 0; i < static_cast<int>(log->channels.size()); ++i) {
    const ChannelFacts& here = facts.channels[static_cast<std::size_t>(i)];
    if (here.empty) parts.channels.push_back(channel(i)->name);
    for (std::size_t k = 0; k < here.columns.size() && !here.empty; ++k) {
      if (here.columns[k].finite == 0) parts.columns.push_back(part_name(i, static_cast<int>(k)));
    }
  }
  return parts;
}

std::vector<std::string> FittedLog::absent() const {
  std::vector<std::string> words;
  if (!log->has_time() && !log->bad_clock) words.emplace_back("time stamps");
  for (const ChannelRole role :
       {ChannelRole::torque, ChannelRole::position, ChannelRole::target, ChannelRole::velocity}) {
    if (place(role) < 0) words.push_back(role_in_words(role));
  }
  if (orientation < 0 && !has_fixed_base()) words.emplace_back("the IMU’s orientation");
  return words;
}

int FittedLog::peak_joint() const {
  int peak = -1;
  double most = -1.0;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (!has(ChannelRole::torque, j)) continue;
    const double size = std::abs(column(ChannelRole::torque, j)->peak());
    if (size > most) {
      most = size;
      peak = j;
    }
  }
  return peak;
}

void FittedLog::order_joints() {
  std::vector<double> moved(joints.size(), 0.0);
  for (const ChannelRole role : {ChannelRole::position, ChannelRole::velocity, ChannelRole::torque}) {
    if (place(role) < 0) continue;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const ColumnFacts& c = *column(role, static_cast<int>(j));
      moved[j] = c.finite > 0 ? c.largest - c.least : 0.0;
    }
    if (std::any_of(moved.begin(), moved.end(), [](double d) { return d > 0.0; })) break;
  }
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (moved[static_cast<std::size_t>(j)] > 0.0) by_motion.push_back(j);
  }
  std::stable_sort(by_motion.begin(), by_motion.end(), [&](int a, int b) {
    return moved[static_cast<std::size_t>(a)] > moved[static_cast<std::size_t>(b)];
  });
}

}  // namespace antaeus::detail
