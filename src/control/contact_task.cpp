#include "antaeus/control/contact_task.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

constexpr int kEventsKept = 64;
constexpr double kStillShare = 0.2;    // of the landing speed: slower is standing
constexpr double kStillTime = 0.2;     // [s]
constexpr double kSpeedTime = 0.02;    // [s] of the speed's low-pass
constexpr double kDoubtTime = 0.2;     // [s] in which a force may miss what was wanted
constexpr double kFirstTime = 0.25;    // [s] of a phase in which it may always
constexpr double kRadialShare = 0.15;  // of the circle's time, out and again back
constexpr double kFlattest = 0.2;      // most sd off the plane over the lesser sd in it
constexpr double kMostTilt = 0.7;      // [rad] of the plane that is found from the one that was told
constexpr int kFewestPlaces = 50;

/// Any unit vector across, near to `wish` where that is across.
Vector3 across(const Vector3& normal, const Vector3& wish) noexcept {
  const Vector3 part = wish - normal * normal.dot(wish);
  if (part.norm() > 1e-6) return part.normalized();
  return normal.unitOrthogonal();
}

}  // namespace

const OptionTable& options_of(const ContactTaskOptions&) {
  constexpr const char* kStudy = "docs/validation.md#controllers";
  constexpr const char* kLine = "docs/concepts/control.md#what-cannot-be-reached";
  using O = ContactTaskOptions;
  static const OptionTable table(
      "", {
              option("force", "N", "that the surface shall exert on the tool",
                     "docs/references.md#the-force-control-lab", &O::force, kPositive),
              option("wait_time", "s", "at rest in the air before it comes down: a sensor is tared", "300 samples",
                     &O::wait_time),
              option("landing_speed", "m/s", "toward the surface: the first blow grows with it", kStudy,
                     &O::landing_speed, kPositive),
              option("landing_lead", "m", "most that the wanted position runs ahead while landing", "5 N of push",
                     &O::landing_lead, kPositive),
              option("contact_force", "N", "that counts as contact", kStudy, &O::contact_force, kPositive),
              option("stall_is_contact", "", "whether a tool that stops on its way down is in contact", kLine,
                     &O::stall_is_contact),
              option("reach", "m", "the way down without contact after which the task gives up", "twice the home's",
                     &O::reach, kPositive),
              option("settle_time", "s", "pressing at rest before the line", kStudy, &O::settle_time),
              option("explore", "", "whether the normal is found by a small circle", kStudy, &O::explores),
              option("explore_radius", "m", "of that circle", kStudy, &O::explore_radius, kPositive),
              option("explore_time", "s", "for that circle", kStudy, &O::explore_time, kPositive),
              option("align_time", "s", "for turning the tool to the normal", kStudy, &O::align_time, kPositive),
              option("lost_force", "N", "below it there is no contact", "a third of contact_force", &O::lost_force),
              option("lost_time", "s", "for which the force must stay below", "50 cycles", &O::lost_time),
              option("most_force", "N", "beyond which the tool backs off", "far above a landing", &O::most_force,
                     kPositive),
              option("missing_time", "s", "without a measured force after which the tool backs off", "10 cycles",
                     &O::missing_time),
              option("saturated_time", "s", "of a motor at its limit after which the tool backs off", "100 cycles",
                     &O::saturated_time),
              option("most_sd_share", "1", "of the wanted force: an sd beyond it is refused before contact", kLine,
                     &O::most_sd_share, kPositive),
              option("retreat_speed", "m/s", "away from the surface", kStudy, &O::retreat_speed, kPositive),
              option("retreat_distance", "m", "away from the surface", kStudy, &O::retreat_distance, kPositive),
          });
  return table;
}

std::string in_words(TaskReason reason) {
  switch (reason) {
    case TaskReason::begun: return "the task began";
    case TaskReason::touched: return "the force passed the one that counts as contact";
    case TaskReason::stalled: return "the tool stopped although it was sent on";
    case TaskReason::settled: return "the time to settle was over";
    case TaskReason::explored: return "the circle was complete and showed a plane";
    case TaskReason::aligned: return "the tool stood square to the surface";
    case TaskReason::traced: return "the line was complete";
    case TaskReason::contact_lost: return "the contact was lost";
    case TaskReason::no_surface: return "there was no contact within reach";
    case TaskReason::too_much_force: return "the force was beyond the most that is allowed";
    case TaskReason::force_missing: return "no force was measured";
    case TaskReason::force_uncertain: return "the force was too uncertain to act on";
    case TaskReason::near_singular: return "the arm stood near a singular pose";
    case TaskReason::saturated: return "a motor was at its limit";
    case TaskReason::unclear_surface: return "the circle did not show a plane";
    case TaskReason::asked: return "the caller requested it";
    case TaskReason::retreated: return "the way back was complete";
  }
  return "";
}

