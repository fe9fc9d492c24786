// Mistakes that are planted in a good log. Each is one function of its channels.
#include "antaeus/check/mutate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "check/judged_log.hpp"
#include "check/unit_numbers.hpp"

namespace antaeus {

namespace {

constexpr double kCountsPerRadian = 4096.0 / 6.283185307179586;  ///< of an encoder with 12 bits
constexpr double kFrictionSpeed = 0.03;                          ///< [rad/s] at which dry friction is developed

/// Which joints a fault takes where nobody names any.
enum class Usual { all, most_moving, two_moving, most_loaded, two_loaded, none };

class Mutation {
 public:
  Mutation(const Robot& robot, const Episode& log, PlantedFault& planted)
      : robot_(robot), log_(log), planted_(planted), motors_(robot.model.motor_count()) {}

  Episode plant() {
    switch (planted_.fault) {
      case Fault::time_unit: need_time(), log_.time *= size(1e3); break;
      case Fault::time_gap: leave_out(size(1.0)); break;
      case Fault::time_back: need_time(), log_.time.tail(log_.steps() - log_.steps() / 2).array() -= size(0.1); break;
      case Fault::time_repeated: repeat_stamps(size(0.1)); break;
      case Fault::time_missing: need_time(), log_.time.setConstant(kNaN); break;
      case Fault::positions_degrees: scale_positions(Usual::all, size(detail::kDegreesPerRadian), true, true); break;
      case Fault::position_unit: scale_positions(Usual::all, size(kCountsPerRadian), false, true); break;
      case Fault::position_offset: offset_positions(size(0.3), 0); break;
      case Fault::position_sign: scale_positions(Usual::most_moving, size(-1.0), true, false); break;
      case Fault::position_frozen: freeze(log_.q, "qpos", Usual::most_moving); break;
      case Fault::position_jump: offset_positions(size(0.5), log_.steps() / 2); break;
      case Fault::joint_order:
        choose(Usual::two_moving), exchange(log_.q), exchange(log_.target), exchange(log_.v), exchange(log_.a);
        break;
      case Fault::joint_locked: lock(); break;
      case Fault::velocity_scale: scale_rates(Usual::all, size(detail::kDegreesPerRadian)); break;
      case Fault::velocity_sign: scale_rates(Usual::most_moving, size(-1.0)); break;
      case Fault::velocity_late: delay_rates(size(0.08)); break;
      case Fault::velocity_frozen: freeze(log_.v, "dq", Usual::most_moving); break;
      case Fault::torque_order: choose(Usual::two_loaded), exchange(log_.tau); break;
      case Fault::torque_sign: scale(log_.tau, "tau", Usual::all, size(-1.0)); break;
      case Fault::torque_gain: scale(log_.tau, "tau", Usual::all, size(2.0)); break;
      case Fault::torque_late: delay(log_.tau, "tau", size(0.02)); break;
      case Fault::torque_frozen: freeze(log_.tau, "tau", Usual::most_moving); break;
      case Fault::torque_saturated: saturate(size(0.6)); break;
      case Fault::torque_quantised: quantise(); break;
      case Fault::motor_side: scale(log_.tau, "tau", Usual::all, 1.0 / size(100.0)); break;
      case Fault::gravity_removed: remove_gravity(); break;
      case Fault::friction_removed: remove_friction(); break;
      case Fault::quaternion_order: reorder_quaternion(); break;
      case Fault::quaternion_inverse:
        need(log_.imu_quaternion, "imu_quat"), log_.imu_quaternion.leftCols<3>() *= -1.0;
        break;
      case Fault::imu_link: turn_sensor(size(1.5707963267948966)); break;
      case Fault::accelerometer_unit:
        scale_axes(log_.imu_specific_force, "imu_acc", size(1.0 / detail::kStandardGravity));
        break;
      case Fault::accelerometer_sign: scale_axes(log_.imu_specific_force, "imu_acc", size(-1.0)); break;
      case Fault::accelerometer_gravity_removed: remove_measured_gravity(); break;
      case Fault::gyro_unit: scale_axes(log_.imu_angular_velocity, "imu_gyro", size(detail::kDegreesPerRadian)); break;
      case Fault::gyro_sign: scale_axes(log_.imu_angular_velocity, "imu_gyro", size(-1.0)); break;
      case Fault::other_robot: scale_masses(size(1.4)); break;
      case Fault::payload: load(size(1.0)); break;
      case Fault::base_tilted: tilt(size(0.1)); break;
      case Fault::not_numbers: spoil(size(0.05)); break;
      default: {
        std::vector<std::string> names;
        for (const Fault fault : plantable_faults()) names.emplace_back(to_string(fault));
        throw_unknown<OptionsError>(arg(Input::fault), "fault that can be planted", to_string(planted_.fault), names);
      }
    }
    return std::move(log_);
  }

