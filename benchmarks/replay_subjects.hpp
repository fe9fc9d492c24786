#pragma once
// What replays are timed on: robots with their URDF text, so that plain Pinocchio reads the same one, random states of
// them, and the thread's own clock.
#include <time.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "antaeus/io/files.hpp"
#include "antaeus/replay/batch.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

struct Subject {
  std::string name;
  Robot robot;
  std::string urdf;
  std::vector<std::string> endpoints;
};

inline Subject shipped_subject(const std::string& name, std::vector<std::string> endpoints) {
  return {name, load_robot(name), read_file(robots_folder() / name / (name + ".urdf")), std::move(endpoints)};
}

inline Subject written_subject(const std::string& name, Base base, const std::string& parts,
                               std::vector<std::string> endpoints) {
  const std::string urdf = "<robot name=\"" + name + "\">" + parts + "</robot>";
  RobotProfile profile;
  profile.name = profile.title = name;
  profile.options.base = base;
  const RobotModel model(parse_urdf(urdf, name + ".urdf", ".", MeshPolicy::ignored), profile.options);
  return {name, {profile, model}, urdf, std::move(endpoints)};
}

inline std::string written_link(const std::string& name, double mass, double length) {
  const auto text = [](double number) { return std::to_string(number); };
  const std::string across = text(mass * (length * length / 12.0 + 4e-4)), along = text(mass * 6e-4);
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + text(mass) + "\"/><origin xyz=\"0.01 0 " +
         text(-length / 2) + "\"/><inertia ixx=\"" + across + "\" iyy=\"" + across + "\" izz=\"" + along +
         "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
}

inline std::string written_joint(const std::string& parent, const std::string& child, const std::string& origin,
                                 const std::string& axis) {
  return "<joint name=\"to_" + child + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" + axis +
         "\"/><limit lower=\"-2\" upper=\"2\" effort=\"40\" velocity=\"20\"/></joint>";
}

/// A trunk that floats on four legs of three joints.
inline Subject quadruped() {
  std::string parts = written_link("trunk", 9.0, 0.3);
  std::vector<std::string> feet;
  for (const auto& [leg, hip] : {std::pair<std::string, std::string>{"fl", "0.2 0.07 0"},
                                 {"fr", "0.2 -0.07 0"},
                                 {"hl", "-0.2 0.07 0"},
                                 {"hr", "-0.2 -0.07 0"}}) {
    parts += written_link(leg + "_hip", 0.6, 0.08) + written_link(leg + "_thigh", 0.9, 0.21) +
             written_link(leg + "_shank", 0.25, 0.21);
    parts += written_joint("trunk", leg + "_hip", hip, "1 0 0") +
             written_joint(leg + "_hip", leg + "_thigh", "0 0.08 0", "0 1 0") +
             written_joint(leg + "_thigh", leg + "_shank", "0 0 -0.21", "0 1 0");
    const std::string foot = leg + "_foot";
    parts += "<link name=\"" + foot + "\"/><joint name=\"to_" + foot + "\" type=\"fixed\"><parent link=\"" + leg +
             "_shank\"/><child link=\"" + foot + "\"/><origin xyz=\"0 0 -0.21\"/></joint>";
    feet.push_back(foot);
  }
  return written_subject("quadruped", Base::free_flyer, parts, feet);
}

/// A chain on a fixed base, its joints about x, y and z in turn, with its endpoint at the last link.
inline Subject chain(int joints) {
  std::string parts = written_link("link_0", 1.0, 0.12);
  const char* axes[] = {"0 0 1", "0 1 0", "1 0 0"};
  for (int j = 1; j <= joints; ++j) {
    const std::string child = "link_" + std::to_string(j);
    parts += written_link(child, 0.8, 0.12) +
             written_joint("link_" + std::to_string(j - 1), child, "0.02 0 -0.12", axes[j % 3]);
  }
  return written_subject("chain", Base::fixed, parts, {"link_" + std::to_string(joints)});
}

/// Random states inside the joints' limits, a floating base turned anyhow; the same for equal arguments.
struct RandomStates {
  std::ptrdiff_t count;
  std::vector<double> q, tau, v, a, quaternion;

  RandomStates(const RobotModel& model, std::ptrdiff_t states) : count(states) {
    const int motors = model.motor_count();
    std::mt19937_64 random(17);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (std::vector<double>* channel : {&q, &tau, &v, &a}) {
      channel->resize(static_cast<std::size_t>(motors * states));
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto m = static_cast<Eigen::Index>(i) % motors;
      const double lower = std::max(model.lower_limits()[m], -3.0), upper = std::min(model.upper_limits()[m], 3.0);
      q[i] = lower + (upper - lower) * unit(random);
      tau[i] = 40.0 * (unit(random) - 0.5);
      v[i] = 2.0 * (unit(random) - 0.5);
      a[i] = 8.0 * (unit(random) - 0.5);
    }
    if (model.base() == Base::fixed) return;
    std::normal_distribution<double> normal;
    for (std::ptrdiff_t i = 0; i < states; ++i) {
      const Eigen::Vector4d turn = Eigen::Vector4d::NullaryExpr([&] { return normal(random); }).normalized();
      quaternion.insert(quaternion.end(), turn.begin(), turn.end());
    }
  }

  BatchInput input(bool dynamic) const {
    BatchInput in;
    in.count = count;
    in.q = {q};
    in.tau = {tau};
    if (!quaternion.empty()) in.imu_quaternion_xyzw = {quaternion};
    if (dynamic) {
      in.v = {v};
      in.a = {a};
    }
    return in;
  }
};

/// Of this thread alone: what other processes do in between does not count.
inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace antaeus