ContactTask::ContactTask(const ContactTaskOptions& options) : options_(options), events_(kEventsKept) {
  check_options(options);
  const auto refuse = [](const char* what, const char* problem) {
    throw OptionsError(std::string("contact task, ") + what, problem, "give another");
  };
  if (std::abs(options.normal.norm() - 1.0) > 1e-6) refuse("normal", "it is not a unit vector");
  if (!std::isfinite(options.line.length) || !(options.line.duration > 0.0) || options.line.length < 0.0) {
    refuse("line", "its length or duration is invalid");
  }
  if (!(options.line.ramp > 0.0 && options.line.ramp <= 0.5)) refuse("line.ramp", "it is not above 0 and at most 0.5");
  if (!options.direction.allFinite() || !(options.direction.norm() > 0.0))
    refuse("direction", "it is zero or not finite");
  if (options.line.length > 0.0 && options.direction.cross(options.normal).norm() < 1e-3 * options.direction.norm()) {
    refuse("direction", "it lies along the normal");
  }
  set_normal(options.normal);
  place_.setConstant(kNaN);
}

bool ContactTask::presses() const noexcept {
  switch (order_.phase) {
    case TaskPhase::settle:
    case TaskPhase::explore:
    case TaskPhase::align:
    case TaskPhase::trace:
    case TaskPhase::hold: return true;
    default: return false;
  }
}

void ContactTask::set_normal(const Vector3& normal) noexcept {
  normal_ = normal;
  along_ = across(normal, options_.direction);
  HybridTarget& target = order_.target;
  target.R_WC.col(0) = along_;
  target.R_WC.col(1) = normal.cross(along_);
  target.R_WC.col(2) = normal;
}

void ContactTask::enter(TaskPhase phase, TaskReason reason, double value) noexcept {
  const bool pressed = presses();
  order_.phase = phase;
  phase_time_ = 0.0;
  lost_ = cut_ = doubtful_ = still_ = speed_ = 0.0;
  // Where the next phase begins is where this one wanted to be: a phase does not inherit the error of the one before.
  place_ = order_.target.X_WT.translation;
  R_start_ = order_.target.X_WT.rotation;
  travelled_ = 0.0;
  HybridTarget& target = order_.target;
  target.twist.setZero();
  target.acceleration.setZero();
  target.force_axes[2] = presses();
  target.wrench = {Vector3(0.0, 0.0, presses() ? options_.force : 0.0), Vector3::Zero()};
  target.integrates_motion = phase != TaskPhase::hold;
  order_.restarts = pressed != presses();
  events_.push() = {time_, phase, reason, value};
}

Status ContactTask::begin(const ToolState& state) noexcept {
  if (state.status != Status::ok) return state.status;
  events_.clear();
  time_ = missing_ = 0.0;
  resumes_ = TaskPhase::idle;
  set_normal(options_.normal);
  order_.target.X_WT = state.X_WT;
  enter(TaskPhase::approach, TaskReason::begun, kNaN);
  order_.restarts = true;
  return Status::ok;
}

void ContactTask::retreat(TaskReason reason) noexcept {
  if (order_.phase == TaskPhase::idle || order_.phase == TaskPhase::retreat || order_.phase == TaskPhase::stopped) {
    return;
  }
  enter(TaskPhase::retreat, reason, kNaN);
}

