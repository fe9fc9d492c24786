// Limbs, endpoints and base of a description. The tree says where limbs are, words say what they are; where no word
// does, shape and place do, and that is a guess.
#include "antaeus/estimation/body_plan.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "antaeus/robot/limbs.hpp"

namespace antaeus::detail {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_lower(c) && !is_upper(c) && !is_digit(c)) {
      end();
      continue;
    }
    const char before = i > 0 ? name[i - 1] : '\0', after = i + 1 < name.size() ? name[i + 1] : '\0';
    if (is_digit(c) != is_digit(before) || (is_upper(c) && is_lower(before)) ||
        (is_upper(c) && is_upper(before) && is_lower(after))) {
      end();
    }
    word += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  end();
  return words;
}

namespace {

using Words = std::vector<std::string>;

/// Whether a name has one of these: as a word, with l or r before it (lleg), or anywhere where it is long enough.
bool has(std::string_view name, std::initializer_list<const char*> wanted) {
  const Words words = words_of(name);
  return std::ranges::any_of(wanted, [&](std::string_view one) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      if (word == one) return true;
      if (word.size() == one.size() + 1 && (word[0] == 'l' || word[0] == 'r') && word.ends_with(one)) return true;
      return one.size() >= 4 && word.find(one) != std::string::npos;
    });
  });
}

bool is_wheel(std::string_view name) { return has(name, {"wheel", "roller"}); }
bool is_caster(std::string_view name) { return has(name, {"caster", "castor"}); }
bool is_rotor(std::string_view name) { return has(name, {"rotor", "propeller", "propellor", "thruster"}); }
bool is_finger_part(std::string_view name) {
  return has(name, {"finger", "thumb", "jaw", "jaws", "knuckle", "claw", "pinky", "phalanx"});
}
bool is_finger(std::string_view name) { return is_finger_part(name) || has(name, {"gripper"}); }
/// No handle.
bool is_hand(std::string_view name) {
  return std::ranges::any_of(words_of(name), [](const std::string& word) {
    return word.ends_with("hand") || word == "hands" || word.find("palm") != std::string::npos;
  });
}
bool is_head(std::string_view name) { return has(name, {"head", "neck", "eye", "eyes", "gaze"}); }
bool is_trunk(std::string_view name) {
  return has(name,
             {"torso", "waist", "spine", "chest", "trunk", "body", "lift", "abdomen", "back", "pelvis", "lumbar"});
}
bool is_leg(std::string_view name) {
  return has(name, {"foot",  "feet",  "ankle", "knee",   "thigh", "calf",     "shank",   "sole",
                    "hip",   "leg",   "toe",   "hoof",   "paw",   "haa",      "hfe",     "kfe",
                    "tibia", "femur", "coxa",  "tarsus", "shin",  "upperleg", "lowerleg"});
}
/// Of what leaves the body, not of a hand's parts.
bool is_limb_proper(std::string_view name) {
  return is_leg(name) || has(name, {"arm", "forearm", "upperarm", "shoulder", "elbow", "wrist"});
}
bool is_sole(std::string_view name) { return has(name, {"foot", "feet", "sole", "toe", "hoof", "paw"}); }
bool is_arm(std::string_view name) {
  return is_hand(name) || has(name, {"arm", "forearm", "upperarm", "elbow", "wrist", "shoulder", "finger", "thumb",
                                     "flange", "tool", "tcp", "gripper", "ee", "eef", "effector", "humerus"});
}
/// Not what touches the world.
bool is_aside(std::string_view name) {
  return has(name,
             {"camera", "optical", "imu",     "gyro",   "gyrometer", "accelerometer", "laser",   "lidar",  "radar",
              "depth",  "rgb",     "rgbd",    "xtion",  "realsense", "sensor",        "inertia", "visual", "antenna",
              "light",  "led",     "display", "rotor",  "screw",     "cover",         "shell",   "logo",   "battery",
              "safety", "sonar",   "range",   "fsr",    "itb",       "collision",     "dh",      "world",  "balancing",
              "motor",  "ft",      "skin",    "marker", "propeller"});
}

/// Branches of this many joints or more are limbs, and this many may lie before a fork of the body (limbs.hpp).
constexpr int kLimb = 3, kWaist = 3;

class Planner {
 public:
  explicit Planner(const RobotDescription& description) : d_(description) {}