 private:
  double size(double usual) {
    if (std::isnan(planted_.size)) planted_.size = usual;
    if (!std::isfinite(planted_.size) || planted_.size == 0.0) {
      throw OptionsError(arg(Input::size), "nothing is planted with it", "give a number other than zero");
    }
    return planted_.size;
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw OptionsError(arg(Input::fault, to_string(planted_.fault)), problem, remedy);
  }
  void need(const SampleMatrix& samples, const char* name) const {
    if (samples.rows() == 0) refuse("the log has no " + std::string(name), "take a log that holds it");
  }
  void need_time() const {
    if (!log_.has_time() || log_.steps() < 2) refuse("the log has no clock", "take a log with time stamps");
  }

  // Joints -----------------------------------------------------------------------------------------------------------

  int motor_of(const std::string& name) const {
    const auto& labels = robot_.profile.motor_labels;
    const auto label = std::find(labels.begin(), labels.end(), name);
    if (label != labels.end()) return static_cast<int>(label - labels.begin());
    return motor_named(robot_.model, name, arg(Input::joints));
  }

  /// Motors by a figure of their columns, the largest first.
  std::vector<int> largest_first(const std::function<double(int)>& figure) const {
    std::vector<int> order(static_cast<std::size_t>(motors_));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return figure(a) > figure(b); });
    return order;
  }
  static double range(const SampleMatrix& samples, int column) {
    double least = kInfinity, largest = -kInfinity;
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
      if (!std::isfinite(samples(i, column))) continue;
      least = std::min(least, samples(i, column)), largest = std::max(largest, samples(i, column));
    }
    return largest < least ? 0.0 : largest - least;
  }
  double mean_torque(int motor) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < log_.tau.rows(); ++i) {
      if (std::isfinite(log_.tau(i, motor))) sum += std::abs(log_.tau(i, motor));
    }
    return sum;
  }

  /// The motors that are taken, and their names into `planted`.
  const std::vector<int>& choose(Usual usual) {
    for (const std::string& name : planted_.joints) chosen_.push_back(motor_of(name));
    const bool two = usual == Usual::two_moving || usual == Usual::two_loaded;
    if (chosen_.empty()) {
      switch (usual) {
        case Usual::none: break;
        case Usual::all:
          chosen_.resize(static_cast<std::size_t>(motors_));
          std::iota(chosen_.begin(), chosen_.end(), 0);
          break;
        case Usual::most_moving:
        case Usual::two_moving: chosen_ = largest_first([this](int m) { return range(log_.q, m); }); break;
        default: chosen_ = largest_first([this](int m) { return mean_torque(m); }); break;
      }
      if (usual != Usual::all && chosen_.size() > (two ? 2U : 1U)) chosen_.resize(two ? 2U : 1U);
    }
    if (two && chosen_.size() < 2) refuse("it needs two joints", "give " + arg(Input::joints, "A,B"));
    planted_.joints.clear();
    for (const int motor : chosen_) {
      planted_.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(motor)]);
    }
    return chosen_;
  }

  // Channels of motors -----------------------------------------------------------------------------------------------

  static void scale_column(SampleMatrix& samples, int motor, double factor) {
    if (samples.rows() > 0) samples.col(motor) *= factor;
  }
  void scale(SampleMatrix& samples, const char* name, Usual usual, double factor) {
    need(samples, name);
    for (const int motor : choose(usual)) scale_column(samples, motor, factor);
  }
  /// Accelerations come from where velocities do.
  void scale_rates(Usual usual, double factor) {
    scale(log_.v, "dq", usual, factor);
    for (const int motor : chosen_) scale_column(log_.a, motor, factor);
  }
  /// \param rates  whether velocities and accelerations are in the same unit \param angles  whether of angles alone
  void scale_positions(Usual usual, double factor, bool rates, bool angles) {
    need(log_.q, "qpos");
    if (usual == Usual::all && angles && planted_.joints.empty()) {
      const std::vector<char> sliding = detail::sliding_motors(robot_.model);
      for (int m = 0; m < motors_; ++m) {
        if (!sliding[static_cast<std::size_t>(m)])
          planted_.joints.push_back(robot_.model.motor_names()[static_cast<std::size_t>(m)]);
      }
    }
    for (const int motor : choose(usual)) {
      scale_column(log_.q, motor, factor), scale_column(log_.target, motor, factor);
      if (rates) scale_column(log_.v, motor, factor), scale_column(log_.a, motor, factor);
    }
  }
  void offset_positions(double offset, Eigen::Index from) {
    need(log_.q, "qpos");
    for (const int motor : choose(from > 0 ? Usual::most_moving : Usual::most_loaded)) {
      log_.q.col(motor).tail(log_.steps() - from).array() += offset;
      if (log_.target.rows() > 0) log_.target.col(motor).tail(log_.steps() - from).array() += offset;
    }
  }
  static void hold(SampleMatrix& samples, int motor) {
    if (samples.rows() > 0) samples.col(motor).setConstant(samples(0, motor));
  }
  void freeze(SampleMatrix& samples, const char* name, Usual usual) {
    need(samples, name);
    for (const int motor : choose(usual)) hold(samples, motor);
  }
  /// A joint that the log says stands, though it moves.
  void lock() {
    need(log_.q, "qpos");
    for (const int motor : choose(Usual::most_moving)) {
      hold(log_.q, motor), hold(log_.target, motor);
      if (log_.v.rows() > 0) log_.v.col(motor).setZero();
      if (log_.a.rows() > 0) log_.a.col(motor).setZero();
    }
  }
  /// The chosen columns in a ring: of two, one for the other.
  void exchange(SampleMatrix& samples) const {
    if (samples.rows() == 0) return;
    const VectorX first = samples.col(chosen_.front());
    for (std::size_t i = 0; i + 1 < chosen_.size(); ++i) samples.col(chosen_[i]) = samples.col(chosen_[i + 1]);
    samples.col(chosen_.back()) = first;
  }
  /// What the channel reads is what was true `late` before; the first sample is held.
  void delay(SampleMatrix& samples, const char* name, double late) {
    need(samples, name), need_time();
    const SampleMatrix right = samples;
    const std::vector<int> motors = chosen_.empty() ? choose(Usual::all) : chosen_;
    const double *const begin = log_.time.data(), *const end = begin + log_.steps();
    for (Eigen::Index i = 0; i < log_.steps(); ++i) {
      const double at = log_.time[i] - late;
      const Eigen::Index next = std::upper_bound(begin, end, at) - begin;
      const Eigen::Index before = std::max<Eigen::Index>(next - 1, 0), after = std::min(next, log_.steps() - 1);
      const double gap = log_.time[after] - log_.time[before];
      const double share = gap > 0.0 ? std::clamp((at - log_.time[before]) / gap, 0.0, 1.0) : 0.0;
      for (const int motor : motors) {
        samples(i, motor) = (1.0 - share) * right(before, motor) + share * right(after, motor);
      }
    }
  }
  void delay_rates(double late) {
    delay(log_.v, "dq", late);
    if (log_.a.rows() > 0) delay(log_.a, "ddq", late);
  }
  double peak(int motor) const {
    double most = 0.0;
    for (Eigen::Index i = 0; i < log_.tau.rows(); ++i) {
      if (std::isfinite(log_.tau(i, motor))) most = std::max(most, std::abs(log_.tau(i, motor)));
    }
    return most;
  }
  void saturate(double share) {
    need(log_.tau, "tau");
    for (const int motor : choose(Usual::most_loaded)) {
      const double limit = std::abs(share) * peak(motor);
      for (double& tau : log_.tau.col(motor)) tau = std::isfinite(tau) ? std::clamp(tau, -limit, limit) : tau;
    }
  }
  void quantise() {
    need(log_.tau, "tau");
    constexpr double kSteps = 20.0;  // of the largest torque
    double most = 0.0;
    for (const int motor : choose(Usual::all)) most = std::max(most, peak(motor));
    const double step = std::abs(size(most > 0.0 ? most / kSteps : 1.0));
    for (const int motor : chosen_) {
      for (double& tau : log_.tau.col(motor)) tau = step * std::round(tau / step);
    }
  }
  void spoil(double share) {
    need(log_.tau, "tau");
    const auto each =
        static_cast<Eigen::Index>(std::max(1.0, std::round(1.0 / std::clamp(std::abs(share), 1e-6, 1.0))));
    for (const int motor : choose(Usual::most_loaded)) {
      for (Eigen::Index i = each / 2; i < log_.steps(); i += each) log_.tau(i, motor) = kNaN;
    }
  }

  // Time -------------------------------------------------------------------------------------------------------------

  template <class Function>
  void for_each_matrix(Function&& function) {
    for (SampleMatrix* samples : {&log_.tau, &log_.q, &log_.target, &log_.v, &log_.a, &log_.imu_quaternion,
                                  &log_.imu_angular_velocity, &log_.imu_specific_force}) {
      if (samples->rows() > 0) function(*samples);
    }
  }
  /// Rows of the middle are not recorded.
  void leave_out(double duration) {
    need_time();
    const double middle = 0.5 * (log_.time[0] + log_.time[log_.steps() - 1]);
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < log_.steps(); ++i) {
      const double from_middle = log_.time[i] - middle;
      if (from_middle < 0.0 || from_middle >= std::abs(duration)) kept.push_back(i);
    }
    if (std::ssize(kept) == log_.steps() || log_.time[kept.back()] < middle) {
      refuse("a gap of that size does not fit into the log",
             "give a " + arg(Input::size) + " [s] of less than half of the log");
    }
    log_.time = VectorX(log_.time(kept));
    for_each_matrix([&kept](SampleMatrix& samples) { samples = SampleMatrix(samples(kept, Eigen::all)); });
    log_.invalid_steps.clear();
  }
  void repeat_stamps(double share) {
    need_time();
    const auto each =
        static_cast<Eigen::Index>(std::max(2.0, std::round(1.0 / std::clamp(std::abs(share), 1e-6, 1.0))));
    for (Eigen::Index i = each; i < log_.steps(); i += each) log_.time[i] = log_.time[i - 1];
  }

  // Inertial sensor --------------------------------------------------------------------------------------------------

  void scale_axes(SampleMatrix& samples, const char* name, double factor) {
    need(samples, name);
    planted_.joints.clear();
    samples *= factor;
  }
  /// w x y z in the columns that are read as x y z w.
  void reorder_quaternion() {
    need(log_.imu_quaternion, "imu_quat");
    const SampleMatrix right = log_.imu_quaternion;
    log_.imu_quaternion << right.col(3), right.leftCols<3>();
  }
  /// The sensor sits turned about its x axis: all that it measures is in the other axes.
  void turn_sensor(double angle) {
    if (!log_.has_imu() && log_.imu_angular_velocity.rows() == 0 && log_.imu_specific_force.rows() == 0) {
      refuse("the log has no inertial sensor", "take a log that holds one");
    }
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(angle, Vector3::UnitX()));
    const Matrix3 R = turn.toRotationMatrix();
    for (Eigen::Index i = 0; i < log_.imu_quaternion.rows(); ++i) {
      const Eigen::Vector4d c = log_.imu_quaternion.row(i).transpose();
      log_.imu_quaternion.row(i) = (Eigen::Quaterniond(c[3], c[0], c[1], c[2]) * turn).coeffs().transpose();
    }
    for (SampleMatrix* samples : {&log_.imu_angular_velocity, &log_.imu_specific_force}) {
      if (samples->rows() > 0) *samples = SampleMatrix(*samples * R);
    }
  }
  void remove_measured_gravity() {
    need(log_.imu_specific_force, "imu_acc"), need(log_.imu_quaternion, "imu_quat");
    for (Eigen::Index i = 0; i < log_.steps(); ++i) {
      const Eigen::Vector4d c = log_.imu_quaternion.row(i).transpose();
      const Eigen::Quaterniond sensor(c[3], c[0], c[1], c[2]);
      log_.imu_specific_force.row(i) += (sensor.conjugate() * robot_.model.gravity()).transpose();
    }
  }

  // Torques by the model ---------------------------------------------------------------------------------------------

  /// Derivative of a column in time, as far as the clock tells.
  SampleMatrix rate(const SampleMatrix& samples) const {
    SampleMatrix rates = SampleMatrix::Zero(samples.rows(), samples.cols());
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
      const Eigen::Index from = std::max<Eigen::Index>(i - 1, 0), to = std::min(i + 1, samples.rows() - 1);
      const double gap = log_.has_time() ? log_.time[to] - log_.time[from] : 0.0;
      if (gap > 0.0) rates.row(i) = (samples.row(to) - samples.row(from)) / gap;
    }
    return rates;
  }
  SampleMatrix velocities() const { return log_.v.rows() > 0 ? log_.v : rate(log_.q); }
  SampleMatrix accelerations() const { return log_.a.rows() > 0 ? log_.a : rate(velocities()); }

  /// Full vectors of one step, and what `torque` [nv] of them gives, in motor order; NaN where the step holds none.
  using ModelTorque = std::function<Status(const PositionTerms&, const VectorX& v, const VectorX& a, VectorX& torque)>;
  SampleMatrix model_torques(const RobotModel& model, const ModelTorque& torque) const {
    Dynamics dynamics(model);
    const SampleMatrix v = velocities(), a = accelerations();
    VectorX q(model.nq()), full_v(model.nv()), full_a(model.nv()), full(model.nv());
    SampleMatrix result(log_.steps(), motors_);
    for (Eigen::Index i = 0; i < log_.steps(); ++i) {
      Eigen::Vector4d quaternion(0, 0, 0, 1);
      if (log_.has_imu() && robot_.profile.imu.frame.empty()) quaternion = log_.imu_quaternion.row(i).transpose();
      full_v.setZero(), full_a.setZero();
      for (int m = 0; m < motors_; ++m) {
        const int row = model.motor_rows()[static_cast<std::size_t>(m)];
        full_v[row] = v(i, m), full_a[row] = a(i, m);
      }
      const bool fine = model.position_from_motors(log_.q.row(i).transpose(), quaternion, q) == Status::ok &&
                        torque(dynamics.at(q), full_v, full_a, full) == Status::ok;
      for (int m = 0; m < motors_; ++m) {
        result(i, m) = fine ? full[model.motor_rows()[static_cast<std::size_t>(m)]] : kNaN;
      }
    }
    return result;
  }
  /// Joint torques into the channels, through the profile's sign, gear and scale.
  void add_torques(const SampleMatrix& torques) {
    for (int m = 0; m < motors_; ++m) {
      const JointFigures& f = robot_.profile.figures[static_cast<std::size_t>(m)];
      log_.tau.col(m) += torques.col(m) / (robot_.profile.torque_sign * f.scale * f.gear);
    }
  }
  void need_torques() const { need(log_.tau, "tau"), need(log_.q, "qpos"); }

  void remove_gravity() {
    need_torques();
    SampleMatrix gravity = model_torques(robot_.model, [](const PositionTerms& terms, const VectorX&, const VectorX&,
                                                          VectorX& g) { return terms.gravity_torque(g); });
    std::vector<bool> taken(static_cast<std::size_t>(motors_), false);
    for (const int motor : choose(Usual::all)) taken[static_cast<std::size_t>(motor)] = true;
    for (int m = 0; m < motors_; ++m) {
      if (!taken[static_cast<std::size_t>(m)]) gravity.col(m).setZero();
    }
    add_torques(-gravity);
  }
  /// Friction that fits what the model leaves of the torques, beside an offset and a rotor.
  void remove_friction() {
    need_torques(), need_time();
    const SampleMatrix model =
        model_torques(robot_.model, [](const PositionTerms& terms, const VectorX& v, const VectorX& a, VectorX& tau) {
          return terms.inverse_dynamics(v, a, tau);
        });
    const SampleMatrix v = velocities(), a = accelerations();
    for (const int m : choose(Usual::all)) {
      Eigen::Matrix4d normal = 1e-9 * Eigen::Matrix4d::Identity();
      Eigen::Vector4d right = Eigen::Vector4d::Zero();
      const auto row = [&](Eigen::Index i) {
        return Eigen::Vector4d(std::tanh(v(i, m) / kFrictionSpeed), v(i, m), 1.0, a(i, m));
      };
      for (Eigen::Index i = 0; i < log_.steps(); ++i) {
        const double left = robot_.profile.joint_torque(static_cast<std::size_t>(m), log_.tau(i, m)) - model(i, m);
        if (!std::isfinite(left) || !row(i).allFinite()) continue;
        normal += row(i) * row(i).transpose(), right += row(i) * left;
      }
      const Eigen::Vector4d fitted = normal.ldlt().solve(right);
      SampleMatrix friction = SampleMatrix::Zero(log_.steps(), motors_);
      for (Eigen::Index i = 0; i < log_.steps(); ++i) friction(i, m) = -row(i).head<2>().dot(fitted.head<2>());
      add_torques(friction);
    }
  }
  /// The torques of a robot whose links weigh more: inverse dynamics is linear in masses and inertias.
  void scale_masses(double factor) {
    need_torques();
    ModelOptions options = robot_.model.options();
    options.armature.clear();
    const SampleMatrix links = model_torques(RobotModel(robot_.model.description(), options),
                                             [](const PositionTerms& terms, const VectorX& v, const VectorX& a,
                                                VectorX& tau) { return terms.inverse_dynamics(v, a, tau); });
    planted_.joints.clear();
    add_torques((factor - 1.0) * links);
  }
  void load(double mass) {
    need_torques();
    const auto& endpoints = robot_.profile.endpoints;
    const std::string frame = !planted_.joints.empty() ? planted_.joints.front()
                              : !endpoints.empty()     ? endpoints.front().frame
                                                       : robot_.model.motor_names().back();
    Payload payload;
    payload.frame = frame, payload.inertial.mass = std::abs(mass);
    const ModelTorque torque = [](const PositionTerms& terms, const VectorX& v, const VectorX& a, VectorX& tau) {
      return terms.inverse_dynamics(v, a, tau);
    };
    SampleMatrix more = model_torques(with_payload(robot_, payload, arg(Input::joints)).model, torque);
    more -= model_torques(robot_.model, torque);
    planted_.joints = {frame};
    add_torques(mass < 0.0 ? SampleMatrix(-more) : more);
  }
  /// The base stands turned about its x axis, and nobody says so.
  void tilt(double angle) {
    need_torques();
    const Vector3 level = robot_.model.gravity();
    const Vector3 tilted = Eigen::AngleAxisd(-angle, Vector3::UnitX()) * level;
    VectorX flat(robot_.model.nv());
    const SampleMatrix more =
        model_torques(robot_.model, [&](const PositionTerms& terms, const VectorX&, const VectorX&, VectorX& g) {
          const Status status = terms.gravity_torque(level, flat);
          if (status != Status::ok) return status;
          const Status turned = terms.gravity_torque(tilted, g);
          g -= flat;
          return turned;
        });
    planted_.joints.clear();
    add_torques(more);
  }

  const Robot& robot_;
  Episode log_;
  PlantedFault& planted_;
  int motors_;
  std::vector<int> chosen_;
};

