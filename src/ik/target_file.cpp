// Targets out of files and texts, and the start of a search.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/ik/ik_run.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

constexpr double kUnit = 1e-3;        ///< how far a quaternion may be from unit length
constexpr double kTyped = 0.05;       ///< the same of one that was typed: 0.7,0,0.7,0 is 1 % off
constexpr double kLikeDegrees = 2.0;  ///< length from which the numbers are hardly a quaternion
constexpr std::array<const char*, 7> kColumns = {"x", "y", "z", "qx", "qy", "qz", "qw"};
constexpr const char* kForm = "write x,y,z or x,y,z,qx,qy,qz,qw";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(trimmed(std::string_view(text).substr(at, end - at)));
    if (end == text.size()) return parts;
    at = end + 1;
  }
}

/// Appends a target. \param numbers  x y z, and x y z w of a quaternion
/// \param slack  how far the quaternion's length may be from one; beyond kUnit it is noted
void append(IkTargets& targets, const std::array<double, 7>& numbers, double slack = kUnit) {
  const auto target = static_cast<int>(targets.poses.size());
  const auto problem_of = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (!std::isfinite(numbers[i])) return std::string("the target's ") + kColumns[i] + " is not a finite number";
    }
    return std::string();
  };
  Pose pose;
  pose.translation << numbers[0], numbers[1], numbers[2];
  if (std::string problem = problem_of(0, 3); !problem.empty()) {
    targets.position_problems[target] = std::move(problem);
    pose.translation.setConstant(kNaN);
  }
  if (targets.has_rotation) {
    const Eigen::Quaterniond quaternion(numbers[6], numbers[3], numbers[4], numbers[5]);
    std::string problem = problem_of(3, 7);
    const double length = quaternion.coeffs().stableNorm();
    if (problem.empty() && !(std::abs(length - 1.0) <= slack)) {
      problem = length == 0.0 ? "the target's quaternion is zero"
                              : "the target's quaternion has the length " + significant_text(length, 6) +
                                    ", which is not 1 within " + shortest_text(slack);
      if (length > kLikeDegrees) problem += "; it looks like angles in degrees: write a quaternion, qx, qy, qz, qw";
    } else if (std::abs(length - 1.0) > kUnit) {
      targets.notes.push_back("the quaternion of target " + std::to_string(target) + " has the length " +
                              significant_text(length, 4) + " and was normalised");
    }
    if (problem.empty()) {
      pose.rotation = quaternion.normalized().toRotationMatrix();
    } else {
      targets.rotation_problems[target] = std::move(problem);
      pose.rotation.setConstant(kNaN);
    }
  }
  targets.poses.push_back(pose);
}

/// The column's numbers. \throws EpisodeError at the line of the first text
std::vector<double> numbers_of(const Column& column, const std::string& file) {
  if (const auto* const text = std::get_if<TextColumn>(&column.data)) {
    for (std::size_t row = 0; row < text->size(); ++row) {
      const std::string_view cell = (*text)[row];
      if (cell.empty() || parse_number(cell)) continue;
      throw EpisodeError(file + ":" + std::to_string(row + 2),
                         "'" + printable(excerpt(cell)) + "' in column '" + trimmed(column.name) + "' is not a number",
                         "write metres and the quaternion's x y z w; nan marks a target that is not known");
    }
    throw EpisodeError(file, "column '" + trimmed(column.name) + "' holds text", "write numbers in it");
  }
  if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&column.data)) {
    return {integers->begin(), integers->end()};
  }
  return std::get<std::vector<double>>(column.data);
}

}  // namespace

IkTargets ik_targets_of(const Table& table, const std::string& file) {
  const std::vector<std::string> known(kColumns.begin(), kColumns.end());
  std::array<const Column*, 7> columns{};
  for (const Column& column : table.columns()) {
    const std::string name = trimmed(column.name);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) throw_unknown<EpisodeError>(file + ":1", "column", printable(name), known);
    const Column*& place = columns[static_cast<std::size_t>(at - known.begin())];
    if (place) throw EpisodeError(file + ":1", "the name '" + name + "' appears twice", "remove one column");
    place = &column;
  }
  const auto given = [&](std::size_t i) { return columns[i] != nullptr; };
  IkTargets targets;
  targets.has_rotation = given(3) || given(4) || given(5) || given(6);
  for (std::size_t i = 0; i < (targets.has_rotation ? 7U : 3U); ++i) {
    if (!given(i)) {
      throw EpisodeError(file + ":1", std::string("no column '") + kColumns[i] + "'",
                         "give x, y, z, and qx, qy, qz, qw or none of these four");
    }
  }
  if (table.rows() == 0) throw EpisodeError(file, "no targets in it", "give one row a target");
  targets.name = std::filesystem::path(file).stem().string();
  std::array<std::vector<double>, 7> numbers;
  for (std::size_t i = 0; i < 7; ++i) {
    if (given(i)) numbers[i] = numbers_of(*columns[i], file);
  }
  targets.poses.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::array<double, 7> one{};
    for (std::size_t i = 0; i < 7; ++i) one[i] = given(i) ? numbers[i][row] : 0.0;
    append(targets, one);
  }
  return targets;
}