  BodyPlan plan() {
    read_tree();
    find_uses();
    measure();
    all_fingers_ = robot_is_hand();
    shortest_ = std::min(kLimb, body(0).height);
    if (shortest_ > 0) walk_trunk(0);
    for (Limb& limb : plan_.limbs) classify(limb);
    name_limbs();
    write_groups();
    choose_base();
    for (const Limb& limb : plan_.limbs) rank_frames(limb);
    unique_labels();
    return std::move(plan_);
  }

 private:
  Body& body(int b) { return plan_.bodies[static_cast<std::size_t>(b)]; }
  const std::string& link(int l) const { return d_.links[static_cast<std::size_t>(l)].name; }
  const JointDescription& joint(int j) const { return d_.joints[static_cast<std::size_t>(j)]; }
  JointUse& use(int j) { return plan_.uses[static_cast<std::size_t>(j)]; }
  /// What a joint and the link behind it are called.
  bool named(int j, bool (*what)(std::string_view)) const { return what(joint(j).name) || what(joint(j).child); }

  // --- The tree --------------------------------------------------------------------------------------------------

  void read_tree() {
    std::map<std::string, std::vector<int>> children;
    std::map<std::string, int> link_at;
    for (std::size_t j = 0; j < d_.joints.size(); ++j) children[d_.joints[j].parent].push_back(static_cast<int>(j));
    for (std::size_t l = 0; l < d_.links.size(); ++l) link_at[d_.links[l].name] = static_cast<int>(l);
    place_.assign(d_.links.size(), Vector3::Zero());
    turn_.assign(d_.links.size(), Matrix3::Identity());
    carrier_.assign(d_.links.size(), -1);
    fixed_to_.assign(d_.links.size(), -1);
    plan_.bodies.push_back({});
    std::vector<std::pair<int, int>> open{{link_at.at(d_.root), 0}};
    for (std::size_t at = 0; at < open.size(); ++at) {
      const auto [parent, b] = open[at];
      const auto p = static_cast<std::size_t>(parent);
      body(b).links.push_back(parent);
      carrier_[p] = b;
      for (const int j : children[link(parent)]) {
        const int child = link_at.at(joint(j).child);
        const auto c = static_cast<std::size_t>(child);
        turn_[c] = turn_[p] * joint(j).X_PJ.rotation;
        place_[c] = place_[p] + turn_[p] * joint(j).X_PJ.translation;
        int of = b;
        if (joint(j).type != JointType::fixed) {
          of = static_cast<int>(plan_.bodies.size());
          plan_.bodies.push_back({{}, {}, b, j, body(b).depth + 1, 0});
          body(b).children.push_back(of);
        } else {
          fixed_to_[c] = parent;
        }
        open.emplace_back(child, of);
      }
    }
  }

  static bool turns_endlessly(const JointDescription& j) {
    return j.type == JointType::continuous ||
           (j.type == JointType::revolute && !std::isfinite(j.lower) && !std::isfinite(j.upper));
  }

  void find_uses() {
    plan_.uses.assign(d_.joints.size(), JointUse::fixed);
    for (std::size_t b = 1; b < plan_.bodies.size(); ++b) {
      const Body& one = plan_.bodies[b];
      const JointDescription& j = joint(one.joint);
      const bool is_free = j.type == JointType::floating || j.type == JointType::planar;
      use(one.joint) = is_free ? JointUse::free : j.mimics.empty() ? JointUse::motor : JointUse::mimic;
      const bool before = one.parent > 0 && use(body(one.parent).joint) == JointUse::passive;
      if (before || named(one.joint, is_caster)) use(one.joint) = JointUse::passive;
    }
  }

  /// A wheel, a caster or a rotor: no part of a limb.
  bool rolls(int b) {
    const int j = body(b).joint;
    return use(j) == JointUse::passive ||
           (turns_endlessly(joint(j)) && body(b).children.empty() && named(j, is_wheel)) ||
           (body(b).children.empty() && named(j, is_rotor)) || odd_wheels_.contains(b);
  }

  void measure() {
    // Endless joints with nothing behind them, on a body from which real limbs leave: wheels without a name.
    std::vector<int> all_height(plan_.bodies.size(), 0);
    for (std::size_t b = plan_.bodies.size(); b-- > 1;) {
      int& up = all_height[static_cast<std::size_t>(plan_.bodies[b].parent)];
      up = std::max(up, all_height[b] + 1);
    }
    for (const int b : body(0).children) {
      const bool alone = body(b).children.empty() && joint(body(b).joint).type == JointType::continuous;
      if (alone && all_height[0] >= kLimb) odd_wheels_.insert(b);
    }
    for (std::size_t b = plan_.bodies.size(); b-- > 1;) {
      if (rolls(static_cast<int>(b))) continue;
      int& up = body(plan_.bodies[b].parent).height;
      up = std::max(up, plan_.bodies[b].height + (use(plan_.bodies[b].joint) == JointUse::free ? 0 : 1));
    }
  }

