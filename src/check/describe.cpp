// What a profile of a robot needs to say: out of its description, and out of a log of it.
#include "antaeus/check/describe.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/estimation/body_plan.hpp"
#include "episode/fitted_log.hpp"

namespace antaeus {

namespace {

using detail::BodyPlan;
using detail::FittedLog;
using detail::is_number;

constexpr std::size_t kMostNamed = 6;

/// "a, b and 12 more"
std::string listed_briefly(std::vector<std::string> names) {
  const std::size_t all = names.size();
  if (all > kMostNamed + 1) {
    names.resize(kMostNamed);
    names.push_back(std::to_string(all - kMostNamed) + " more");
  }
  return listed(names);
}
std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}
bool moves(const JointFacts& j) { return j.use != JointUse::fixed && j.use != JointUse::free; }
bool has_effort(const JointDescription& j) { return j.effort_limit > 0.0 && std::isfinite(j.effort_limit); }

// --- The description -----------------------------------------------------------------------------------------------

void read_joints(const RobotDescription& d, const BodyPlan& plan, RobotFacts& facts) {
  std::map<std::string, std::string> groups;
  for (const JointGroup& group : plan.groups) {
    for (const std::string& joint : group.joints) groups[joint] = group.name;
  }
  std::map<std::string, std::vector<std::size_t>> children;
  for (std::size_t j = 0; j < d.joints.size(); ++j) children[d.joints[j].parent].push_back(j);
  std::vector<std::size_t> open(children[d.root].rbegin(), children[d.root].rend());
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    JointFacts one;
    one.joint = d.joints[at];
    one.use = plan.uses[at];
    one.group = groups.contains(one.joint.name) ? groups[one.joint.name] : "";
    const LinkDescription* link = d.find_link(one.joint.child);
    if (link && link->has_inertial) one.mass = link->inertial.mass;
    if (one.use == JointUse::mimic) one.why = "follows " + one.joint.mimics + ": no motor of its own";
    if (one.use == JointUse::passive) one.why = "named a caster: taken as turning freely";
    if (one.use == JointUse::free) one.why = "several degrees of freedom: no motor";
    if (one.use == JointUse::motor && !has_effort(one.joint)) one.why = "no effort limit";
    const std::vector<std::size_t>& next = children[one.joint.child];
    open.insert(open.end(), next.rbegin(), next.rend());
    facts.joints.push_back(std::move(one));
  }
}

void find_imu(const RobotDescription& d, const BodyPlan& plan, RobotFacts& facts) {
  struct Place {
    std::string name;
    int depth;
  };
  std::vector<Place> found;
  for (const detail::Body& body : plan.bodies) {
    for (const int l : body.links) {
      const std::string& name = d.links[static_cast<std::size_t>(l)].name;
      const std::vector<std::string> words = detail::words_of(name);
      const bool is_imu = std::ranges::any_of(words, [](const std::string& word) {
        return word.find("imu") != std::string::npos
                   ? word.size() <= 5 || word.starts_with("imu") || word.ends_with("imu")
                   : word == "ins" || word == "gyro" || word == "gyroscope";
      });
      if (is_imu) found.push_back({name, body.depth});
    }
  }
  if (found.empty()) return;
  std::ranges::stable_sort(found, [](const Place& a, const Place& b) { return a.depth < b.depth; });
  facts.imu_frame = found[0].name;
  facts.imu_why = found[0].depth == 0 ? "named so, on the root's body"
                                      : "named so, behind " + counted(static_cast<std::size_t>(found[0].depth),
                                                                      "joint that moves", "joints that move");
  if (found.size() < 2) return;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < found.size(); ++i) others.push_back(found[i].name);
  const std::string text = counted(found.size(), "frame is", "frames are") +
                           " named after an IMU: the one nearest to "
                           "the root is taken; the others are " +
                           listed_briefly(others);
  facts.imu_why += "; " + text;
  if (facts.base == Base::free_flyer)
    facts.guesses.push_back({NoteCode::guess, "IMU frame " + facts.imu_frame, {text}});
}

