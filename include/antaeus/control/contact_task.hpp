#pragma once
/// \file
/// A task in contact, phase by phase: approach, settle, explore, align, trace, hold; and back off when something is
/// wrong.
///
///     ContactTask task({.force = 5.0});
///     task.begin(dynamics.state());                              // where the tool stands now, above the surface
///     const TaskOrder& order = task.update(dynamics.state(), sensed, dt);   // once a cycle
///     if (order.restarts) control.restart();
///     const HybridCommand& command = control.update(dynamics.state(), order.target, sensed, dt);
///
/// Every change of phase is recorded with its reason.

#include <string>

#include "antaeus/control/hybrid_control.hpp"
#include "antaeus/control/line_profile.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/signal/ring_buffer.hpp"

namespace antaeus {

enum class TaskPhase : std::uint8_t {
  idle,      ///< not begun
  approach,  ///< down along the normal, guarded
  settle,    ///< pressing, at rest
  explore,   ///< pressing on a small circle: which way does the surface lie?
  align,     ///< turning the tool to the surface that was found
  trace,     ///< pressing along a line
  hold,      ///< pressing, at rest, after the line
  retreat,   ///< away along the normal
  stopped,   ///< at rest in the air
};
constexpr auto enum_names(TaskPhase) noexcept {
  return name_list<TaskPhase>("idle", "approach", "settle", "explore", "align", "trace", "hold", "retreat", "stopped");
}

/// Why a phase began.
enum class TaskReason : std::uint8_t {
  begun,            ///< the caller began it
  touched,          ///< the force passed `contact_force`
  stalled,          ///< the tool stopped although it was sent on
  settled,          ///< the time of the phase before is over
  explored,         ///< the circle is complete
  aligned,          ///< the tool stands square to the surface
  traced,           ///< the line is complete
  contact_lost,     ///< no force for `lost_time`: down again
  no_surface,       ///< nothing touched within `reach`
  too_much_force,   ///< beyond `most_force`
  force_missing,    ///< no measured force for `missing_time`
  force_uncertain,  ///< its sd is beyond `most_sd_share` of the wanted force, or it misses that by more, and by two sd
  near_singular,    ///< the arm can hardly move the tool in some direction
  saturated,        ///< a motor at its limit for `saturated_time`
  unclear_surface,  ///< the circle did not show a plane
  asked,            ///< the caller requested it
  retreated,        ///< the way back is complete
};
constexpr auto enum_names(TaskReason) noexcept {
  return name_list<TaskReason>("begun", "touched", "stalled", "settled", "explored", "aligned", "traced",
                               "contact_lost", "no_surface", "too_much_force", "force_missing", "force_uncertain",
                               "near_singular", "saturated", "unclear_surface", "asked", "retreated");
}
/// One sentence for people.
ANTAEUS_API std::string in_words(TaskReason reason);

struct ContactTaskOptions {
  double force = 5.0;             ///< of the surface on the tool, along its normal [N]
  Vector3 normal{0.0, 0.0, 1.0};  ///< of the surface as it is told, out of it, world axes, unit
  double wait_time = 0.3;         ///< at rest in the air before it comes down: to tare a sensor [s]
  double landing_speed = 0.002;   ///< toward the surface [m/s]: the first blow grows with it
  double landing_lead = 5e-4;     ///< most that the wanted place runs ahead of the tool while landing [m]
  double contact_force = 1.0;     ///< that counts as contact [N]
  bool stall_is_contact = false;  ///< a tool that stops while it is sent down has touched: for forces that are unsure
  double reach = 0.08;            ///< the way down without contact after which the task gives up [m]
  double settle_time = 1.0;       ///< [s]
  bool explores = false;          ///< whether the normal is found by a circle before the line
  double explore_radius = 0.003;  ///< [m]
  double explore_time = 4.0;      ///< [s]
  double align_time = 2.0;        ///< [s]
  LineProfile line = {};          ///< length 0: no line, and `settle` becomes `hold`
  Vector3 direction{1.0, 0.0, 0.0};  ///< of the line in world axes; its part along the surface counts
  double lost_force = 0.3;           ///< below it, by more than an sd, there is no contact [N]
  double lost_time = 0.05;           ///< [s]
  double most_force = 60.0;          ///< [N]
  double missing_time = 0.01;        ///< [s]
  double saturated_time = 0.1;       ///< [s]
  double most_sd_share = 0.4;        ///< of `force`
  double retreat_speed = 0.02;       ///< [m/s]
  double retreat_distance = 0.03;    ///< [m]
};
/// Vectors and the line are set by the caller alone.
ANTAEUS_API const OptionTable& options_of(const ContactTaskOptions&);

/// What a cycle tells the task.
struct TaskInput {
  Wrench measured = {};       ///< the environment on the robot, about the tool, world axes; NaN where none came
  double force_sd = 0.0;      ///< of its component along the normal [N]; 0 for a sensor
  bool is_saturated = false;  ///< a motor's torque was cut
  double dt = 0.0;            ///< [s]
};

/// What the task asks of the controller in this cycle.
struct TaskOrder {
  TaskPhase phase = TaskPhase::idle;
  HybridTarget target;
  bool restarts = false;
};
constexpr void visit_fields(const TaskOrder*, auto&& visit) {
  using O = TaskOrder;
  visit(field("phase", "", "of the task", &O::phase));
  visit(field("restarts", "", "integrals and filters are forgotten first; HybridController.update does it",
              &O::restarts));
  visit(field("target", "", "all of its fields as one", &O::target));
  visit_part<HybridTarget>(&O::target, visit);
}

/// One change of phase.
struct TaskEvent {
  double time = 0.0;  ///< since begin() [s]
  TaskPhase phase = TaskPhase::idle;
  TaskReason reason = TaskReason::begun;
  double value = kNaN;  ///< what was looked at: a force [N], a speed, a time
};

/// Scratch memory of one tool. All but the constructor is noexcept, total and free of allocation
/// (contact_task_realtime_test).
class ANTAEUS_API ContactTask {
 public:
  /// \throws OptionsError for an option out of its range, a normal that is none, a line along the normal
  explicit ContactTask(const ContactTaskOptions& options = {});

