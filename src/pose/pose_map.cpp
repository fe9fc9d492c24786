#include "antaeus/pose/pose_map.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/replay/replay.hpp"
#include "core/in_blocks.hpp"
#include "pose/joint_positions.hpp"
#include "pose/pose_batch.hpp"

namespace antaeus {

namespace {

constexpr double kSamePosition = 1e-9;

void check_pose(const Robot& robot, const LabelledPose& pose) {
  const int motors = robot.model.motor_count();
  if (pose.q.size() == motors && pose.q.allFinite()) return;
  throw OptionsError("pose '" + pose.name + "'", std::to_string(pose.q.size()) + " values, or NaN among them",
                     "give " + std::to_string(motors) + " finite positions");
}

std::vector<std::string> labels_of(const Robot& robot, const std::vector<std::string>& frames) {
  std::vector<std::string> labels;
  for (const std::string& frame : frames) labels.push_back(robot.profile.label_of(frame));
  return labels;
}

std::string unit_of_position(const RobotModel& model, int motor) { return slides(model, motor) ? "m" : "rad"; }

/// Samples of \p count poses, one list an endpoint, in blocks over the robot's `replay.threads`.
/// \param place  writes the motor positions of a pose; from several threads
template <class Place>
std::vector<std::vector<PoseSample>> sample_poses(const Robot& robot, const std::vector<std::string>& endpoints,
                                                  std::ptrdiff_t count, const Progress& progress, const Place& place) {
  constexpr std::ptrdiff_t kBlock = PoseBatch::kPoses;
  const auto options = robot.settings(endpoints).get<ReplayOptions>();
  check_options(options);
  const std::ptrdiff_t threads = std::min<std::ptrdiff_t>(thread_count(options), count / kBlock + 1);
  // Reliability is no part of a sample.
  constexpr PoseParts kParts{.reliability = false};
  // Made here, where what they throw is the caller's.
  std::deque<PoseBatch> workers;
  for (std::ptrdiff_t k = 0; k < threads; ++k) workers.emplace_back(robot, endpoints, kParts);
  std::vector<std::vector<PoseSample>> samples(endpoints.size());
  for (std::vector<PoseSample>& each : samples) each.resize(static_cast<std::size_t>(count));
  const auto motors = static_cast<std::size_t>(robot.model.motor_count());
  detail::in_blocks(count, kBlock, static_cast<int>(threads), progress, [&](int thread) {
    return [&, &worker = workers[static_cast<std::size_t>(thread)], q = std::vector<double>(kBlock * motors),
            into = std::vector<PoseSample*>(endpoints.size())](std::ptrdiff_t first, std::ptrdiff_t last) mutable {
      for (std::ptrdiff_t i = first; i < last; ++i) place(i, &q[static_cast<std::size_t>(i - first) * motors]);
      for (std::size_t k = 0; k < into.size(); ++k) into[k] = &samples[k][static_cast<std::size_t>(first)];
      worker.evaluate(q.data(), static_cast<int>(last - first), into.data());
    };
  });
  if (progress) progress(1.0);
  return samples;
}

/// Columns that samples fill, in the order of add().
class SampleColumns {
 public:
  void add(const PoseSample& s) {
    const double numbers[] = {s.gain,
                              s.force_gain,
                              s.kappa,
                              s.sd,
                              s.sd_moving,
                              s.axis_sd.x(),
                              s.axis_sd.y(),
                              s.axis_sd.z(),
                              s.worst_direction.x(),
                              s.worst_direction.y(),
                              s.worst_direction.z(),
                              s.position.x(),
                              s.position.y(),
                              s.position.z()};
    for (std::size_t i = 0; i < std::size(numbers); ++i) numbers_[i].push_back(numbers[i]);
    observable_.push_back(s.observable);
  }
  void finish(Table& table) {
    struct Head {
      const char *name, *unit, *meaning;
    };
    constexpr Head kHeads[] = {
        {"gain", "N/(N·m)", "what 1 N·m at the reference joint becomes in the profile's wrench row, as deployed"},
        {"force_gain", "N/(N·m)", "norm of the force that 1 N·m at the reference joint becomes, as deployed"},
        {"kappa", "1", "condition number of the endpoint's Jacobian; mixes m and rad"},
        {"sd", "N", "posterior sd of the force in its worst direction, robot at rest"},
        {"sd_moving", "N", "the same while the robot moves and the residual is static"},
        {"sd_Fx", "N", "posterior sd along x at rest, axes of the upright base"},
        {"sd_Fy", "N", "posterior sd along y at rest, axes of the upright base"},
        {"sd_Fz", "N", "posterior sd along z at rest, axes of the upright base"},
        {"worst_x", "1", "direction of `sd`, unit length, x"},
        {"worst_y", "1", "direction of `sd`, unit length, y"},
        {"worst_z", "1", "direction of `sd`, unit length, z"},
        {"x", "m", "endpoint's origin in base axes, x"},
        {"y", "m", "endpoint's origin in base axes, y"},
        {"z", "m", "endpoint's origin in base axes, z"}};
    static_assert(std::size(kHeads) == kNumbers);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      table.add({kHeads[i].name, kHeads[i].unit, kHeads[i].meaning, std::move(numbers_[i])});
    }
    table.add({"observable", "1", "directions of the force with an sd up to posterior.observable_sd, 0 to 3",
               std::move(observable_)});
  }