void find_missing(const RobotDescription& d, RobotFacts& facts) {
  std::vector<std::string> massless, unlimited, weak, slow, mimic, lost, unshaped, passive;
  std::size_t meshes = 0, moving = 0, shapes = 0;
  std::error_code ignored;
  for (const LinkDescription& link : d.links) {
    bool absent = false;
    for (const std::vector<Shape>* list : {&link.visuals, &link.collisions}) {
      for (const Shape& shape : *list) {
        if (shape.kind != ShapeKind::mesh) continue;
        ++meshes;
        absent = absent || !std::filesystem::exists(shape.mesh, ignored);
      }
    }
    shapes += link.visuals.size() + link.collisions.size();
    if (absent) lost.push_back(link.name);
  }
  for (const JointFacts& j : facts.joints) {
    if (!moves(j)) continue;
    ++moving;
    const LinkDescription* link = d.find_link(j.joint.child);
    if (link && (!link->has_inertial || !(link->inertial.mass > 0.0))) massless.push_back(link->name);
    if (link && link->collisions.empty()) unshaped.push_back(link->name);
    if (j.use == JointUse::mimic) mimic.push_back(j.joint.name);
    if (j.use == JointUse::passive) passive.push_back(j.joint.name);
    if (j.use != JointUse::motor) continue;
    const bool bounded = std::isfinite(j.joint.lower) && std::isfinite(j.joint.upper);
    if (!bounded && j.joint.type != JointType::continuous) unlimited.push_back(j.joint.name);
    if (!has_effort(j.joint)) weak.push_back(j.joint.name);
    if (!std::isfinite(j.joint.velocity_limit) || !(j.joint.velocity_limit > 0.0)) slow.push_back(j.joint.name);
  }
  if (facts.motors.empty()) facts.missing.emplace_back("nothing in it moves by a motor, so there is no torque to read");
  const auto say = [&](const std::vector<std::string>& names, const std::string& text) {
    if (!names.empty()) facts.missing.push_back(text + ": " + listed_briefly(names));
  };
  say(massless, "no mass of its own on " + counted(massless.size(), "link that moves", "links that move"));
  say(unlimited, "no position limits on " + counted(unlimited.size(), "joint", "joints"));
  say(weak, "no effort limit on " + counted(weak.size(), "joint", "joints") +
                ", so the noise of its torque is assumed as 1 N·m (N where it slides)");
  if (slow.size() < moving) say(slow, "no velocity limit on " + counted(slow.size(), "joint", "joints"));
  if (!slow.empty() && slow.size() == moving) facts.missing.emplace_back("no velocity limit on any joint");
  say(mimic, counted(mimic.size(), "mimic joint", "mimic joints") +
                 " without a motor of its own; dynamics read it as independent");
  say(passive, counted(passive.size(), "caster joint", "caster joints") + " without a motor");
  say(lost, "mesh files of " + counted(lost.size(), "link", "links") + " are not here, drawn as sticks");
  if (shapes == 0) facts.missing.emplace_back("no shapes: it is drawn as sticks");
  if (shapes > 0 && unshaped.size() == moving) facts.missing.emplace_back("no collision shapes on any link that moves");
  if (shapes > 0 && unshaped.size() < moving)
    say(unshaped, "no collision shapes on " + counted(unshaped.size(), "link that moves", "links that move"));
  if (facts.imu_frame.empty() && facts.base == Base::free_flyer) {
    facts.missing.emplace_back("no frame is named after an IMU: the base's orientation is taken as upright");
  }
  if (facts.endpoints.empty() && !facts.motors.empty()) {
    facts.missing.emplace_back("no contact frame was found: name one with " + arg(Input::endpoint));
  }
  for (const Note& note : d.notes) {
    if (note.code != NoteCode::mimics) facts.missing.push_back(note_text(note));  // those have their own line
  }
}