  std::vector<int> kids(int b) {
    std::vector<int> list;
    for (const int c : body(b).children) {
      if (!rolls(c)) list.push_back(c);
    }
    return list;
  }
  int length(int b) { return body(b).height + 1; }
  bool forks_below(int b) {
    for (; !body(b).children.empty(); b = body(b).children.front()) {
      if (body(b).children.size() > 1) return true;
    }
    return false;
  }

  bool robot_is_hand() {
    int motors = 0, fingers = 0;
    for (std::size_t b = 1; b < plan_.bodies.size(); ++b) {
      const int j = plan_.bodies[b].joint;
      if (use(j) != JointUse::motor || rolls(static_cast<int>(b))) continue;
      ++motors;
      fingers += named(j, is_finger) && !named(j, is_leg);
    }
    if (motors > 0 && fingers == motors) return true;
    // Fingers leave the palm, which a wrist may turn, and nothing else does.
    int palm = 0;
    while (body(palm).children.size() == 1 && body(palm).depth < 2) palm = body(palm).children.front();
    return body(palm).children.size() >= (palm == 0 ? 2U : 3U) &&
           std::ranges::any_of(body(palm).links, [&](int l) { return is_hand(link(l)); }) &&
           std::ranges::none_of(plan_.bodies, [&](const Body& b) { return b.joint >= 0 && named(b.joint, is_leg); });
  }

  bool is_finger_of_hand(int b) {
    if (all_fingers_ || body(b).depth < 2 || forks_below(b)) return false;
    const JointDescription& j = joint(body(b).joint);
    const bool part = is_finger_part(j.name) || is_finger_part(j.child);
    return part || (is_finger(j.name) && !has(j.name, {"yaw", "roll", "pitch", "rotate", "rotation", "wrist", "pan"}));
  }

  // --- Limbs -----------------------------------------------------------------------------------------------------

  std::vector<int> long_kids(int b) {
    std::vector<int> list;
    for (const int c : kids(b)) {
      if (length(c) >= shortest_ && !is_side(c)) list.push_back(c);
    }
    return list;
  }
  bool chain_has(int b, bool (*what)(std::string_view)) {
    std::vector<int> open{b};
    for (std::size_t at = 0; at < open.size(); ++at) {
      if (named(body(open[at]).joint, what)) return true;
      open.insert(open.end(), body(open[at]).children.begin(), body(open[at]).children.end());
    }
    return false;
  }
  /// A head, or a finger at the body: a branch that is no limb, however long.
  bool is_side(int b) {
    return (named(body(b).joint, is_head) && !chain_has(b, is_arm) && !chain_has(b, is_leg)) || is_finger_of_hand(b);
  }
  bool is_fork_of_body(int b) {
    const std::vector<int> branches = long_kids(b);
    if (branches.size() < 2) return false;
    if (body(b).depth <= kWaist) return true;
    return std::ranges::all_of(branches, [&](int c) { return length(c) > kLimb && chain_has(c, is_limb_proper); });
  }
  bool body_forks_below(int b) {
    if (is_fork_of_body(b)) return true;
    return std::ranges::any_of(long_kids(b), [&](int c) { return body_forks_below(c); });
  }
  /// A branch that no limb is, before the waist ends: the joints before it turn the body.
  bool body_ends_below(int b) {
    for (int depth = body(b).depth; depth <= kWaist; ++depth) {
      const std::vector<int> on = long_kids(b);
      if (on.size() != 1) return false;
      const std::vector<int> all = kids(b);
      const bool branches = std::ranges::any_of(all, [&](int c) { return c != on[0] && !is_finger_of_hand(c); });
      if (branches) return body(b).depth > 0;
      b = on[0];
    }
    return false;
  }

  void walk_trunk(int b) {
    const std::vector<int> branches = long_kids(b);
    for (const int c : kids(b)) {
      if (std::ranges::find(branches, c) == branches.end()) side_branch(c);
    }
    for (const int c : branches) {
      const bool named_trunk = named(body(c).joint, is_trunk) && !named(body(c).joint, is_arm) &&
                               !named(body(c).joint, is_leg) && !long_kids(c).empty() && body(b).depth < kWaist;
      if (body_forks_below(c) || (branches.size() == 1 && body_ends_below(c)) || named_trunk) {
        torso_.push_back(body(c).joint);
        walk_trunk(c);
      } else {
        follow_limb(c);
      }
    }
  }

