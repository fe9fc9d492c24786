#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/numerics/gains.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "antaeus/numerics/small_svd.hpp"
#include "audit/alarms.hpp"
#include "audit/focus_step.hpp"

namespace antaeus::detail {

namespace {

/// The remedy of the same name.
constexpr Remedy remedy_of(SingleGuard guard) noexcept { return *find_enum<Remedy>(to_string(guard)); }
static_assert(std::ranges::all_of(enum_names(SingleGuard{}),
                                  [](std::string_view name) { return find_enum<Remedy>(name).has_value(); }),
              "a published guard is no remedy");

class Comparison {
 public:
  Comparison(const Robot& robot, const AuditOptions& options, const FocusStep& focus, const Audit& audit)
      : robot_(robot),
        options_(options),
        audit_(audit),
        deployed_(audit.audited.reconstruction.find(audit.focus_endpoint, EstimatorName::deployed)),
        row_(row_of(audit, audit.focus_step)),
        focus_(focus) {}

  std::vector<Counterfactual> all() {
    for (std::size_t g = 0; g < deployed_.guards.size(); ++g) guard(g);
    chain();
    preflight_checks();
    stacked();
    if (robot_.model.base() == Base::free_flyer) stacked_with_base();
    own_rows();
    for (Counterfactual& c : posterior_counterfactuals(audit_)) rows_.push_back(std::move(c));
    return std::move(rows_);
  }

 private:
  Counterfactual row(Remedy remedy, const std::string& title, RemedyKind kind) const {
    Counterfactual c;
    c.remedy = remedy;
    c.title = title;
    c.kind = kind;
    c.endpoint = audit_.focus_endpoint;
    c.first_act_time = kNaN;
    c.force_at_focus.setConstant(kNaN);
    c.largest_force_read = kNaN;
    return c;
  }

  void first_act(Counterfactual& c, Eigen::Index at) const {
    if (at < 0) return;
    const VectorX& time = audit_.audited.reconstruction.time;
    c.first_act = audit_.audited.reconstruction.first_step + at;
    c.first_act_time = time.size() > 0 ? time[at] : kNaN;
  }

  std::string before_focus(const Counterfactual& c) const {
    if (c.first_act < 0) return "never acts";
    if (c.first_act > audit_.focus_step) return "acts only after the focus step";
    std::string text = "acts " + std::to_string(audit_.focus_step - c.first_act) + " steps before the focus step";
    const VectorX& time = audit_.audited.reconstruction.time;
    if (time.size() > 0 && std::isfinite(time[row_])) {
      text += " (" + number_text(1000.0 * (time[row_] - c.first_act_time)) + " ms)";
    }
    return text;
  }

  void guard(std::size_t index) {
    const GuardTrace& trace = deployed_.guards[index];
    Counterfactual c = row(remedy_of(trace.guard), guard_title(trace.guard), RemedyKind::guard);
    first_act(c, trace.first_act);
    c.force_at_focus = trace.force_read.row(row_);
    c.largest_force_read = largest_norm(trace.force_read);
    c.consequence = before_focus(c) + "; the " + reader_word(audit_) + " would have read up to " +
                    number_text(c.largest_force_read) + " N";
    c.false_alarms = alarms_in_baselines(audit_, [index](const EstimateSeries& series, std::size_t step) {
      if (series.estimator != EstimatorName::deployed) return Verdict::ok;
      const GuardAction action = series.guards[index].action[step];
      return action != GuardAction::passed && action != GuardAction::no_input ? Verdict::refused : Verdict::ok;
    });
    rows_.push_back(std::move(c));
  }