// --- A log of it ---------------------------------------------------------------------------------------------------

/// The robot with these motors alone; the others are locked.
Robot with_motors(const Robot& robot, const std::vector<std::string>& motors, const std::vector<std::string>& labels) {
  RobotProfile bare;
  bare.name = robot.profile.name;
  bare.title = robot.profile.title;
  bare.options = robot.model.options();
  bare.options.motors = motors;
  bare.motor_labels = labels;
  bare.figures.assign(motors.size(), JointFigures{});
  return make_robot(std::move(bare), robot.model.description());
}

struct Matched {
  std::vector<std::string> motors, labels, left_out;
  bool by_order = false;
};

/// Which of a log's columns are which motors.
Matched match(const FittedLog& fitted, const Robot& robot) {
  Matched result;
  const std::vector<std::string>& names = robot.model.motor_names();
  result.by_order = fitted.motors.size() == names.size();
  for (std::size_t j = 0; j < fitted.motors.size(); ++j) {
    const std::string& label = fitted.labels[j];
    const bool numbered = label.empty() || is_number(label);
    if (fitted.motors[j] < 0) {
      result.left_out.push_back(label);
      result.by_order = false;
      continue;
    }
    const std::string& motor = names[static_cast<std::size_t>(fitted.motors[j])];
    result.motors.push_back(motor);
    result.labels.push_back(numbered ? motor : label);
    if (!numbered && label == motor) result.by_order = false;
  }
  const bool unnamed = std::ranges::all_of(fitted.labels, [](const auto& l) { return l.empty() || is_number(l); });
  result.by_order = result.by_order && (unnamed || fitted.by_order);
  return result;
}

/// "shoulder_pan.effort" as "{label}.effort": what is around the labels in the first and the last column of a channel.
/// "tau_0" to "tau_6" as "tau_{motor}".
std::string pattern_around(const RawChannel& channel, bool labels_are_joints) {
  std::string varies = labels_are_joints ? "{joint}" : "{label}";
  if (std::ranges::all_of(channel.columns, is_number)) {
    for (std::size_t i = 0; i < channel.columns.size(); ++i) {
      if (channel.columns[i] != std::to_string(i)) return {};
    }
    varies = "{motor}";
  }
  constexpr std::string_view kUpTo = " … ";
  const std::size_t cut = channel.source.find(kUpTo);
  if (cut == std::string::npos) return {};
  const std::string first = channel.source.substr(0, cut), last = channel.source.substr(cut + kUpTo.size());
  for (const std::string& label : channel.columns) {
    if (label.empty()) return {};
    for (std::size_t at = first.find(label); at != std::string::npos; at = first.find(label, at + 1)) {
      const std::string before = first.substr(0, at), after = first.substr(at + label.size());
      const bool fits = std::ranges::any_of(channel.columns, [&](const auto& l) { return before + l + after == last; });
      if (fits) return before + varies + after;
    }
  }
  return {};
}

bool time_like(const std::string& name) {
  return std::ranges::any_of(detail::words_of(name),
                             [](const auto& w) { return w == "time" || w == "timestamp" || w == "stamp"; });
}

/// What the words behind or before a joint's name say of a column.
std::optional<ChannelRole> role_of(const std::string& rest) {
  const auto any = [words = detail::words_of(rest)](std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
  };
  const bool wanted =
      any({"target", "cmd", "command", "commanded", "desired", "des", "ref", "reference", "goal", "setpoint"});
  if (any({"tau", "torque", "torques", "effort", "efforts", "load", "trq", "moment"}))
    return wanted ? std::nullopt : std::optional(ChannelRole::torque);
  if (any({"vel", "velocity", "velocities", "speed", "dq", "qd", "qdot", "qvel", "rate"}))
    return wanted ? std::nullopt : std::optional(ChannelRole::velocity);
  if (any({"acc", "acceleration", "ddq", "qdd", "qacc"}))
    return wanted ? std::nullopt : std::optional(ChannelRole::acceleration);
  if (any({"pos", "position", "positions", "q", "qpos", "angle", "angles", "state"}) ||
      (wanted && detail::words_of(rest).size() == 1))
    return wanted ? ChannelRole::target : ChannelRole::position;
  return {};
}