  void side_branch(int b) {
    std::vector<int> open{b};
    std::vector<int>* to = chain_has(b, is_head) ? &head_ : chain_has(b, is_trunk) ? &torso_ : &others_;
    for (std::size_t at = 0; at < open.size(); ++at) {
      to->push_back(body(open[at]).joint);
      for (const int c : kids(open[at])) open.push_back(c);
    }
  }

  void take_fingers(int b, std::vector<int>& to) {
    std::vector<int> open{b};
    for (std::size_t at = 0; at < open.size(); ++at) {
      to.push_back(body(open[at]).joint);
      for (const int c : kids(open[at])) open.push_back(c);
    }
  }

  void follow_limb(int b) {
    Limb limb;
    for (;;) {
      if (use(body(b).joint) != JointUse::free) limb.joints.push_back(body(b).joint);
      limb.tip = b;
      std::vector<int> on;
      for (const int c : kids(b)) {
        if (is_finger_of_hand(c)) {
          take_fingers(c, limb.fingers);
        } else {
          on.push_back(c);
        }
      }
      if (kids(b).size() < body(b).children.size()) {
        limb.ends_in_wheel = limb.ends_in_wheel || on.empty();
      }
      if (on.empty()) break;
      std::ranges::stable_sort(on, [&](int x, int y) { return length(x) > length(y); });
      const bool is_palm = on.size() > 1 && length(on[0]) - length(on[1]) < kLimb && body(b).depth >= kLimb;
      if (is_palm || (!limb.fingers.empty() && length(on[0]) <= kLimb && all_mimic(on))) {
        for (const int c : on) take_fingers(c, limb.fingers);
        break;
      }
      for (std::size_t i = 1; i < on.size(); ++i) side_branch(on[i]);
      b = on[0];
    }
    plan_.limbs.push_back(std::move(limb));
  }
  bool all_mimic(const std::vector<int>& list) {
    return std::ranges::all_of(list, [&](int c) { return use(body(c).joint) == JointUse::mimic; });
  }

  // --- What a limb is ----------------------------------------------------------------------------------------------

  Vector3 place_of_body(int b) { return place_[static_cast<std::size_t>(body(b).links.front())]; }
  Vector3 tip_of(const Limb& limb) { return place_[static_cast<std::size_t>(body(limb.tip).links.back())]; }

  void classify(Limb& limb) {
    if (all_fingers_) {
      limb.kind = Limb::Kind::finger;
      return;
    }
    int leg = 0, arm = 0;
    const auto count = [&](std::string_view name) {
      leg += is_leg(name);
      arm += is_arm(name);
    };
    for (const int j : limb.joints) {
      count(joint(j).name);
      count(joint(j).child);
    }
    bool sole = false, hand = !limb.fingers.empty();
    for (const int l : body(limb.tip).links) {
      if (is_aside(link(l))) continue;
      sole = sole || is_sole(link(l));
      hand = hand || is_hand(link(l)) || has(link(l), {"gripper", "tool", "tcp", "eef", "effector", "flange"});
    }
    if (sole != hand) {
      limb.kind = sole ? Limb::Kind::leg : Limb::Kind::arm;
    } else if (leg != arm) {
      limb.kind = leg > arm ? Limb::Kind::leg : Limb::Kind::arm;
    } else if (plan_.limbs.size() > 1) {
      limb.kind = stands_lowest(limb) ? Limb::Kind::leg : Limb::Kind::arm;
      limb.guess = std::string(limb.kind == Limb::Kind::leg ? "a leg" : "an arm") +
                   ": unknown by name, and at zero it ends " +
                   (limb.kind == Limb::Kind::leg ? "among the lowest" : "higher than others, or alone");
    }
  }

  /// At zero among the lowest ends of several limbs, and below where it leaves the body.
  bool stands_lowest(const Limb& limb) {
    double lowest = 0.0, highest = 0.0;
    for (std::size_t b = 0; b < plan_.bodies.size(); ++b) {
      lowest = std::min(lowest, place_of_body(static_cast<int>(b)).z());
      highest = std::max(highest, place_of_body(static_cast<int>(b)).z());
    }
    for (const Limb& other : plan_.limbs) lowest = std::min(lowest, tip_of(other).z());
    const auto is_low = [&](const Limb& one) { return tip_of(one).z() < lowest + 0.2 * (highest - lowest); };
    return is_low(limb) && std::ranges::count_if(plan_.limbs, is_low) > 1 &&
           tip_of(limb).z() < place_[static_cast<std::size_t>(body(0).links.front())].z();
  }