 private:
  static constexpr std::size_t kNumbers = 14;
  std::vector<double> numbers_[kNumbers];
  std::vector<std::int64_t> observable_;
};

}  // namespace

double PoseSample::value(PoseQuantity quantity) const noexcept {
  switch (quantity) {
    case PoseQuantity::sd: return sd;
    case PoseQuantity::sd_moving: return sd_moving;
    case PoseQuantity::gain: return std::abs(gain);
    case PoseQuantity::force_gain: return force_gain;
    case PoseQuantity::kappa: return kappa;
    case PoseQuantity::error_force: return error_force;
  }
  return kNaN;
}

std::vector<MappedQuantity> mapped_quantities(const Robot& robot, const std::vector<std::string>& endpoints) {
  std::vector<MappedQuantity> quantities;
  for (const PoseLimitSet set : {PoseLimitSet::published, PoseLimitSet::sd}) {
    for (const PoseLimit& limit : pose_limits(robot, set, endpoints).limits)
      quantities.push_back({limit.quantity, limit.limit});
  }
  return quantities;
}

PoseMap map_poses(const Robot& robot, const std::vector<std::string>& endpoints, const LabelledPose& held,
                  std::string_view joint_x, std::string_view joint_y, int steps, const Progress& progress) {
  check_pose(robot, held);
  const RobotModel& model = robot.model;
  const int motor_x = model.motor(joint_x), motor_y = model.motor(joint_y);
  if (motor_x == motor_y) throw OptionsError(arg(Input::joint), "the same joint twice", "name two joints");
  if (steps < 2 || steps > 1000) {
    throw OptionsError(arg(Input::steps), std::to_string(steps) + " is not a number of steps", "give 2 to 1000");
  }
  std::vector<int> supporting;
  for (const std::string& endpoint : endpoints) {
    const std::vector<int> own = model.supporting_motors(model.frame(endpoint));
    supporting.insert(supporting.end(), own.begin(), own.end());
  }
  const auto moves = [&](int motor) {
    return std::find(supporting.begin(), supporting.end(), motor) != supporting.end();
  };
  for (const auto& [motor, name] : {std::pair(motor_x, joint_x), std::pair(motor_y, joint_y)}) {
    if (moves(motor)) continue;
    throw OptionsError(arg(Input::joint), "'" + std::string(name) + "' moves none of the endpoints",
                       "name a joint of their limbs");
  }
  PoseMap map{held.name,
              std::string(joint_x),
              std::string(joint_y),
              joint_positions(robot, motor_x, held.q[motor_x], steps),
              joint_positions(robot, motor_y, held.q[motor_y], steps),
              endpoints,
              labels_of(robot, endpoints),
              {},
              {},
              unit_of_position(model, motor_x),
              unit_of_position(model, motor_y)};
  const std::ptrdiff_t across = map.x.size();
  map.samples = sample_poses(robot, endpoints, across * map.y.size(), progress, [&](std::ptrdiff_t i, double* q) {
    std::copy(held.q.begin(), held.q.end(), q);
    q[motor_x] = map.x[i % across];
    q[motor_y] = map.y[i / across];
  });
  const auto mark = [&](const std::string& name, const VectorX& pose) {
    MapMark at{name, pose[motor_x], pose[motor_y], true};
    for (const int motor : supporting) {
      const bool free = motor == motor_x || motor == motor_y;
      if (!free && std::abs(pose[motor] - held.q[motor]) > kSamePosition) at.in_plane = false;
    }
    const auto inside = [](const VectorX& range, double value) {
      return value >= range[0] && value <= range[range.size() - 1];
    };
    if (inside(map.x, at.x) && inside(map.y, at.y)) map.marks.push_back(std::move(at));
  };
  mark(held.name, held.q);
  for (const NamedPose& pose : robot.profile.poses) {
    if (pose.name != held.name) mark(pose.name, robot.pose(pose.name));
  }
  return map;
}