/// Channels of several columns whose name says what they hold, though not as it is known: actual_q, measured_torques.
void name_channels(RawLog& log) {
  for (RawChannel& c : log.channels) {
    if (c.role != ChannelRole::other || c.columns.size() < 2) continue;
    const std::vector<std::string> words = detail::words_of(c.name);
    const bool elsewhere = std::ranges::any_of(words, [](const std::string& word) {
      constexpr std::string_view kElsewhere[] = {"ft", "wrench", "force", "sensor", "imu",  "tcp",
                                                 "ee", "tool",   "base",  "odom",   "pose", "world"};
      return std::ranges::find(kElsewhere, word) != std::end(kElsewhere);
    });
    const bool axes = std::ranges::any_of(c.columns, [](const auto& l) { return l == "x" || l == "rx" || l == "fx"; });
    const auto role = elsewhere || axes ? std::nullopt : role_of(c.name);
    if (!role || std::ranges::any_of(log.channels, [&](const auto& o) { return o.role == *role; })) continue;
    c.role = *role;
  }
}

/// Columns that stand alone in the log, elbow.pos or speed-of-elbow, as channels of joints: those with the same words
/// behind what differs, where the words say what they hold and the log has no channel of that kind. \param known
/// joints' names: a cut that leaves them goes before others
void join_columns(RawLog& log, const std::vector<std::string>& joints) {
  std::set<std::string> known(joints.begin(), joints.end());
  for (const RawChannel& c : log.channels) {
    if (static_cast<std::size_t>(c.role) < detail::kJointRoles && c.columns.size() > 1)
      known.insert(c.columns.begin(), c.columns.end());
  }
  struct Shared {
    std::vector<std::string> stems;
    std::vector<int> places;
  };
  const auto is_cut = [](const std::string& name, std::size_t at) {
    return !std::isalnum(static_cast<unsigned char>(name[at]));
  };
  std::map<std::string, Shared> by_rest;
  for (std::size_t i = 0; i < log.channels.size(); ++i) {
    const RawChannel& c = log.channels[i];
    if (c.columns.size() != 1 || time_like(c.name)) continue;
    for (std::size_t at = 1; at + 1 < c.name.size(); ++at) {
      if (!is_cut(c.name, at)) continue;
      Shared& shared = by_rest[c.name.substr(at)];
      shared.stems.push_back(c.name.substr(0, at));
      shared.places.push_back(static_cast<int>(i));
    }
  }
  name_channels(log);
  std::set<int> used;
  for (std::size_t role = 0; role < detail::kJointRoles; ++role) {
    const auto kind = static_cast<ChannelRole>(role);
    if (std::ranges::any_of(log.channels, [&](const RawChannel& c) { return c.role == kind && c.columns.size() > 1; }))
      continue;
    const std::pair<const std::string, Shared>* best = nullptr;
    std::tuple<std::ptrdiff_t, std::size_t, std::size_t> most;
    for (const auto& one : by_rest) {
      if (role_of(one.first) != kind) continue;
      const std::tuple worth(
          std::ranges::count_if(one.second.stems, [&](const auto& stem) { return known.contains(stem); }),
          one.second.stems.size(), one.first.size());
      if (one.second.stems.size() < 2 && std::get<0>(worth) == 0) continue;
      if (best && worth <= most) continue;
      best = &one;
      most = worth;
    }
    if (!best) continue;
    const Shared& shared = best->second;
    RawChannel joined{best->first, shared.stems.front() + best->first + " … " + shared.stems.back() + best->first, kind,
                      shared.stems, SampleMatrix(log.steps(), std::ssize(shared.stems))};
    for (std::size_t k = 0; k < shared.places.size(); ++k) {
      joined.values.col(static_cast<Eigen::Index>(k)) = log.channels[static_cast<std::size_t>(shared.places[k])].values;
      used.insert(shared.places[k]);
    }
    log.channels.push_back(std::move(joined));
  }
  int at = 0;
  std::erase_if(log.channels, [&](const RawChannel&) { return used.contains(at++); });
  // In the order of the first of them, as a log's channels are.
  std::ranges::stable_sort(log.channels, {}, &RawChannel::role);
  RawChannel* first = nullptr;
  for (RawChannel& c : log.channels) {
    if (static_cast<std::size_t>(c.role) >= detail::kJointRoles || c.columns.size() < 2) continue;
    if (!first) first = &c;
    std::vector<int> order;
    for (const std::string& column : first->columns) {
      const auto found = std::ranges::find(c.columns, column);
      if (found != c.columns.end()) order.push_back(static_cast<int>(found - c.columns.begin()));
    }
    if (order.size() != c.columns.size() || c.columns == first->columns) continue;
    c.values = SampleMatrix(c.values(Eigen::all, order));
    c.columns = first->columns;
  }
}