IkTargets read_ik_targets(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".parquet") return ik_targets_of(read_parquet(file), file.string());
  return ik_targets_of(read_csv(file), file.string());
}

IkTargets parse_ik_targets(std::span<const std::string> texts) {
  if (texts.empty()) throw OptionsError(arg(Input::target), "no target", kForm);
  IkTargets targets;
  targets.name = "target";
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = split(text);
    if (parts.size() != 3 && parts.size() != 7) {
      throw OptionsError(
          arg(Input::target),
          "'" + printable(excerpt(text)) + "' has " + std::to_string(parts.size()) +
              (parts.size() == 1 ? " part" : " parts") + ", not 3 or 7",
          std::string(kForm) + (parts.size() == 6 ? "; an orientation is a quaternion, not three angles" : ""));
    }
    const bool rotated = parts.size() == 7;
    if (targets.poses.empty()) targets.has_rotation = rotated;
    if (targets.has_rotation != rotated) {
      throw OptionsError(arg(Input::target), "some targets have a quaternion and some have none",
                         "give it to all or to none");
    }
    std::array<double, 7> numbers{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::optional<double> number = parse_number(parts[i]);
      if (!number)
        throw OptionsError(arg(Input::target), "'" + printable(excerpt(parts[i])) + "' is not a number", kForm);
      numbers[i] = *number;
    }
    append(targets, numbers, kTyped);
  }
  return targets;
}

std::string ik_frame(const Robot& robot, const std::string& name) { return robot.frame_named(name); }

VectorX parse_ik_start(const Robot& robot, const KinematicChain& chain, const std::string& text,
                       const std::string& place) {
  constexpr const char* kWays =
      "give a pose of the profile, zero, middle, joint=value,joint=value, or one number for each joint of the chain";
  const std::vector<std::string> poses = robot.pose_names();
  if (std::ranges::find(poses, text) != poses.end()) return chain.from_motors(robot.pose(text));
  const std::vector<std::string> parts = split(text);
  const auto number = [&](const std::string& part) {
    const std::optional<double> value = parse_number(part);
    if (!value || !std::isfinite(*value)) {
      throw OptionsError(place, "'" + printable(excerpt(part)) + "' is not a finite number", kWays);
    }
    return *value;
  };
  VectorX q = chain.middle();
  if (text.find('=') != std::string::npos) {
    std::vector<std::string> names, seen;
    for (const ChainJoint& joint : chain.joints()) names.push_back(joint.name);
    for (const std::string& part : parts) {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos) {
        throw OptionsError(place, "'" + printable(excerpt(part)) + "' is not a joint=value", kWays);
      }
      const std::string name = trimmed(part.substr(0, equals));
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end()) throw_unknown<OptionsError>(place, "joint of the chain", name, names);
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        throw OptionsError(place, "joint '" + printable(name) + "' is given twice", "remove one");
      }
      seen.push_back(name);
      q[at - names.begin()] = number(part.substr(equals + 1));
    }
    return q;
  }
  if (!parse_number(parts.front())) {
    if (parts.size() > 1) {
      throw OptionsError(place, "'" + printable(excerpt(text)) + "' is neither a pose of the profile nor numbers",
                         kWays);
    }
    throw_unknown<OptionsError>(place, "pose", text, poses);
  }
  if (std::ssize(parts) != q.size()) {
    throw OptionsError(place, std::to_string(parts.size()) + " numbers for a chain of " + std::to_string(q.size()),
                       kWays);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) q[static_cast<Eigen::Index>(i)] = number(parts[i]);
  return q;
}

}  // namespace antaeus