  void chain() {
    Counterfactual c = row(Remedy::all_guards, "all guards in the default order", RemedyKind::guard);
    for (std::size_t i = 0; i < deployed_.verdict.size() && c.first_act < 0; ++i) {
      const Verdict verdict = deployed_.verdict[i];
      if (verdict == Verdict::refused || verdict == Verdict::degraded) first_act(c, static_cast<Eigen::Index>(i));
    }
    c.force_at_focus = deployed_.guarded_force.row(row_);
    c.largest_force_read = largest_norm(deployed_.guarded_force);
    c.consequence = before_focus(c) + "; the " + reader_word(audit_) + " would have read up to " +
                    number_text(c.largest_force_read) + " N";
    // It clips while degraded: what is read is changed then too.
    c.false_alarms = alarms_in_baselines(audit_, [](const EstimateSeries& s, std::size_t i) {
      const bool judged = s.estimator == EstimatorName::deployed && s.verdict[i] <= Verdict::refused;
      return judged ? s.verdict[i] : Verdict::ok;
    });
    for (Counterfactual::FalseAlarm& alarm : c.false_alarms) {
      alarm.steps += alarm.degraded_steps;
      alarm.share += alarm.degraded_share;
    }
    rows_.push_back(std::move(c));
  }

  void preflight_checks() {
    for (const PreflightCheckKind kind : {PreflightCheckKind::gain, PreflightCheckKind::start_error}) {
      const bool gain = kind == PreflightCheckKind::gain;
      Counterfactual c =
          row(gain ? Remedy::preflight_gain : Remedy::preflight_start_error,
              gain ? "pre-flight check of the gain" : "pre-flight check of the start errors", RemedyKind::preflight);
      const auto worst = [&](const PreflightReport& report) {
        const PreflightCheck* found = nullptr;
        for (const PreflightCheck& check : report.checks) {
          if (check.kind == kind && (!found || check.value > found->value)) found = &check;
        }
        return found;
      };
      const PreflightCheck* check = worst(audit_.audited.preflight);
      if (!check) continue;
      if (!check->passed) first_act(c, 0);
      c.consequence = std::string(check->passed ? "passes: " : "refuses the start: ") + check->subject + " " +
                      number_text(check->value) + (gain ? " N/(N·m)" : " rad") + ", limit " + number_text(check->limit);
      for (const EpisodeAudit& baseline : audit_.baselines) {
        const PreflightCheck* good = worst(baseline.preflight);
        const bool refused = good && !good->passed;
        c.false_alarms.push_back({.baseline = baseline.episode.name,
                                  .steps = refused ? baseline.episode.steps() : 0,
                                  .share = refused ? 1.0 : 0.0});
      }
      rows_.push_back(std::move(c));
    }
  }

  std::string reads(const Vector3& force) const {
    return "reads " + axis_name(audit_.focus_axis) + " " + number_text(force[audit_.focus_axis]) + " N, |F| " +
           number_text(force.norm()) + " N at the focus step";
  }

  void stacked() {
    const EstimateSeries& series = audit_.audited.reconstruction.find(audit_.focus_endpoint, EstimatorName::stacked);
    Counterfactual c =
        row(Remedy::stacked,
            options_.stacked.rows == StackedRows::motors ? "stacked estimator, motor rows"
                                                         : "stacked estimator, motor and base rows, every step",
            RemedyKind::estimator);
    c.force_at_focus = series.wrench.row(row_).head<3>();
    c.largest_force_read = series.peak_force;
    c.consequence = reads(c.force_at_focus) + ", up to " + number_text(c.largest_force_read) + " N later";
    rows_.push_back(std::move(c));
  }

  void stacked_with_base() {
    StackedEstimator estimator(focus_.reader(), StackedRows::motors_and_base, options_.estimator);
    Counterfactual c = row(Remedy::stacked_with_base, "stacked estimator, motor and base rows", RemedyKind::estimator);
    c.force_at_focus = estimator.solve(focus_.now())[focus_.endpoint()].wrench.force;
    c.consequence = reads(c.force_at_focus);
    rows_.push_back(std::move(c));
  }