class LogReader {
 public:
  LogReader(const Robot& robot, const std::filesystem::path& path, const BodyPlan& plan, RobotFacts& facts)
      : robot_(robot), path_(path), plan_(plan), facts_(facts), log_(load_raw_log(path)) {
    join_columns(log_, facts.motors);
  }

  void read() {
    take_motors();
    facts_.log = log_.name;
    const LogFacts facts = log_facts(log_);
    if (log_.has_time() && facts.sample_time > 0.0) facts_.log_rate = 1.0 / facts.sample_time;
    list_channels();
    try_loading();
    facts_.log_notes.insert(facts_.log_notes.end(), log_.notes.begin(), log_.notes.end());
  }

 private:
  /// Sets of motors that the log's columns may be: all, without fingers, wheels and head, one limb.
  std::vector<std::vector<std::string>> candidates() const {
    std::vector<std::vector<std::string>> sets{facts_.motors};
    const auto add = [&](const auto& wanted) {
      std::vector<std::string> some;
      for (const std::string& motor : facts_.motors) {
        if (wanted(motor)) some.push_back(motor);
      }
      if (!some.empty() && std::ranges::find(sets, some) == sets.end()) sets.push_back(std::move(some));
    };
    const auto in = [&](const std::vector<JointGroup>& groups, const std::string& motor, const auto& which) {
      return std::ranges::any_of(groups, [&](const JointGroup& g) {
        return which(g.name) && std::ranges::find(g.joints, motor) != g.joints.end();
      });
    };
    const auto is_limb = [&](const std::string& name) {
      return std::ranges::any_of(plan_.limbs, [&](const auto& l) { return l.name == name; });
    };
    add([&](const std::string& m) {
      return in(plan_.groups, m, is_limb) || in(plan_.groups, m, [](auto& g) { return g == "torso"; });
    });
    add([&](const std::string& m) { return in(plan_.groups, m, is_limb); });
    return sets;
  }