bool ContactTask::backs_off(const ToolState& state, const TaskInput& input, double force) noexcept {
  missing_ = std::isfinite(force) ? 0.0 : missing_ + input.dt;
  cut_ = input.is_saturated ? cut_ + input.dt : 0.0;
  const double miss = std::abs(force - options_.force);
  const bool is_doubtful = presses() && phase_time_ > kFirstTime && input.force_sd > 0.0 &&
                           miss > std::max(2.0 * input.force_sd, options_.most_sd_share * options_.force);
  doubtful_ = is_doubtful ? doubtful_ + input.dt : 0.0;
  const auto back = [&](TaskReason reason, double value) {
    order_.target.X_WT = state.X_WT;
    enter(TaskPhase::retreat, reason, value);
    return true;
  };
  if (missing_ > options_.missing_time) return back(TaskReason::force_missing, missing_);
  if (force > options_.most_force) return back(TaskReason::too_much_force, force);
  if (cut_ > options_.saturated_time) return back(TaskReason::saturated, cut_);
  if (state.is_near_singular) return back(TaskReason::near_singular, kNaN);
  if (order_.phase == TaskPhase::approach && input.force_sd > options_.most_sd_share * options_.force) {
    return back(TaskReason::force_uncertain, input.force_sd);
  }
  if (doubtful_ > kDoubtTime) return back(TaskReason::force_uncertain, miss);
  return false;
}

void ContactTask::approach(const ToolState& state, const TaskInput& input, double force) noexcept {
  HybridTarget& target = order_.target;
  if (waits()) return;
  // Joints' velocities have noise, of which one sample in a stall may look like motion.
  const double speed = -normal_.dot(state.twist.head<3>());
  speed_ += (1.0 - std::exp(-input.dt / kSpeedTime)) * (speed - speed_);
  still_ = phase_time_ > options_.wait_time + kFirstTime && speed_ < kStillShare * options_.landing_speed
               ? still_ + input.dt
               : 0.0;
  const bool has_touched = force > options_.contact_force;
  if (has_touched || (options_.stall_is_contact && still_ > kStillTime)) {
    const TaskPhase next = resumes_ != TaskPhase::idle ? resumes_ : TaskPhase::settle;
    enter(next, has_touched ? TaskReason::touched : TaskReason::stalled, force);
    if (resumes_ == TaskPhase::idle) return;
    phase_time_ = resume_time_;
    place_ = resume_place_;
    resumes_ = TaskPhase::idle;
    return;
  }
  if (travelled_ > options_.reach) {
    enter(TaskPhase::retreat, TaskReason::no_surface, travelled_);
    return;
  }
  // The wanted place waits for a tool that does not come along: no push builds up against what it may have met.
  const double ahead = normal_.dot(state.X_WT.translation - target.X_WT.translation);
  const double step = std::clamp(options_.landing_lead - ahead, 0.0, options_.landing_speed * input.dt);
  travelled_ += step;
  target.X_WT.translation -= step * normal_;
  target.twist.head<3>() = -options_.landing_speed * normal_;
}

void ContactTask::circle(const ToolState& state) noexcept {
  const double out = kRadialShare * options_.explore_time, round = options_.explore_time - 2.0 * out;
  const Vector3 x = order_.target.R_WC.col(0), y = order_.target.R_WC.col(1);
  HybridTarget& target = order_.target;
  const double t = phase_time_, r = options_.explore_radius;
  if (t < out || t >= out + round) {
    const bool is_back = t >= out;
    const LinePoint radial = LineProfile{r, out, ProfileShape::minimum_jerk}.at(is_back ? t - out - round : t);
    const double sign = is_back ? -1.0 : 1.0;
    target.X_WT.translation = place_ + (is_back ? r - radial.distance : radial.distance) * x;
    target.twist.head<3>() = sign * radial.speed * x;
    target.acceleration.head<3>() = sign * radial.acceleration * x;
    return;
  }
  const LinePoint turn = LineProfile{2.0 * std::numbers::pi, round, ProfileShape::trapezoid, 0.1}.at(t - out);
  const Vector3 outward = std::cos(turn.distance) * x + std::sin(turn.distance) * y;
  const Vector3 onward = -std::sin(turn.distance) * x + std::cos(turn.distance) * y;
  target.X_WT.translation = place_ + r * outward;
  target.twist.head<3>() = r * turn.speed * onward;
  target.acceleration.head<3>() = r * (turn.acceleration * onward - turn.speed * turn.speed * outward);
  const Vector3 from_middle = state.X_WT.translation - place_;
  sum_ += from_middle;
  products_ += from_middle * from_middle.transpose();
  ++places_;
}