  std::string side_in_names(const Limb& limb) const {
    static const std::map<std::string, std::string> kCorners = {
        {"fl", "front left"}, {"lf", "front left"}, {"fr", "front right"}, {"rf", "front right"}, {"rl", "rear left"},
        {"hl", "rear left"},  {"lh", "rear left"},  {"bl", "rear left"},   {"lr", "rear left"},   {"rr", "rear right"},
        {"hr", "rear right"}, {"rh", "rear right"}, {"br", "rear right"}};
    std::set<std::string> ends;  // letters at the end of all names alike; "_R" alone may be an axis
    for (const int j : limb.joints) {
      for (const std::string& name : {joint(j).name, joint(j).child}) {
        std::string way, side;
        const Words words = words_of(name);
        for (std::size_t w = 0; w < words.size(); ++w) {
          const std::string& word = words[w];
          const auto corner = kCorners.find(word);
          if (corner != kCorners.end() && side.empty() && plan_.limbs.size() > 1) return corner->second;
          if (word.starts_with("front") || word == "fore") way = "front ";
          if (word.starts_with("rear") || word.starts_with("hind") || word == "back") way = "rear ";
          if (word == "middle" || word == "mid") way = "middle ";
          const bool with_limb = word == "lleg" || word == "larm" || word == "rleg" || word == "rarm";
          const bool is_l = word == "left" || (word == "l" && w == 0) || (with_limb && word[0] == 'l');
          const bool is_r = word == "right" || (word == "r" && w == 0) || (with_limb && word[0] == 'r');
          if ((is_l || is_r) && side.empty()) side = is_l ? "left" : "right";
        }
        if (!side.empty()) return way + side;
        if (!words.empty() && name == joint(j).name) ends.insert(words.back());
      }
    }
    if (ends.size() == 1 && (ends.contains("l") || ends.contains("r"))) return ends.contains("l") ? "left" : "right";
    return {};
  }