  /// The endpoint's own joints alone ("arm-only"): the reference joint's row left out.
  void own_rows() {
    const JointGroup* group = robot_.profile.group_of(audit_.focus_endpoint);
    if (!group || focus_.now().status() != Status::ok) return;
    const auto count = static_cast<Eigen::Index>(group->joints.size());
    Matrix6X J(6, count);
    VectorX r(count);
    for (Eigen::Index j = 0; j < count; ++j) {
      const int motor = robot_.model.motor(group->joints[j]);
      J.col(j) = focus_.now().jacobian(focus_.endpoint()).col(motor);
      r[j] = focus_.now().static_residual()[motor];
    }
    SmallSvd svd(static_cast<int>(count), 6);
    svd.compute_transposed(J);
    MatrixX inverse(6, count);
    moore_penrose(svd, options_.estimator.relative_tolerance, inverse);
    if (options_.estimator.sign == Sign::on_robot) inverse = -inverse;
    Counterfactual c = row(Remedy::own_rows, "rows of the endpoint's own joints alone", RemedyKind::estimator);
    c.force_at_focus = (inverse * r).head<3>();
    const double kappa = svd.sigma()[0] / svd.sigma()[svd.sigma().size() - 1];
    c.consequence = reads(c.force_at_focus) + " (condition number " + number_text(kappa) + ")";
    rows_.push_back(std::move(c));
  }