  void take_motors() {
    std::optional<Matched> best;
    std::string misfit, order;
    for (const std::vector<std::string>& motors : candidates()) {
      const Robot robot = with_motors(robot_, motors, motors);
      const FittedLog fitted(log_, &robot);
      if (!fitted.fits) {
        if (misfit.empty()) misfit = fitted.misfit;
        continue;
      }
      Matched found = match(fitted, robot);
      const bool better = !best || (best->by_order && !found.by_order) ||
                          (best->by_order == found.by_order && found.motors.size() > best->motors.size());
      if (!better) continue;
      best = std::move(found);
      guesses_ = fitted.guesses;
    }
    if (!best) {
      std::vector<std::string> columns;
      for (const RawChannel& c : log_.channels) {
        if (static_cast<std::size_t>(c.role) < detail::kJointRoles && c.columns.size() > columns.size())
          columns = c.columns;
      }
      if (columns.empty())
        throw EpisodeError(path_.string(), "no channel of joints", "give a log of torques and positions");
      const std::string near = nearest_name(columns.front(), facts_.motors);
      throw EpisodeError(path_.string(),
                         counted(columns.size(), "column of joints", "columns of joints") + " (" +
                             listed_briefly(columns) + ") match no joint of the " + facts_.name + " (" +
                             listed_briefly(facts_.motors) + ")",
                         near.empty() ? "name its columns after the joints" : "did you mean '" + near + "'?");
    }
    if (best->by_order) {
      facts_.guesses.push_back(
          {NoteCode::guess,
           "motors",
           {"no column of the log is named after a joint, so its " +
            counted(best->motors.size(), "column is", "columns are") + " taken in the order of the model"}});
    }
    if (!best->left_out.empty()) {
      facts_.log_notes.push_back(
          {NoteCode::other_columns,
           "",
           {counted(best->left_out.size(), "column", "columns"), listed_briefly(best->left_out)}});
    }
    const std::set<std::string> logged(best->motors.begin(), best->motors.end());
    for (JointFacts& j : facts_.joints) {
      if (j.use != JointUse::motor || logged.contains(j.joint.name)) continue;
      j.use = JointUse::unlogged;
      j.why = "not in the log: locked at zero";
    }
    facts_.motors = best->motors;
    facts_.motor_labels = best->labels;
    for (const std::string& guess : guesses_) facts_.log_notes.push_back({NoteCode::guessed, "", {guess}});
  }

  void list_channels() {
    const Robot robot = with_motors(robot_, facts_.motors, facts_.motor_labels);
    const FittedLog fitted(log_, &robot);
    constexpr const char* kOptions[] = {"tau", "q", "target", "v", "a"};
    if (!log_.clock.empty()) facts_.log_channels.push_back({"time", log_.clock, "time", ""});
    std::vector<std::string> unused;
    for (int place = 0; place < static_cast<int>(log_.channels.size()); ++place) {
      const RawChannel& c = log_.channels[static_cast<std::size_t>(place)];
      LogChannelFacts one{detail::role_in_words(c.role), c.source, "", ""};
      if (fitted.is_of_joints(place)) {
        one.option = kOptions[static_cast<std::size_t>(c.role)];
        one.pattern = pattern_around(c, facts_.motors == facts_.motor_labels);
      } else if (c.role == ChannelRole::other || c.role < ChannelRole::orientation) {
        unused.push_back(c.name);
        continue;
      } else {
        one.channel += " (" + c.name + ")";
      }
      facts_.log_channels.push_back(std::move(one));
    }
    if (!unused.empty()) facts_.log_channels.push_back({"not used", listed_briefly(unused), "", ""});
  }

  /// Whether every channel that was found is read too, with the patterns or without.
  bool loads(bool with_patterns, std::string& why_not) {
    Robot robot = with_motors(robot_, facts_.motors, facts_.motor_labels);
    try {
      EpisodeOptions options;
      if (with_patterns) {
        for (const LogChannelFacts& c : facts_.log_channels) {
          if (!c.pattern.empty()) robot.profile.settings.set("episode." + c.option + "=" + c.pattern);
        }
        options = robot.profile.settings.get<EpisodeOptions>();
      }
      const Episode episode = read_episode(path_, robot, options);
      const std::map<std::string, std::string> names = {
          {"tau", "tau"}, {"q", "qpos"}, {"target", "target_dof"}, {"v", "dq"}, {"time", "time"}};
      for (const LogChannelFacts& c : facts_.log_channels) {
        const auto name = names.find(c.option);
        if (name == names.end() || std::ranges::find(episode.missing, name->second) == episode.missing.end()) continue;
        why_not = c.channel + " would not be found";
        return false;
      }
      return true;
    } catch (const Error& error) {
      why_not = error.what();
      return false;
    }
  }