  void name_limbs() {
    std::map<Limb::Kind, int> count;
    for (const Limb& limb : plan_.limbs) ++count[limb.kind];
    for (Limb& limb : plan_.limbs) {
      limb.side = side_in_names(limb);
      if (!limb.side.empty() || count[limb.kind] < 2 || limb.kind == Limb::Kind::finger) continue;
      const Vector3 at = place_of_body(limb_start(limb)) + 0.5 * (tip_of(limb) - place_of_body(limb_start(limb)));
      const bool is_one_of_four = limb.kind == Limb::Kind::leg && count[limb.kind] == 4;
      constexpr double kAside = 1e-3;  // [m]
      if (std::abs(at.y()) < kAside || (count[limb.kind] > 2 && !is_one_of_four)) continue;
      limb.side =
          (is_one_of_four ? (at.x() > 0 ? "front " : "rear ") : "") + std::string(at.y() > 0 ? "left" : "right");
      if (!limb.guess.empty()) limb.guess += "; ";
      limb.guess += limb.side + ": by its position, with x to the front and y to the left";
    }
    // Of two legs none is in front of the other.
    for (Limb& limb : plan_.limbs) {
      const bool both = std::ranges::any_of(plan_.limbs, [&](const Limb& o) {
        return o.kind == limb.kind && (o.side.starts_with("rear") || o.side.starts_with("middle"));
      });
      if (!both && limb.side.starts_with("front ")) limb.side.erase(0, 6);
    }
    std::map<std::string, int> taken;
    for (Limb& limb : plan_.limbs) {
      const char* kind = limb.kind == Limb::Kind::leg ? "leg" : limb.kind == Limb::Kind::arm ? "arm" : "finger";
      std::string words = (limb.side.empty() ? "" : limb.side + " ") + kind;
      const bool alone = limb.side.empty() && count[limb.kind] == 1;
      const int at = ++taken[words];
      const bool shared = std::ranges::count_if(plan_.limbs, [&](const Limb& o) {
                            return o.kind == limb.kind && o.side == limb.side;
                          }) > 1;
      if (!alone && shared) words += " " + std::to_string(at);
      limb.title = words;
      limb.name = words;
      std::ranges::replace(limb.name, ' ', '_');
      limb.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(limb.title[0])));
    }
  }
  int limb_start(const Limb& limb) {
    int b = limb.tip;
    while (body(b).parent > 0 && !limb.joints.empty() && body(b).joint != limb.joints.front()) b = body(b).parent;
    return b;
  }

  void write_groups() {
    std::set<int> placed;
    const auto add = [&](const std::string& name, const std::string& title, const std::vector<int>& joints) {
      JointGroup group{name, title, {}};
      for (const int j : joints) {
        if (use(j) == JointUse::motor && placed.insert(j).second) group.joints.push_back(joint(j).name);
      }
      if (group.joints.empty()) return;
      int same = 1;
      while (std::ranges::any_of(plan_.groups, [&](const JointGroup& g) { return g.name == group.name; })) {
        group.name = name + "_" + std::to_string(++same);
        group.title = title + " " + std::to_string(same);
      }
      plan_.groups.push_back(std::move(group));
    };
    add("torso", "Torso", torso_);
    for (const Limb& limb : plan_.limbs) {
      add(limb.name, limb.title, limb.joints);
      if (limb.fingers.empty()) continue;
      const std::string side = limb.side.empty() ? "" : limb.side + " ";
      std::string name = side + (limb.fingers.size() > 2 ? "fingers" : "gripper"), title = name;
      if (plan_.limbs.size() > 1 && limb.side.empty()) title = name = limb.name + " " + name;
      std::ranges::replace(name, ' ', '_');
      title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
      add(name, title, limb.fingers);
    }
    add("head", "Head", head_);
    std::vector<int> wheels, rotors, rest;
    for (std::size_t b = 1; b < plan_.bodies.size(); ++b) {
      if (rolls(static_cast<int>(b)) && use(plan_.bodies[b].joint) == JointUse::motor) {
        (named(plan_.bodies[b].joint, is_rotor) ? rotors : wheels).push_back(plan_.bodies[b].joint);
      }
    }
    casters_ = static_cast<int>(std::ranges::count(plan_.uses, JointUse::passive));
    wheels_ = static_cast<int>(wheels.size()) + casters_;
    rotors_ = static_cast<int>(rotors.size());
    add("wheels", "Wheels", wheels);
    add("rotors", "Rotors", rotors);
    for (std::size_t b = 1; b < plan_.bodies.size(); ++b) rest.push_back(plan_.bodies[b].joint);
    add("others", "Other joints", others_);
    add(plan_.groups.empty() ? "joints" : "rest", plan_.groups.empty() ? "Joints" : "Rest", rest);
  }

  // --- The base ----------------------------------------------------------------------------------------------------

  void choose_base() {
    const auto say = [&](Base base, const std::string& why, bool guess) {
      plan_.base = base;
      plan_.base_why = why;
      plan_.base_is_guess = guess;
    };
    const auto count = [](int n, const char* one, const char* many) {
      return std::to_string(n) + " " + (n == 1 ? one : many);
    };
    const auto legs =
        static_cast<int>(std::ranges::count_if(plan_.limbs, [](const Limb& l) { return l.kind == Limb::Kind::leg; }));
    const auto any_link = [&](bool (*what)(std::string_view)) {
      return std::ranges::find_if(body(0).links, [&](int l) { return what(link(l)); });
    };
    const auto none = body(0).links.end();
    const auto pedestal = any_link([](std::string_view n) { return has(n, {"pedestal", "table", "stand", "bench"}); });
    const int still_rotors =
        static_cast<int>(std::ranges::count_if(body(0).links, [&](int l) { return is_rotor(link(l)); }));
    const bool flies = has(d_.name, {"drone", "quadrotor", "copter", "quadcopter", "multirotor", "flying", "uav"}) ||
                       std::ranges::any_of(d_.links, [](const LinkDescription& l) {
                         return has(l.name, {"drone", "quadrotor", "copter", "flying", "multirotor"});
                       });
    if (frees_itself(d_)) return say(Base::fixed, "the description has a root joint of its own", false);
    if (has(d_.root, {"world", "map", "ground"}) && d_.root.size() <= 6 && legs < 2 && wheels_ < 2)
      return say(Base::fixed, "the root link is called '" + d_.root + "'", false);
    if (legs >= 2) return say(Base::free_flyer, count(legs, "leg", "legs") + ": nothing bolts it to the world", false);
    if (wheels_ >= 2)
      return say(Base::free_flyer,
                 (casters_ < wheels_ ? count(wheels_ - casters_, "wheel", "wheels")
                                     : count(casters_, "joint of casters", "joints of casters")) +
                     ": it drives",
                 false);
    if (rotors_ >= 2 || still_rotors >= 3 || flies)
      return say(Base::free_flyer,
                 rotors_ + still_rotors > 1 ? "it has rotors: it flies" : "its names mean that it flies",
                 rotors_ + still_rotors < 2);
    if (all_fingers_)
      return say(Base::fixed, plan_.limbs.size() > 1 ? "a hand by itself, mounted on something" : "a finger on a base",
                 true);
    if (pedestal != none) return say(Base::fixed, "it stands on '" + link(*pedestal) + "'", true);
    const int limbs = limb_count(d_);
    if (limbs > 1) return say(Base::free_flyer, count(limbs, "limb", "limbs") + ", and no name of a mount", true);
    say(Base::fixed, limbs == 1 ? "one limb" : "no limb", false);
  }

  // --- Endpoints ---------------------------------------------------------------------------------------------------

  struct Score {
    int points = 0;
    std::string why;
  };
  Score score(const Limb& limb, int l) const {
    const std::string& name = link(l);
    const Words words = words_of(name);
    const auto is = [&](std::initializer_list<const char*> wanted) { return has(name, wanted); };
    const auto pair = [&](const char* a, const char* b) { return is({a}) && is({b}); };
    if (limb.kind == Limb::Kind::leg) {
      if (is({"sole"})) return {100, "named a sole"};
      if (is({"foot", "feet", "hoof", "paw"})) return {95, "named a foot"};
      if (is({"contact"})) return {90, "named a contact"};
      if (is({"toe", "tip"})) return {70, "named a toe or a tip"};
      if (is({"ankle"})) return {60, "behind the ankle"};
      return {};
    }
    if (limb.kind == Limb::Kind::finger) {
      if (is({"tip", "fingertip", "ee", "eef", "contact"})) return {90, "named a tip"};
      return {};
    }
    if (is({"tcp"}) || (pair("tool", "center") || pair("tool", "centre"))) return {100, "named a tool's centre"};
    if (name == "tool0") return {96, "the flange's frame by the usual name"};
    if (is({"grasp", "grasping", "pinch", "grip"}) && !is({"gripper"})) return {94, "named a grasp point"};
    if (is({"ee", "eef", "effector", "endeffector", "endpoint"})) return {93, "named an end effector"};
    if (is({"tool"})) return {90, "named a tool"};
    if (is_hand(name)) return {84, "named a hand"};
    if (is({"gripper"})) return {82, "named a gripper"};
    if (is({"flange", "attachment", "mount"})) return {75, "named a flange"};
    if (is({"probe", "nozzle", "torch", "spindle", "needle", "tip", "end"})) return {74, "named a tool"};
    if (is({"wrist"})) return {50, "named a wrist"};
    return {};
  }

  void rank_frames(const Limb& limb) {
    struct Candidate {
      int link, points;
      std::string why;
    };
    std::vector<Candidate> all;
    int b = limb.tip;
    const int back = limb.kind == Limb::Kind::leg ? 2 : 0;
    std::set<int> parents;
    for (int& of : fixed_to_) parents.insert(of);
    const bool has_fingers = !limb.fingers.empty();
    for (int step = 0; step <= back && b > 0; ++step, b = body(b).parent) {
      const std::vector<int>& links = body(b).links;
      for (const int l : links) {
        const std::string& name = link(l);
        const bool is_first = l == links.front();
        if (rolls(b) || (is_wheel(name) && !is_first)) continue;
        Score found = score(limb, l);
        if (is_aside(name) && !is_first) {
          // "wrist_ft_tool_link" is still a tool's.
          const bool tool = has(name, {"tool", "tcp"}) && !has(name, {"camera", "optical", "imu", "laser"});
          if (!tool) continue;
          found.points -= 8;
        }
        // A finger that is part of the hand, or a knuckle: not where the hand as a whole is.
        const bool part = limb.kind == Limb::Kind::arm && has(name, {"finger", "fingertip", "thumb", "jaw", "knuckle",
                                                                     "inner", "outer", "index", "pinky", "adapter"});
        if (part) found.points -= 60;
        if (step > 0 && found.points < 60) continue;
        if (found.points <= 0 && !part) {
          const bool leaf = !parents.contains(l);
          found = {leaf && !is_first ? 20
                   : leaf            ? 19
                   : is_first        ? 10
                                     : 5,
                   has_fingers && is_first ? "what carries the fingers"
                   : leaf                  ? "the last link of its limb"
                                           : "on the last body of its limb"};
        }
        // A hand, or another tool, on what is named a tool: the flange is behind it.
        constexpr int kTool = 80;
        if (found.points >= kTool) {
          for (int up = fixed_to_[static_cast<std::size_t>(l)]; up >= 0; up = fixed_to_[static_cast<std::size_t>(up)]) {
            const auto tool = std::ranges::find_if(
                all, [&](const Candidate& c) { return c.link == up && c.points >= kTool && has(link(up), {"tool"}); });
            if (tool != all.end()) found.points = std::max(found.points, tool->points + 1);
          }
        }
        // The anchor of a joint that an MJCF puts before the body itself.
        const bool is_anchor = is_first && !d_.links[static_cast<std::size_t>(l)].has_inertial && links.size() > 1;
        all.push_back({l, found.points - 10 * step - (is_anchor ? 1 : 0), found.why});
      }
    }
    std::ranges::stable_sort(all, [](const Candidate& x, const Candidate& y) { return x.points > y.points; });
    constexpr std::size_t kMost = 6;
    if (all.size() > kMost) all.resize(kMost);
    constexpr int kNamed = 50;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Candidate& one = all[i];
      EndpointFacts frame;
      frame.endpoint.frame = link(one.link);
      frame.endpoint.group = limb.name;
      frame.rank = static_cast<int>(i) + 1;
      frame.chosen = i == 0;
      frame.why = one.why.empty() ? "on the last body of its limb" : one.why;
      set_kind(limb, frame.endpoint);
      if (i == 0) {
        const auto guess = [&](const std::string& text) {
          frame.why += "; guessed: " + text;
          plan_.guesses.push_back({NoteCode::guess, "endpoint " + frame.endpoint.frame, {text}});
        };
        if (one.points < kNamed) guess("unknown by name");
        if (limb.ends_in_wheel) frame.why += "; a wheel turns behind it";
        if (!limb.guess.empty()) guess(limb.guess);
      }
      plan_.frames.push_back(std::move(frame));
    }
  }

  void set_kind(const Limb& limb, Endpoint& endpoint) {
    const bool walks = std::ranges::any_of(plan_.limbs, [](const Limb& l) { return l.kind == Limb::Kind::leg; });
    const std::string& name = endpoint.frame;
    std::string what;
    if (limb.kind == Limb::Kind::leg) {
      endpoint.kind = EndpointKind::foot;
      what = "foot";
    } else if (limb.kind == Limb::Kind::finger) {
      endpoint.kind = EndpointKind::hand;
      what = plan_.limbs.size() > 1 ? limb.title.substr(0, 1) + limb.title.substr(1) : "fingertip";
      what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
    } else {
      const bool hand = is_hand(name) || (walks && plan_.limbs.size() > 2 && arms() > 1);
      endpoint.kind = hand ? EndpointKind::hand : EndpointKind::tool;
      what = is_hand(name) || hand                                                  ? "hand"
             : has(name, {"gripper", "grasp", "grasping"}) || !limb.fingers.empty() ? "gripper"
             : name == "tool0" || has(name, {"flange"})                             ? "flange"
                                                                                    : "tool";
    }
    endpoint.label = limb.kind == Limb::Kind::finger || limb.side.empty() ? what : limb.side + " " + what;
  }
  int arms() const {
    return static_cast<int>(
        std::ranges::count_if(plan_.limbs, [](const Limb& l) { return l.kind == Limb::Kind::arm; }));
  }

  void unique_labels() {
    std::map<std::string, int> taken, count;
    for (const EndpointFacts& one : plan_.frames) count[one.endpoint.label] += one.chosen;
    for (EndpointFacts& one : plan_.frames) {
      if (!one.chosen || count[one.endpoint.label] < 2) continue;
      one.endpoint.label += " " + std::to_string(++taken[one.endpoint.label]);
    }
  }

  const RobotDescription& d_;
  BodyPlan plan_;
  std::vector<Vector3> place_;  ///< of each link at zero
  std::vector<Matrix3> turn_;
  std::vector<int> carrier_, fixed_to_;
  std::set<int> odd_wheels_;
  std::vector<int> torso_, head_, others_;
  int shortest_ = kLimb, wheels_ = 0, casters_ = 0, rotors_ = 0;
  bool all_fingers_ = false;
};

}  // namespace

BodyPlan plan_of(const RobotDescription& description) { return Planner(description).plan(); }

}  // namespace antaeus::detail