  const Robot& robot_;
  const AuditOptions& options_;
  const Audit& audit_;
  const EstimateSeries& deployed_;
  Eigen::Index row_;
  const FocusStep& focus_;
  std::vector<Counterfactual> rows_;
};

}  // namespace

std::vector<Attribution> attributions(const FocusStep& focus, const Audit& audit) {
  std::vector<Attribution> all;
  const auto k = static_cast<std::size_t>(focus.endpoint());
  for (const EstimatorName estimator : {EstimatorName::deployed, EstimatorName::stacked}) {
    const WrenchEstimates& estimates = estimator == EstimatorName::deployed ? focus.deployed() : focus.stacked();
    Attribution result;
    result.step = audit.focus_step;
    result.endpoint = audit.focus_endpoint;
    result.estimator = estimator;
    for (const JointRange& range : audit.audited.ranges) result.joints.push_back(range.joint);
    result.labels = audit.motor_labels;
    result.tau = focus.now().observation().tau;
    result.gravity = focus.now().gravity_torque();
    result.residual = focus.now().static_residual();
    result.wrench = estimates[k].wrench.to_vector();
    result.contribution.resize(6, result.residual.size());
    attribution(estimates[k].gain, result.residual, result.contribution);
    result.axis = audit.focus_axis;
    result.largest = largest_contributor(result.contribution, result.axis).joint;
    all.push_back(std::move(result));
  }
  return all;
}

std::vector<Counterfactual> counterfactuals(const Robot& robot, const AuditOptions& options, const FocusStep& focus,
                                            const Audit& audit) {
  return Comparison(robot, options, focus, audit).all();
}

std::vector<PoseCounterfactual> pose_counterfactuals(const Robot& robot, const AuditOptions& options,
                                                     const Audit& audit) {
  std::vector<PoseCounterfactual> rows;
  if (audit.focus_step < 0 || robot.reference_motor() < 0) return rows;
  std::vector<LabelledPose> poses;
  const Eigen::Index focus_row = row_of(audit, audit.focus_step);
  poses.push_back({audit.audited.episode.name + " step " + std::to_string(audit.focus_step),
                   audit.audited.episode.q.row(focus_row)});
  for (const EpisodeAudit& baseline : audit.baselines) {
    if (baseline.episode.q.row(0).allFinite())
      poses.push_back({baseline.episode.name + " step 0", baseline.episode.q.row(0)});
  }
  for (const NamedPose& pose : robot.profile.poses) poses.push_back({pose.name, robot.pose(pose.name)});

  std::vector<const EpisodeAudit*> episodes = {&audit.audited};
  for (const EpisodeAudit& baseline : audit.baselines) episodes.push_back(&baseline);
  for (const LabelledPose& posed : poses) {
    const PreflightReport report = preflight(robot, {audit.focus_endpoint}, posed.q, VectorX(), options.preflight);
    const PoseConditioning& pose = report.endpoints.front();
    for (const EpisodeAudit* episode : episodes) {
      PoseCounterfactual row{
          episode->episode.name, posed.name, audit.focus_endpoint, pose.reference_gain[kFz], pose.kappa, kNaN, kNaN};
      const VectorX& residual = episode->reconstruction.reference_residual;
      for (const double torque : residual) {
        const double force = std::abs(row.gain * torque);
        if (std::isfinite(force) && !(force <= row.largest_force)) row.largest_force = force;
      }
      if (episode == &audit.audited) row.force_at_focus = row.gain * residual[focus_row];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<TiltSensitivity> tilt_sensitivity(const Robot& robot, const AuditOptions& options, const Audit& audit) {
  std::vector<TiltSensitivity> rows;
  if (audit.focus_step < 0 || robot.model.base() == Base::fixed) return rows;
  // The tilt below is the base's own.
  InstantReader reader(robot, {audit.focus_endpoint}, {.imu = ImuUse::as_base});
  DeployedEstimator estimator(reader, options.estimator);
  Observation observation;
  audit.audited.episode.observe(row_of(audit, audit.focus_step), observation);
  observation.has_imu = true;
  const auto gravity_at = [&](const Eigen::Quaterniond& R) {
    observation.imu_quaternion_xyzw = R.coeffs();
    return VectorX(reader.at(observation).gravity_torque());
  };
  const VectorX level = gravity_at(Eigen::Quaterniond::Identity());
  const Matrix6X gain = estimator.solve(reader.instant()).front().gain;
  // Joints that carry an audited hand: the legs' gravity torques do not reach a hand's estimate.
  std::vector<bool> upper(static_cast<std::size_t>(robot.model.motor_count()), false);
  for (const EstimateSeries& series : audit.audited.reconstruction.series) {
    if (series.kind == EndpointKind::foot && series.endpoint != audit.focus_endpoint) continue;
    for (const int m : robot.model.supporting_motors(robot.model.frame(series.endpoint))) upper[m] = true;
  }
  const double angle = options.event.tilt * std::numbers::pi / 180.0;
  for (const bool roll : {true, false}) {
    const Eigen::Quaterniond R(Eigen::AngleAxisd(angle, roll ? Vector3::UnitX() : Vector3::UnitY()));
    const VectorX change = gravity_at(R) - level;
    TiltSensitivity row{roll ? "roll" : "pitch", angle, 0.0, "", (gain * change).head<3>().norm()};
    for (int m = 0; m < change.size(); ++m) {
      if (!upper[m] || std::abs(change[m]) <= row.largest_torque) continue;
      row.largest_torque = std::abs(change[m]);
      row.joint = robot.model.motor_names()[m];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ReferenceRow> reference_rows(const FocusStep& focus) {
  std::vector<ReferenceRow> rows;
  const Instant& now = focus.now();
  if (now.reference_motor() < 0) return rows;
  for (int k = 0; k < now.endpoint_count(); ++k) {
    rows.push_back({focus.reader().endpoint_names()[k], now.jacobian(k).col(now.reference_motor()).norm()});
  }
  return rows;
}

}  // namespace antaeus::detail

namespace antaeus {

double largest_norm(const SampleMatrix& force) {
  double largest = kNaN;
  for (Eigen::Index i = 0; i < force.rows(); ++i) {
    const double norm = force.row(i).head<3>().norm();
    if (std::isfinite(norm) && !(norm <= largest)) largest = norm;
  }
  return largest;
}

std::vector<JointShare> Attribution::shares() const {
  std::vector<JointShare> all;
  for (Eigen::Index j = 0; j < residual.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    // A torque of −0 becomes 0.
    all.push_back({joints[at], labels[at], tau[j] + 0.0, gravity[j] + 0.0, residual[j] + 0.0, contribution.col(j)});
  }
  return all;
}

}  // namespace antaeus
