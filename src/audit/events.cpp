#include <algorithm>
#include <cmath>

#include "antaeus/audit/audit_options.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus::detail {

namespace {

constexpr double kForceSteps[] = {kFirstForce, 100.0, 200.0, 500.0, 1000.0, 2000.0};
/// So many target jumps are listed one by one; the rest is counted.
constexpr std::size_t kJumpsListed = 6;

class Finder {
 public:
  Finder(const Robot& robot, const AuditOptions& options, const Audit& audit)
      : robot_(robot),
        options_(options),
        audit_(audit),
        r_(audit.audited.reconstruction),
        episode_(audit.audited.episode),
        followed_(followed_motor(robot, audit)) {}

  std::vector<Event> find() {
    for (const EstimateSeries& series : r_.series) {
      if (series.estimator != EstimatorName::deployed || !series.consumed) continue;
      forces(series);
      guards(series);
    }
    residual();
    for (Event& event : posterior_events(audit_)) events_.push_back(std::move(event));
    target_jumps();
    torques();
    end();
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.step < b.step; });
    return std::move(events_);
  }

 private:
  void add(EventKind kind, Eigen::Index row, const std::string& subject, double value, const char* unit,
           std::string text) {
    const double time = r_.time.size() > 0 ? r_.time[row] : kNaN;
    events_.push_back({kind, r_.first_step + row, time, subject, value, unit, std::move(text)});
  }

  void forces(const EstimateSeries& series) {
    const int axis = largest_component(series, series.peak_step);
    for (const double threshold : kForceSteps) {
      for (Eigen::Index i = 0; i < series.force_norm.size(); ++i) {
        if (!(series.force_norm[i] > threshold)) continue;
        add(EventKind::force_above, i, series.endpoint, series.force_norm[i], "N",
            series.label + ": |F| above " + number_text(threshold) + " N for the first time (" +
                number_text(series.force_norm[i]) + " N, " + axis_name(axis) + " " +
                number_text(series.wrench(i, axis)) + " N: " + sign_in_words(series.sign) + ")");
        break;
      }
    }
    if (series.peak_step >= 0) {
      add(EventKind::peak_force, series.peak_step, series.endpoint, series.peak_force, "N",
          series.label + ": peak |F| = " + number_text(series.peak_force) + " N");
    }
  }

  void guards(const EstimateSeries& series) {
    for (const GuardTrace& guard : series.guards) {
      if (guard.first_act < 0) continue;
      const double saw = guard.saw[guard.first_act];
      add(EventKind::guard_acts, guard.first_act, std::string(to_string(guard.guard)) + "@" + series.endpoint, saw, "",
          "published guard (" + guard_title(guard.guard) + ") would act on the " + series.label +
              " for the first time (saw " + number_text(saw) + ", limit " + number_text(guard.limit) + ")");
    }
  }

  void residual() {
    for (Eigen::Index i = 0; i < r_.reference_residual.size(); ++i) {
      if (!(std::abs(r_.reference_residual[i]) > options_.event.residual_growth)) continue;
      add(EventKind::residual_grown, i, audit_.reference_joint, r_.reference_residual[i], "N·m",
          "residual of " + audit_.reference_joint + " grows past " + number_text(options_.event.residual_growth) +
              " N·m (" + number_text(r_.reference_residual[i]) + " N·m)");
      return;
    }
  }

  void target_jumps() {
    struct Jump {
      Eigen::Index row;
      int motor;
      double size;
    };
    std::vector<Jump> jumps;
    for (int m = 0; m < episode_.target.cols(); ++m) {
      for (Eigen::Index i = 1; i < episode_.target.rows(); ++i) {
        const double change = episode_.target(i, m) - episode_.target(i - 1, m);
        if (std::abs(change) > options_.event.target_jump) {
          jumps.push_back({i, m, change});
          break;
        }
      }
    }
    std::stable_sort(jumps.begin(), jumps.end(), [](const Jump& a, const Jump& b) { return a.row < b.row; });
    const auto list = [&](const Jump& jump) {
      const std::string& label = robot_.profile.motor_labels[jump.motor];
      add(EventKind::target_jump, jump.row, label, jump.size, "rad",
          "target of " + label + " jumps by " + number_text(jump.size) + " rad to " +
              number_text(episode_.target(jump.row, jump.motor)) + " rad");
    };
    const std::size_t listed = std::min(jumps.size(), kJumpsListed);
    for (std::size_t n = 0; n < listed; ++n) list(jumps[n]);
    // Of the joint that the causal graph follows, every jump up to the focus step.
    const auto is_followed = [&](const Jump& jump) { return jump.motor == followed_; };
    const bool has_first = std::any_of(jumps.begin(), jumps.begin() + static_cast<std::ptrdiff_t>(listed), is_followed);
    const Eigen::Index focus = followed_ < 0 ? -1 : row_of(audit_, audit_.focus_step);
    bool is_first = true;
    for (Eigen::Index i = 1; i <= focus; ++i) {
      const double change = episode_.target(i, followed_) - episode_.target(i - 1, followed_);
      if (!(std::abs(change) > options_.event.target_jump)) continue;
      if (!is_first || !has_first) list({i, followed_, change});
      is_first = false;
    }
    if (!is_first && !has_first) std::erase_if(jumps, is_followed);
    if (jumps.size() > listed) {
      add(EventKind::target_jump, jumps[listed].row, "others", static_cast<double>(jumps.size() - listed), "1",
          std::to_string(jumps.size() - listed) + " more joints have a first target jump from here on");
    }
  }

  void torques() {
    const VectorX& limits = robot_.model.effort_limits();
    for (Eigen::Index i = 0; i < episode_.steps(); ++i) {
      for (int m = 0; m < limits.size(); ++m) {
        if (!(std::abs(episode_.tau(i, m)) > limits[m])) continue;
        const std::string& label = robot_.profile.motor_labels[m];
        add(EventKind::torque_limit, i, label, episode_.tau(i, m), "N·m",
            "torque of " + label + " past its rated " + number_text(limits[m]) + " N·m (" +
                number_text(episode_.tau(i, m)) + " N·m), the first joint to do so");
        i = episode_.steps();
        break;
      }
    }
    const EpisodeAudit& a = audit_.audited;
    if (a.peak_torque_motor < 0) return;
    const std::string& label = robot_.profile.motor_labels[a.peak_torque_motor];
    add(EventKind::peak_torque, a.peak_torque_step - r_.first_step, label, a.peak_torque, "N·m",
        "peak torque of the log: " + label + " " + number_text(a.peak_torque) + " N·m");
    if (followed_ < 0 || followed_ == a.peak_torque_motor) return;
    Eigen::Index peak = -1;
    for (Eigen::Index i = 0; i < episode_.steps(); ++i) {
      const double size = std::abs(episode_.tau(i, followed_));
      if (std::isfinite(size) && (peak < 0 || size > std::abs(episode_.tau(peak, followed_)))) peak = i;
    }
    if (peak < 0) return;
    const std::string& moved = robot_.profile.motor_labels[followed_];
    add(EventKind::peak_torque, peak, moved, episode_.tau(peak, followed_), "N·m",
        "largest torque of " + moved + ", whose target moved farthest: " + number_text(episode_.tau(peak, followed_)) +
            " N·m");
  }

  void end() {
    add(EventKind::end, r_.steps() - 1, episode_.name, static_cast<double>(r_.steps()), "1", "the log ends");
  }

  const Robot& robot_;
  const AuditOptions& options_;
  const Audit& audit_;
  const Reconstruction& r_;
  const Episode& episode_;
  const int followed_;  ///< motor that the causal graph follows; −1 without one
  std::vector<Event> events_;
};

}  // namespace

std::vector<Event> find_events(const Robot& robot, const AuditOptions& options, const Audit& audit) {
  return Finder(robot, options, audit).find();
}

}  // namespace antaeus::detail