  void try_loading() {
    std::string why_not, still;
    facts_.needs_patterns = !loads(false, why_not);
    if (!facts_.needs_patterns || loads(true, still)) return;
    facts_.needs_patterns = false;
    facts_.log_notes.push_back({NoteCode::not_an_episode, "", {why_not}});
  }

  const Robot& robot_;
  const std::filesystem::path& path_;
  const BodyPlan& plan_;
  RobotFacts& facts_;
  RawLog log_;
  std::vector<std::string> guesses_;
};

}  // namespace

RobotFacts describe(const Robot& robot, const std::filesystem::path& log) {
  const RobotDescription& d = robot.model.description();
  BodyPlan plan = detail::plan_of(d);
  RobotFacts facts;
  facts.name = robot.profile.name;
  facts.title = robot.profile.title;
  facts.model = robot.profile.model;
  facts.format = facts.model.extension() == ".xml" ? "MJCF" : "URDF";
  facts.sha256 = d.sha256;
  facts.gravity = robot.model.gravity();
  facts.total_mass = robot.model.total_mass();
  facts.base = plan.base;
  facts.base_why = plan.base_why;
  if (robot.profile.base_source != BaseSource::limbs) {
    facts.base = robot.model.base();
    facts.base_why = robot.profile.base_source == BaseSource::option    ? "set by " + arg(Input::base)
                     : robot.profile.base_source == BaseSource::profile ? "set by the profile"
                     : facts.base == Base::free_flyer                   ? "the file gives its root a free joint"
                                                                        : "the file gives its root no free joint";
  } else if (plan.base_is_guess) {
    facts.guesses.push_back({NoteCode::guess,
                             "base",
                             {std::string(facts.base == Base::fixed ? "fixed" : "floating") + ", " + plan.base_why}});
  }
  read_joints(d, plan, facts);
  std::set<std::string> motors;
  for (const JointFacts& j : facts.joints) {
    if (j.use == JointUse::motor) motors.insert(j.joint.name);
  }
  for (const std::string& motor : robot.model.motor_names()) {
    if (motors.contains(motor)) facts.motors.push_back(motor);
  }
  const std::set<std::string> own(facts.motors.begin(), facts.motors.end());
  for (JointFacts& j : facts.joints) {
    if (j.use != JointUse::motor || own.contains(j.joint.name)) continue;
    j.use = JointUse::unlogged;
    j.why = facts.format == "MJCF" ? "no actuator moves it" : "the profile does not list it: locked";
  }
  facts.motor_labels = facts.motors;
  facts.endpoints = plan.frames;
  facts.guesses.insert(facts.guesses.end(), plan.guesses.begin(), plan.guesses.end());
  find_imu(d, plan, facts);
  if (!log.empty()) LogReader(robot, log, plan, facts).read();
  const std::set<std::string> logged(facts.motors.begin(), facts.motors.end());
  for (JointGroup group : plan.groups) {
    std::erase_if(group.joints, [&](const std::string& joint) { return !logged.contains(joint); });
    if (!group.joints.empty()) facts.groups.push_back(std::move(group));
  }
  for (EndpointFacts& e : facts.endpoints) {
    const bool carried = std::ranges::any_of(facts.groups, [&](const auto& g) { return g.name == e.endpoint.group; });
    if (carried) continue;
    e.chosen = false;
    e.why += log.empty() ? "; no motor moves its limb" : "; no motor of its limb is in the log";
  }
  facts.poses.push_back(middle_pose(robot.model.description(), facts.motors));
  if (!facts.motors.empty()) {
    const Robot bare = with_motors(robot, facts.motors, facts.motor_labels);
    for (JointFacts& j : facts.joints) {
      if (j.use != JointUse::motor) continue;
      const JointFigures& figures = bare.profile.figures[static_cast<std::size_t>(bare.model.motor(j.joint.name))];
      j.torque_sd = figures.torque_sd;
      j.static_sd = figures.static_sd;
      j.sd_from = figures.torque_sd_from;
    }
  }
  find_missing(d, facts);
  return facts;
}

}  // namespace antaeus