void ContactTask::finish_circle(const ToolState& state) noexcept {
  order_.target.X_WT.translation = place_;
  const double n = std::max(places_, 1);
  const Eigen::SelfAdjointEigenSolver<Matrix3> axes(Matrix3(products_ / n - sum_ * sum_.transpose() / (n * n)));
  const Vector3 spread = axes.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  Vector3 found = axes.eigenvectors().col(0);
  if (found.dot(normal_) < 0.0) found = -found;
  const double tilt = std::acos(std::clamp(found.dot(normal_), -1.0, 1.0));
  if (places_ < kFewestPlaces || !found.allFinite() || !(spread[0] < kFlattest * spread[1]) || tilt > kMostTilt) {
    order_.target.X_WT = state.X_WT;
    enter(TaskPhase::retreat, TaskReason::unclear_surface, tilt);
    return;
  }
  turn_angle_ = tilt;
  turn_axis_ = across(normal_, Vector3(normal_.cross(found)));
  set_normal(found);
  enter(TaskPhase::align, TaskReason::explored, tilt);
}

void ContactTask::press(const ToolState& state, const TaskInput& input, double force) noexcept {
  // A force that is hardly known may well be there.
  lost_ = force + input.force_sd < options_.lost_force ? lost_ + input.dt : 0.0;
  if (lost_ > options_.lost_time) {
    resumes_ = order_.phase;
    resume_time_ = order_.phase == TaskPhase::explore ? 0.0 : phase_time_;
    resume_place_ = place_;
    // Down again from where the tool is, above the place that was wanted.
    order_.target.X_WT.translation += normal_ * normal_.dot(state.X_WT.translation - order_.target.X_WT.translation);
    enter(TaskPhase::approach, TaskReason::contact_lost, force);
    return;
  }
  HybridTarget& target = order_.target;
  switch (order_.phase) {
    case TaskPhase::settle:
      if (phase_time_ < options_.settle_time) break;
      if (options_.explores) {
        enter(TaskPhase::explore, TaskReason::settled, phase_time_);
        sum_.setZero();
        products_.setZero();
        places_ = 0;
      } else {
        enter(options_.line.length > 0.0 ? TaskPhase::trace : TaskPhase::hold, TaskReason::settled,
              options_.settle_time);
      }
      break;
    case TaskPhase::explore:
      if (phase_time_ < options_.explore_time) {
        circle(state);
      } else {
        finish_circle(state);
      }
      break;
    case TaskPhase::align: {
      const LinePoint turn = LineProfile{turn_angle_, options_.align_time, ProfileShape::minimum_jerk}.at(phase_time_);
      target.X_WT.rotation = Eigen::AngleAxisd(turn.distance, turn_axis_).toRotationMatrix() * R_start_;
      target.twist.tail<3>() = turn.speed * turn_axis_;
      target.acceleration.tail<3>() = turn.acceleration * turn_axis_;
      if (phase_time_ < options_.align_time) break;
      enter(options_.line.length > 0.0 ? TaskPhase::trace : TaskPhase::hold, TaskReason::aligned, turn_angle_);
      break;
    }
    case TaskPhase::trace: {
      const LinePoint point = options_.line.at(phase_time_);
      target.X_WT.translation = place_ + point.distance * along_;
      target.twist.head<3>() = point.speed * along_;
      target.acceleration.head<3>() = point.acceleration * along_;
      if (phase_time_ >= options_.line.duration) enter(TaskPhase::hold, TaskReason::traced, options_.line.length);
      break;
    }
    default: break;
  }
}

const TaskOrder& ContactTask::update(const ToolState& state, const TaskInput& input) noexcept {
  order_.restarts = order_.restarts && time_ == 0.0;  // of begin(), for the first cycle
  if (state.status != Status::ok || !(input.dt >= 0.0) || !is_computable(input.dt)) return order_;
  if (order_.phase == TaskPhase::idle) return order_;
  time_ += input.dt;
  phase_time_ += input.dt;
  const double force = normal_.dot(input.measured.force);
  HybridTarget& target = order_.target;
  switch (order_.phase) {
    case TaskPhase::stopped: break;
    case TaskPhase::retreat: {
      const double step = options_.retreat_speed * input.dt;
      travelled_ += step;
      target.X_WT.translation += step * normal_;
      target.twist.head<3>() = options_.retreat_speed * normal_;
      if (travelled_ >= options_.retreat_distance) enter(TaskPhase::stopped, TaskReason::retreated, travelled_);
      break;
    }
    case TaskPhase::approach:
      if (!backs_off(state, input, force)) approach(state, input, force);
      break;
    default:
      if (!backs_off(state, input, force)) press(state, input, force);
  }
  return order_;
}

}  // namespace antaeus