std::string planted_text(const Robot& robot, const PlantedFault& planted) {
  std::string text = "planted: " + std::string(to_string(planted.fault));
  if (std::isfinite(planted.size)) text += " of size " + significant_text(planted.size, 6);
  const bool all = std::ssize(planted.joints) == robot.model.motor_count() && planted.joints.size() > 1;
  if (planted.joints.empty()) return text;
  return text + (all ? ", all joints" : ", " + listed(planted.joints));
}

}  // namespace

std::vector<Fault> plantable_faults() {
  constexpr std::array kNotPlantable = {Fault::position_limits, Fault::external_force, Fault::too_short,
                                        Fault::too_little_motion};
  std::vector<Fault> faults;
  for (int i = 0; i <= static_cast<int>(Fault::too_little_motion); ++i) {
    const auto fault = static_cast<Fault>(i);
    if (std::ranges::find(kNotPlantable, fault) == kNotPlantable.end()) faults.push_back(fault);
  }
  return faults;
}

Episode mutate(const Robot& robot, const Episode& log, PlantedFault& planted) {
  Episode wrong = Mutation(robot, log, planted).plant();
  wrong.name = log.name + "-" + std::string(to_string(planted.fault));
  wrong.notes.push_back({NoteCode::injected, "", {planted_text(robot, planted)}});
  return wrong;
}

}  // namespace antaeus