PoseList list_poses(const Robot& robot, const std::vector<std::string>& endpoints, std::vector<LabelledPose> poses,
                    const Progress& progress) {
  if (poses.empty()) throw OptionsError(arg(Input::poses), "no poses", "give at least one");
  for (const LabelledPose& pose : poses) check_pose(robot, pose);
  PoseList list{std::move(poses), robot.model.motor_names(), endpoints, labels_of(robot, endpoints), {}};
  for (int m = 0; m < robot.model.motor_count(); ++m) list.units.push_back(unit_of_position(robot.model, m));
  list.samples = sample_poses(robot, endpoints, std::ssize(list.poses), progress, [&](std::ptrdiff_t i, double* q) {
    const VectorX& pose = list.poses[static_cast<std::size_t>(i)].q;
    std::copy(pose.begin(), pose.end(), q);
  });
  return list;
}

std::vector<LabelledPose> poses_from_table(const Robot& robot, const Table& table, const std::string& file) {
  const std::vector<std::string>& motors = robot.model.motor_names();
  std::vector<std::pair<Eigen::Index, std::vector<double>>> columns;
  std::vector<std::string> unknown;
  const TextColumn* names = nullptr;
  for (const Column& column : table.columns()) {
    const auto motor = std::find(motors.begin(), motors.end(), column.name);
    if (motor != motors.end()) {
      columns.emplace_back(motor - motors.begin(), table.numbers(column.name));
    } else if (column.name == "pose" && std::holds_alternative<TextColumn>(column.data)) {
      names = &std::get<TextColumn>(column.data);
    } else {
      unknown.push_back(column.name);
    }
  }
  // A column that is nearly a motor's was meant to be one: its joint would silently stand at zero.
  for (const std::string& name : unknown) {
    const std::string near = nearest_name(name, motors);
    if (!near.empty()) throw OptionsError(file, "no motor '" + name + "'", "did you mean '" + near + "'?");
  }
  if (columns.empty()) {
    throw OptionsError(file, "no column is named after a motor",
                       motors.empty() ? "the robot has none" : "the first motor is '" + motors.front() + "'");
  }
  std::vector<LabelledPose> poses;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    LabelledPose pose{names ? std::string((*names)[row]) : "row " + std::to_string(row), allowed_zeros(robot.model)};
    for (const auto& [motor, values] : columns) {
      if (!std::isfinite(values[row])) {
        throw OptionsError(file + " row " + std::to_string(row), "no number for '" + motors[motor] + "'",
                           "give every motor's position");
      }
      pose.q[motor] = values[row];
    }
    poses.push_back(std::move(pose));
  }
  if (poses.empty()) throw OptionsError(file, "no rows", "give one pose a line");
  return poses;
}

Table pose_table(const PoseMap& map) {
  std::vector<double> x, y;
  TextColumn endpoint;
  SampleColumns numbers;
  for (Eigen::Index iy = 0; iy < map.y.size(); ++iy) {
    for (Eigen::Index ix = 0; ix < map.x.size(); ++ix) {
      for (std::size_t k = 0; k < map.endpoints.size(); ++k) {
        x.push_back(map.x[ix]);
        y.push_back(map.y[iy]);
        endpoint.push_back(map.endpoints[k]);
        numbers.add(map.samples[k][iy * map.x.size() + ix]);
      }
    }
  }
  Table table;
  table.add({map.joint_x, map.unit_x, "position of the first joint; the others are held in the pose " + map.pose,
             std::move(x)});
  table.add({map.joint_y, map.unit_y, "position of the second joint", std::move(y)});
  table.add({"endpoint", "", "frame of the model", std::move(endpoint)});
  numbers.finish(table);
  return table;
}

Table pose_table(const PoseList& list) {
  TextColumn pose, endpoint;
  SampleColumns numbers;
  std::vector<std::vector<double>> positions(list.joints.size());
  for (std::size_t i = 0; i < list.poses.size(); ++i) {
    for (std::size_t k = 0; k < list.endpoints.size(); ++k) {
      pose.push_back(list.poses[i].name);
      endpoint.push_back(list.endpoints[k]);
      numbers.add(list.samples[k][i]);
      for (std::size_t m = 0; m < positions.size(); ++m) {
        positions[m].push_back(list.poses[i].q[m]);
      }
    }
  }
  Table table;
  table.add({"pose", "", "name of the pose", std::move(pose)});
  table.add({"endpoint", "", "frame of the model", std::move(endpoint)});
  numbers.finish(table);
  for (std::size_t m = 0; m < positions.size(); ++m) {
    table.add({list.joints[m], list.units.empty() ? "rad" : list.units[m], "motor position", std::move(positions[m])});
  }
  return table;
}

}  // namespace antaeus