  /// Starts above the surface, where the tool stands. \return the state's status, if it is not ok nothing begins
  Status begin(const ToolState& state) noexcept;
  /// One cycle. On bad input (state, dt) the order stays as it was.
  const TaskOrder& update(const ToolState& state, const TaskInput& input) noexcept;
  /// Away from the surface, now.
  void retreat(TaskReason reason = TaskReason::asked) noexcept;

  const TaskOrder& order() const noexcept { return order_; }
  double time() const noexcept { return time_; }                            ///< since begin() [s]
  double phase_time() const noexcept { return phase_time_; }                ///< [s]
  const Vector3& normal() const noexcept { return normal_; }                ///< as it is known now, world axes
  const RingBuffer<TaskEvent>& events() const noexcept { return events_; }  ///< the last 64
  /// Whether it still waits in the air: what is sensed is the sensor's own (WrenchTare).
  bool waits() const noexcept { return order_.phase == TaskPhase::approach && time_ < options_.wait_time; }
  bool presses() const noexcept;  ///< whether the phase is one in contact

 private:
  void enter(TaskPhase phase, TaskReason reason, double value) noexcept;
  void set_normal(const Vector3& normal) noexcept;
  bool backs_off(const ToolState& state, const TaskInput& input, double force) noexcept;
  void approach(const ToolState& state, const TaskInput& input, double force) noexcept;
  void press(const ToolState& state, const TaskInput& input, double force) noexcept;
  void circle(const ToolState& state) noexcept;
  void finish_circle(const ToolState& state) noexcept;

  ContactTaskOptions options_;
  TaskOrder order_;
  RingBuffer<TaskEvent> events_;
  double time_ = 0.0, phase_time_ = 0.0;
  double lost_ = 0.0, missing_ = 0.0, cut_ = 0.0, doubtful_ = 0.0, still_ = 0.0;  // how long already [s]
  Vector3 normal_, along_;                 // of the surface; of the line, in the surface
  Vector3 place_;                          // wanted at the phase's start, world [m]
  double speed_ = 0.0;                     // toward the surface, without noise [m/s]
  double travelled_ = 0.0;                 // on the way down or back [m]
  Matrix3 R_start_ = Matrix3::Identity();  // of the tool at the phase's start
  Vector3 turn_axis_ = Vector3::UnitX();   // of `align`
  double turn_angle_ = 0.0;                // [rad]
  Vector3 sum_ = Vector3::Zero();          // of the places on the circle, from its middle
  Matrix3 products_ = Matrix3::Zero();     // of the same
  int places_ = 0;
  TaskPhase resumes_ = TaskPhase::idle;  // after a lost contact
  double resume_time_ = 0.0;
  Vector3 resume_place_ = Vector3::Zero();
};

}  // namespace antaeus
