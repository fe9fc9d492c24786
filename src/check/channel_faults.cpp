#include "check/channel_faults.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "check/unit_numbers.hpp"
#include "episode/channels.hpp"

namespace antaeus::detail {

namespace {

constexpr double kLag = 0.5;             // [s] that dq is looked for late
constexpr double kLagFound = 0.02;       // [s] from which a lag spoils an estimate
constexpr double kLagNoted = 0.005;      // [s]
constexpr double kAlike = 0.8;           // [1] correlation from which two series are the same motion
constexpr double kMoving = 0.05;         // [rad/s] rms of a joint that moves
constexpr double kLargestShare = 100.5;  // of positions that may be per cent of a range: LeRobot's arms write them
constexpr double kFarBeyond = 0.2;       // [rad] past a limit: descriptions are off by less
constexpr double kApart = 0.02;          // [s] of rows in the first look for a lag
constexpr double kRunOfEqual = 0.5;      // [s]

double median(std::vector<double> values) {
  if (values.empty()) return kNaN;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

bool near_factor(double value, double factor, double share) {
  return value * factor > 0.0 && std::abs(std::log(value / factor)) < share;
}

/// How one joint's dq follows d(q)/dt.
struct Follows {
  bool judged = false;
  double slope = kNaN, slope_sd = kNaN, correlation = 0.0, rms = 0.0;
};

class ChannelJudge {
 public:
  ChannelJudge(const Robot& robot, const Episode& log, const CheckOptions& options, JudgedLog& judged,
               const std::vector<Eigen::Index>& seams)
      : robot_(robot),
        names_(robot.model.motor_names()),
        log_(log),
        options_(options),
        judged_(judged),
        seams_(seams) {}

  ChannelFaults judge() {
    numbers();
    std::ranges::move(clock_findings(log_.time, out_.time_unit, seams_), std::back_inserter(out_.findings));
    judged_ = even_log(robot_, log_, out_.time_unit);
    if (!judged_.pieces.empty()) {
      filter_pieces(judged_);
      velocities();
      positions();
    }
    torques();
    if (out_.position_unit != 1.0) {
      for (EvenPiece& piece : judged_.pieces) piece.q /= out_.position_unit;
      judged_.moved /= out_.position_unit;
      filter_pieces(judged_);
    }
    return std::move(out_);
  }

 private:
  Finding& add(Fault fault, const char* channel, std::vector<int> motors, Severity severity, double size,
               std::string unit, std::string text, std::string remedy) {
    Finding finding;
    finding.fault = fault;
    finding.channel = channel;
    for (const int j : motors) finding.joints.push_back(names_[static_cast<std::size_t>(j)]);
    finding.severity = severity;
    finding.size = size;
    finding.unit = std::move(unit);
    finding.text = std::move(text);
    finding.remedy = std::move(remedy);
    out_.findings.push_back(std::move(finding));
    return out_.findings.back();
  }

  std::string named(const std::vector<int>& motors) const {
    std::string text;
    for (std::size_t i = 0; i < motors.size(); ++i) {
      if (i == 3 && motors.size() > 4) return text + " and " + std::to_string(motors.size() - 3) + " more";
      text += (i == 0 ? "" : ", ") + names_[static_cast<std::size_t>(motors[i])];
    }
    return text;
  }

  void numbers() {
    const auto look = [&](const SampleMatrix& samples, const char* channel) {
      BrokenNumbers numbers;
      numbers.take(samples);
      if (auto finding = numbers_finding(channel, numbers, robot_.model.motor_names()))
        out_.findings.push_back(std::move(*finding));
    };
    look(log_.tau, "tau");
    look(log_.q, "qpos");
    look(log_.v, "dq");
  }

  /// \param apart  [s] between the rows that are looked at; 0: all
  Follows follows(int j, int column, double lag, double apart = 0.0) const {
    Follows result;
    double vv = 0.0, vm = 0.0, mm = 0.0, n = 0.0;
    for (std::size_t p = 0; p < judged_.pieces.size(); ++p) {
      const EvenPiece& piece = judged_.pieces[p];
      const Eigen::Index shift = std::lround(lag / piece.step), edge = spoiled_rows(piece);
      const auto stride = std::max<Eigen::Index>(1, std::lround(apart / piece.step));
      for (Eigen::Index i = edge; i < piece.rows() - edge; i += stride) {
        if (i + shift < 0 || i + shift >= piece.rows()) continue;
        const double v = piece.v(i, j), m = dq_[p](i + shift, column);
        vv += v * v;
        vm += v * m;
        mm += m * m;
        n += 1.0;
      }
    }
    if (n < 20.0) return result;
    result.rms = std::sqrt(vv / n);
    result.slope = vv > 0.0 ? vm / vv : kNaN;
    result.correlation = vv > 0.0 && mm > 0.0 ? vm / std::sqrt(vv * mm) : 0.0;
    const double independent = std::max(4.0, judged_.time / kIndependent);
    result.slope_sd =
        std::abs(result.slope) *
        std::sqrt(std::max(0.0, 1.0 / std::max(1e-12, result.correlation * result.correlation) - 1.0) / independent);
    result.judged = result.rms > kMoving && judged_.moved[j] >= options_.least_motion;
    return result;
  }

  /// The lag of dq at which it follows d(q)/dt best, over all joints, and its doubt.
  std::pair<double, double> common_lag() const {
    const double coarse = std::max(judged_.step, 0.01);
    double best = -1.0, lag = 0.0;
    for (double l = -0.1; l <= kLag + 1e-9; l += coarse) {
      double score = 0.0;
      int count = 0;
      for (int j = 0; j < judged_.moved.size(); ++j) {
        if (judged_.moved[j] < options_.least_motion) continue;
        const Follows f = follows(j, j, l, kApart);
        if (f.rms < kMoving) continue;
        score += f.correlation * f.correlation;
        ++count;
      }
      if (count == 0) return {0.0, kNaN};
      score /= count;
      if (score > best) {
        best = score;
        lag = l;
      }
    }
    if (best < 0.3) return {0.0, kNaN};
    // Newton on the residual: dq = s v(t − L) ⇒ d/dL = −s a.
    double sum_aa = 0.0, sum_ae = 0.0, n = 0.0;
    for (int round = 0; round < 3; ++round) {
      sum_aa = sum_ae = n = 0.0;
      for (int j = 0; j < judged_.moved.size(); ++j) {
        if (judged_.moved[j] < options_.least_motion) continue;
        double vv = 0.0, vm = 0.0;
        const auto each = [&](auto&& use) {
          for (std::size_t p = 0; p < judged_.pieces.size(); ++p) {
            const EvenPiece& piece = judged_.pieces[p];
            for (Eigen::Index i = spoiled_rows(piece); i < piece.rows() - spoiled_rows(piece); ++i) {
              const double row = static_cast<double>(i) + lag / piece.step;
              if (row < 0.0 || row > static_cast<double>(piece.rows() - 1)) continue;
              use(piece.v(i, j), at_row(dq_[p], row, j), piece.a(i, j));
            }
          }
        };
        each([&](double v, double m, double) {
          vv += v * v;
          vm += v * m;
        });
        if (vv <= 0.0) continue;
        const double s = vm / vv;
        const double sigma = std::max(std::abs(s) * std::sqrt(vv) * 1e-3, 1e-12);
        double ee = 0.0, ae = 0.0, aa = 0.0, count = 0.0;
        each([&](double v, double m, double a) {
          const double e = m - s * v;
          ee += e * e;
          ae += s * a * e;
          aa += s * s * a * a;
          count += 1.0;
        });
        const double weight = count / std::max(ee, sigma * sigma);
        sum_aa += weight * aa;
        sum_ae += weight * ae;
        n += count;
      }
      if (sum_aa <= 0.0) return {lag, kNaN};
      // m(t + lag) = s v(t − (L − lag)) ≈ s v − s a (L − lag)
      lag -= std::clamp(sum_ae / sum_aa, -coarse, coarse);
    }
    // Errors of neighbours are one error: as many samples as there are quarters of a second.
    const double independent = std::max(1.0, judged_.time / kIndependent);
    const double sd = std::sqrt(n / std::max(1.0, static_cast<double>(judged_.moved.size())) / independent / sum_aa);
    return {lag, sd};
  }

  void filter_velocities() {
    dq_.clear();
    for (const EvenPiece& piece : judged_.pieces) {
      dq_.push_back(piece.dq);
      zero_phase(dq_.back(), cut_off(piece));
    }
  }

  void velocities() {
    if (log_.v.rows() != log_.q.rows() || judged_.time < options_.least_time) return;
    for (const EvenPiece& piece : judged_.pieces) {
      if (piece.dq.rows() == 0) return;
    }
    filter_velocities();
    const auto [lag, lag_sd] = common_lag();
    const auto motors = static_cast<int>(judged_.moved.size());
    std::vector<Follows> all;
    std::vector<double> slopes;
    for (int j = 0; j < motors; ++j) {
      all.push_back(follows(j, j, lag));
      if (all.back().judged && std::abs(all.back().correlation) > kAlike) slopes.push_back(all.back().slope);
    }
    // A velocity that stands while the joint moves.
    std::vector<int> dead;
    for (int j = 0; j < motors; ++j) {
      double least = kInfinity, most = -kInfinity;
      for (const MatrixX& dq : dq_) {
        least = std::min(least, dq.col(j).minCoeff());
        most = std::max(most, dq.col(j).maxCoeff());
      }
      if (all[static_cast<std::size_t>(j)].judged && most - least < 1e-9) dead.push_back(j);
    }
    if (!dead.empty()) {
      add(Fault::velocity_frozen, "dq", dead, Severity::error, kNaN, "",
          "dq of " + named(dead) + " does not change while the joint moves",
          "log the velocity of each joint, or leave dq out: it is then formed from positions");
    }
    if (slopes.empty()) return;
    std::vector<double> sizes;
    for (const double s : slopes) sizes.push_back(std::abs(s));
    const double common = median(sizes);
    int agree = 0;
    for (const double s : sizes) agree += std::abs(std::log(s / common)) < 0.2;
    const bool all_alike = agree * 5 >= static_cast<int>(sizes.size()) * 4;
    double expected = 1.0;
    if (all_alike && std::abs(std::log(common)) > 0.15) {
      expected = common;
      const double unit = out_.time_unit;
      bool found = false;
      for (const double factor : {1e3, 1e6, 1e9}) {
        if (!near_factor(common, factor, 0.1)) continue;
        // d(q)/dt is that much too slow: the clock counts in smaller units.
        out_.time_unit = unit * factor;
        std::erase_if(out_.findings, [](const Finding& f) { return f.fault == Fault::time_unit; });
        Finding& finding =
            add(Fault::time_unit, "time", {}, Severity::error, out_.time_unit, "1/s",
                "the clock counts " + figure(out_.time_unit) + " per second: positions move that much slower than dq",
                "divide the time stamps by " + figure(out_.time_unit) + ", or set channels.time_scale = " +
                    shortest_text(1.0 / out_.time_unit) + " in a profile (" + arg(Input::fix) + ")");
        finding.sd = 0.0;
        judged_ = even_log(robot_, log_, out_.time_unit);
        filter_pieces(judged_);
        filter_velocities();
        all.clear();
        for (int j = 0; j < motors; ++j) all.push_back(follows(j, j, 0.0));
        found = true;
        expected = 1.0;
        break;
      }
      if (!found && common < 0.008) {
        out_.position_unit = 1.0 / common;
        add(Fault::position_unit, "qpos", {}, Severity::error, 1.0 / common, "1/rad",
            "positions count " + figure(1.0 / common) + " per radian: they move that much faster than dq",
            "convert qpos to radians, or set channels.position_scale = " + shortest_text(common) + " in a profile (" +
                arg(Input::fix) + ")");
        found = true;
      }
      if (!found && near_factor(common, 1.0 / kDegreesPerRadian, 0.1)) {
        out_.position_unit = kDegreesPerRadian;
        Finding& finding = add(Fault::positions_degrees, "qpos", {}, Severity::error, kDegreesPerRadian, "1/rad",
                               "positions are in degrees: they move 57.3 times as fast as dq in rad/s",
                               "convert qpos to radians, or set channels.position_scale = 0.0174532925 in a profile (" +
                                   arg(Input::fix) + ")");
        finding.sd = 0.0;
        found = true;
      }
      if (!found) {
        const bool degrees = near_factor(common, kDegreesPerRadian, 0.1);
        Finding& finding = add(
            Fault::velocity_scale, "dq", {}, Severity::error, degrees ? kDegreesPerRadian : common, "1",
            degrees ? "dq is in degrees per second: 57.3 times the rate of positions"
                    : "dq is " + figure(common) + " times the rate of positions",
            "divide dq by " + figure(degrees ? kDegreesPerRadian : common) +
                ", or set channels.velocity_scale = " + shortest_text(1.0 / (degrees ? kDegreesPerRadian : common)) +
                " in a profile (" + arg(Input::fix) + ")");
        finding.sd = median([&] {
          std::vector<double> sds;
          for (const Follows& f : all) {
            if (f.judged) sds.push_back(f.slope_sd);
          }
          return sds;
        }());
      }
    }
    std::vector<int> turned, off;
    for (int j = 0; j < motors; ++j) {
      const Follows& f = all[static_cast<std::size_t>(j)];
      if (!f.judged || std::abs(f.correlation) <= kAlike) continue;
      if (f.slope < 0.0) turned.push_back(j);
      const double ratio = std::abs(f.slope) / expected;
      if (std::abs(std::log(ratio)) > 0.2 && std::abs(std::abs(f.slope) - expected) > 5.0 * f.slope_sd)
        off.push_back(j);
    }
    if (!turned.empty()) {
      Finding& finding = add(Fault::velocity_sign, "dq", turned, Severity::error, -1.0, "1",
                             "dq of " + named(turned) + " goes against the change of its position",
                             "change the sign of dq of " + named(turned) + " (" + arg(Input::fix) +
                                 " writes channels.velocity_scale), or of its position");
      finding.sd = 0.0;
    }
    if (!off.empty() && expected == 1.0) {
      std::vector<double> factors;
      for (const int j : off) factors.push_back(all[static_cast<std::size_t>(j)].slope);
      const int first = off.front();
      const double slope = all[static_cast<std::size_t>(first)].slope;
      Finding& finding = add(Fault::velocity_scale, "dq", off, Severity::error, slope, "1",
                             "dq of " + named(off) + " is " + figure(slope) + " times the rate of its position",
                             "divide dq of " + named(off) + " by " + figure(slope) + " (" + arg(Input::fix) +
                                 " writes channels.velocity_scale)");
      finding.sd = all[static_cast<std::size_t>(first)].slope_sd;
      finding.sizes = factors;
    }
    columns_of_velocities(all);
    if (std::isfinite(lag_sd) && std::abs(lag) > kLagNoted && std::abs(lag) > 4.0 * lag_sd) {
      const bool bad = std::abs(lag) >= std::max(kLagFound, 1.5 * judged_.step);
      std::vector<double> correlations;
      for (const Follows& f : all) {
        if (f.judged) correlations.push_back(std::abs(f.correlation));
      }
      if (median(correlations) > kAlike) {
        Finding& finding =
            add(Fault::velocity_late, "dq", {}, bad ? Severity::error : Severity::note, lag, "s",
                "dq comes " + figure(1000.0 * lag) + " ms after the change of position",
                "leave dq out (velocities are then formed from positions), or set channels.velocity_delay = " +
                    figure(lag) + " in a profile (" + arg(Input::fix) + ")");
        finding.sd = lag_sd;
      }
    }
  }

  /// dq columns of two joints exchanged.
  void columns_of_velocities(const std::vector<Follows>& all) {
    const auto motors = static_cast<int>(all.size());
    std::vector<double> order(static_cast<std::size_t>(motors));
    for (int j = 0; j < motors; ++j) order[static_cast<std::size_t>(j)] = j;
    std::vector<int> named_motors;
    for (int a = 0; a < motors; ++a) {
      for (int b = a + 1; b < motors; ++b) {
        const Follows& fa = all[static_cast<std::size_t>(a)];
        const Follows& fb = all[static_cast<std::size_t>(b)];
        if (!fa.judged || !fb.judged || std::abs(fa.correlation) > 0.6 || std::abs(fb.correlation) > 0.6) continue;
        if (follows(a, b, 0.0).correlation < 0.9 || follows(b, a, 0.0).correlation < 0.9) continue;
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
        named_motors.insert(named_motors.end(), {a, b});
      }
    }
    if (named_motors.empty()) return;
    Finding& finding = add(Fault::joint_order, "dq", named_motors, Severity::error, kNaN, "",
                           "dq of " + named(named_motors) + " are in each other's columns",
                           "exchange these columns of dq, or leave dq out");
    finding.sizes = order;
  }

  void positions() {
    const RobotModel& model = robot_.model;
    const auto motors = static_cast<int>(judged_.moved.size());
    const std::vector<char> sliding = sliding_motors(model);
    // Beyond the limits: by a unit, by whole turns, or by a little.
    std::vector<int> beyond, far, turns;
    double excess = 0.0, largest = 0.0;
    int turning = 0;
    for (int j = 0; j < motors; ++j) {
      double least = kInfinity, most = -kInfinity;
      for (const EvenPiece& piece : judged_.pieces) {
        least = std::min(least, piece.q.col(j).minCoeff());
        most = std::max(most, piece.q.col(j).maxCoeff());
      }
      if (sliding[static_cast<std::size_t>(j)]) continue;
      ++turning;
      const double lower = model.lower_limits()[j], upper = model.upper_limits()[j];
      const double size = std::max(std::abs(least), std::abs(most));
      largest = std::max(largest, size);
      const double over =
          std::max({0.0, std::isfinite(upper) ? most - upper : 0.0, std::isfinite(lower) ? lower - least : 0.0});
      const double reach = std::max({std::abs(lower), std::abs(upper), 0.5});
      if (std::isfinite(reach) ? size > 2.5 * reach + 1.0 : size > 40.0) far.push_back(j);
      if (over <= std::max(0.02 * (std::isfinite(upper - lower) ? upper - lower : 1.0), 0.02)) continue;
      excess = std::max(excess, over);
      const double middle = 0.5 * (lower + upper),
                   turned = std::round((0.5 * (least + most) - middle) / (2.0 * std::numbers::pi));
      (upper - lower > 6.0 && turned != 0.0 ? turns : beyond).push_back(j);
    }
    const bool said = out_.position_unit != 1.0;
    if (!said && 2 * static_cast<int>(far.size()) >= turning && turning > 0 && !far.empty()) {
      if (largest > 1000.0) {
        add(Fault::position_unit, "qpos", {}, Severity::error, kNaN, "1/rad",
            "positions up to " + figure(largest) + " are neither radians nor degrees: encoder counts?",
            "convert qpos to radians, or set channels.position_scale (radians per count) in a profile");
        out_.frozen_position = true;  // where the robot is, is not known
      } else {
        out_.position_unit = kDegreesPerRadian;
        Finding& finding = add(Fault::positions_degrees, "qpos", {}, Severity::error, kDegreesPerRadian, "1/rad",
                               "positions up to " + figure(largest) + " are degrees: " + named(far) +
                                   " would be far beyond their limits in radians",
                               "convert qpos" + std::string(log_.v.rows() > 0 ? " and dq" : "") +
                                   " to radians, or set channels.position_scale = 0.0174532925 in a profile (" +
                                   arg(Input::fix) + ")" +
                                   (largest <= kLargestShare ? "; if they are normalised to −100 … 100, by the arm's "
                                                               "calibration instead"
                                                             : ""));
        finding.sd = 0.0;
      }
    } else if (!said) {
      if (!beyond.empty()) {
        add(Fault::position_limits, "qpos", beyond, excess > kFarBeyond ? Severity::warning : Severity::note, excess,
            "rad", "positions of " + named(beyond) + " go beyond their limits by up to " + figure(excess),
            "check unit, sign and zero of these positions; or the limits of the description");
      }
      if (!turns.empty()) {
        add(Fault::position_limits, "qpos", turns, Severity::note, excess, "rad",
            named(turns) + " turns past its limits by whole turns",
            "make it a continuous joint in the description, if it turns without end");
      }
    }
    frozen_positions();
  }

  void frozen_positions() {
    const auto motors = static_cast<int>(judged_.moved.size());
    const double moved = judged_.moved.size() ? judged_.moved.maxCoeff() : 0.0;
    std::vector<int> frozen, stuck, jumps;
    double share = 0.0, jump = 0.0;
    for (int j = 0; j < motors; ++j) {
      const bool constant = log_.q.rows() > 1 && (log_.q.col(j).array() == log_.q(0, j)).all();
      if (constant && moved > 0.3) {
        // Where dq would have brought it says whether the joint moves.
        double way = 0.0, least = 0.0, most = 0.0;
        for (const EvenPiece& piece : judged_.pieces) {
          for (Eigen::Index i = 0; i < piece.dq.rows(); ++i) {
            way += piece.dq(i, j) * piece.step;
            least = std::min(least, way);
            most = std::max(most, way);
          }
        }
        if (most - least > options_.least_motion) {
          frozen.push_back(j);
        } else if (log_.tau.rows() == log_.q.rows()) {
          judged_.position_dead[static_cast<std::size_t>(j)] = 1;
        }
        continue;
      }
      // A value that is held for a while, and then jumps to where the joint has gone.
      Eigen::Index run = 1, held = 0;
      const double dt = judged_.step;
      double usual = 0.0;
      for (Eigen::Index i = 1; i < log_.q.rows(); ++i) usual += std::abs(log_.q(i, j) - log_.q(i - 1, j));
      usual /= std::max<double>(1.0, static_cast<double>(log_.q.rows() - 1));
      for (Eigen::Index i = 1; i < log_.q.rows(); ++i) {
        const double step = std::abs(log_.q(i, j) - log_.q(i - 1, j));
        if (step == 0.0) {
          ++run;
          continue;
        }
        if (static_cast<double>(run) * dt >= kRunOfEqual && step > std::max(20.0 * usual, 0.03)) held += run;
        run = 1;
        const double limit = robot_.model.velocity_limits()[j];
        const double fastest = std::isfinite(limit) && limit > 0.0 ? 3.0 * limit : 30.0;
        const double here =
            i < log_.time.size() && log_.has_time() ? (log_.time[i] - log_.time[i - 1]) / out_.time_unit : dt;
        if (here > 0.0 && here < 3.0 * dt && step > 0.2 + fastest * std::max(here, dt) && step > 30.0 * usual &&
            held == 0) {
          if (jumps.empty() || jumps.back() != j) jumps.push_back(j);
          jump = std::max(jump, step);
        }
      }
      if (static_cast<double>(run) * dt >= kRunOfEqual &&
          static_cast<double>(run) > 0.2 * static_cast<double>(log_.q.rows()) && judged_.moved[j] > 0.2 &&
          log_.v.rows() == log_.q.rows()) {
        const auto tail = log_.v.col(j).tail(run).array();
        if (std::sqrt(tail.square().mean()) > kMoving) held += run;
      }
      if (held > 0) {
        stuck.push_back(j);
        share = std::max(share, static_cast<double>(held) / static_cast<double>(log_.q.rows()));
      }
    }
    if (!frozen.empty()) {
      Finding& finding = add(Fault::position_frozen, "qpos", frozen, Severity::error, 1.0, "1",
                             "the position of " + named(frozen) + " never changes, and the joint moves",
                             "find why this channel does not reach the log");
      finding.alternatives.emplace_back(to_string(Fault::joint_locked));
      out_.frozen_position = true;
    }
    if (!stuck.empty()) {
      add(Fault::position_frozen, "qpos", stuck, share > 0.2 ? Severity::error : Severity::warning, share, "1",
          "the position of " + named(stuck) + " stands still in " + figure(100.0 * share) +
              " % of the log and then jumps",
          "find why this channel stops; cut the log there");
    }
    if (!jumps.empty() && out_.position_unit == 1.0 && !out_.frozen_position) {
      add(Fault::position_jump, "qpos", jumps, Severity::warning, jump, "rad",
          "the position of " + named(jumps) + " jumps by up to " + figure(jump) + " from one sample to the next",
          "cut the log there, or fix the driver");
    }
  }

  void torques() {
    if (log_.tau.rows() < 10 || log_.q.rows() != log_.tau.rows()) return;
    const auto motors = static_cast<int>(log_.tau.cols());
    const Eigen::Index rows = log_.tau.rows();
    std::vector<int> frozen, zeros, flat, coarse;
    double worst_run = 0.0, worst_zero = 0.0, worst_flat = 0.0;
    std::vector<double> zero_shares;
    for (int j = 0; j < motors; ++j) {
      const auto tau = log_.tau.col(j);
      const double least = tau.minCoeff(), most = tau.maxCoeff(), range = most - least;
      if (!std::isfinite(range)) continue;
      const double moved = judged_.moved.size() ? judged_.moved[j] : 0.0;
      Eigen::Index nothing = 0, run = 1, top = 0, bottom = 0, near_top = 0, near_bottom = 0;
      Eigen::Index longest = 0;
      double least_q = log_.q(0, j), most_q = least_q;
      for (Eigen::Index i = 0; i < rows; ++i) {
        nothing += tau[i] == 0.0;
        top += tau[i] == most;
        bottom += tau[i] == least;
        near_top += tau[i] < most && tau[i] > most - 0.05 * range;
        near_bottom += tau[i] > least && tau[i] < least + 0.05 * range;
        if (i == 0) continue;
        if (tau[i] == tau[i - 1]) {
          ++run;
          least_q = std::min(least_q, log_.q(i, j));
          most_q = std::max(most_q, log_.q(i, j));
        } else {
          run = 1;
          least_q = most_q = log_.q(i, j);
        }
        // At its largest value it is cut off, not frozen.
        const bool at_end = tau[i] == most || tau[i] == least;
        if (most_q - least_q > 0.1 * out_.position_unit && (!at_end || range == 0.0)) longest = std::max(longest, run);
      }
      const double dt = std::isfinite(judged_.step) ? judged_.step : 0.005;
      const double zero_share = static_cast<double>(nothing) / static_cast<double>(rows);
      if (range == 0.0 && moved < options_.least_motion && judged_.moved.size()) {
        judged_.torque_dead[static_cast<std::size_t>(j)] = 1;
        continue;
      }
      if (range == 0.0 || (static_cast<double>(longest) * dt >= kRunOfEqual && longest >= 20 && zero_share < 0.5)) {
        const double share = range == 0.0 ? 1.0 : static_cast<double>(longest) / static_cast<double>(rows);
        if (share > 0.02 || range == 0.0) {
          frozen.push_back(j);
          worst_run = std::max(worst_run, share);
          if (share > 0.1) judged_.torque_dead[static_cast<std::size_t>(j)] = 1;
          continue;
        }
      }
      if (zero_share > 0.5) {
        zeros.push_back(j);
        zero_shares.push_back(zero_share);
        worst_zero = std::max(worst_zero, zero_share);
        judged_.torque_dead[static_cast<std::size_t>(j)] = 1;
        continue;
      }
      const double level = std::sqrt((tau.array() - tau.mean()).square().mean());
      std::vector<double> values;
      for (Eigen::Index i = 0; i < rows; i += std::max<Eigen::Index>(1, rows / 2000)) values.push_back(tau[i]);
      std::ranges::sort(values);
      values.erase(std::ranges::unique(values).begin(), values.end());
      // Few levels make flat tops of themselves: there only one near the motor's limit is a cut.
      constexpr std::size_t kFewLevels = 200;
      const double limit = robot_.model.effort_limits()[j];
      const bool near_limit = std::isfinite(limit) && std::max(-least, most) > 0.5 * limit;
      const auto clipped = [&](Eigen::Index at, Eigen::Index near) {
        return at >= 10 && at > 3 * near && (values.size() > kFewLevels || near_limit);
      };
      if (clipped(top, near_top) || clipped(bottom, near_bottom)) {
        flat.push_back(j);
        worst_flat = std::max(worst_flat, static_cast<double>(std::max(top, bottom)) / static_cast<double>(rows));
      }
      if (values.size() > 1 && values.size() <= 25 && range / static_cast<double>(values.size() - 1) > 0.1 * level)
        coarse.push_back(j);
    }
    if (!frozen.empty()) {
      add(Fault::torque_frozen, "tau", frozen, Severity::error, worst_run, "1",
          "the torque of " + named(frozen) + " does not change in " + figure(100.0 * worst_run) +
              " % of the log while the joint moves",
          "find why this channel does not reach the log; until then its joint shows nothing");
    }
    if (!zeros.empty()) {
      Finding& finding =
          add(Fault::torque_frozen, "tau", zeros, Severity::error, worst_zero, "1",
              "the torque of " + named(zeros) + " is exactly zero in up to " + figure(100.0 * worst_zero) +
                  " % of the samples",
              "read the channel of the drive that measures it, or leave these joints out (profile: motors)");
      finding.sizes = zero_shares;
    }
    if (!flat.empty()) {
      add(Fault::torque_saturated, "tau", flat, Severity::warning, worst_flat, "1",
          "the torque of " + named(flat) + " stands at its largest value in " + figure(100.0 * worst_flat) +
              " % of the log: it is cut off there",
          "ask the driver for the whole range; samples at the limit are no evidence");
    }
    if (!coarse.empty()) {
      add(Fault::torque_quantised, "tau", coarse, Severity::note, kNaN, "",
          "the torque of " + named(coarse) + " has few levels", "log it with more digits");
    }
  }

  const Robot& robot_;
  const std::vector<std::string>& names_;
  const Episode& log_;
  const CheckOptions& options_;
  JudgedLog& judged_;
  const std::vector<Eigen::Index>& seams_;
  ChannelFaults out_;
  std::vector<MatrixX> dq_;
};

}  // namespace

std::string figure(double value) { return significant_text(value, 3); }
std::string count_text(Eigen::Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void BrokenNumbers::take(const SampleMatrix& samples) {
  rows += samples.rows();
  of_motor.resize(static_cast<std::size_t>(samples.cols()), 0);
  for (Eigen::Index i = 0; i < samples.rows(); ++i) {
    bool whole = true;
    for (Eigen::Index j = 0; j < samples.cols(); ++j) {
      if (std::abs(samples(i, j)) < kLargestMeasured) continue;  // false for NaN, too
      whole = false;
      ++of_motor[static_cast<std::size_t>(j)];
    }
    broken += !whole;
  }
}

std::optional<Finding> numbers_finding(const char* channel, const BrokenNumbers& numbers,
                                       const std::vector<std::string>& motors) {
  const auto& [rows, broken, of_motor] = numbers;
  if (broken == 0) return {};
  Finding finding;
  finding.fault = Fault::not_numbers;
  finding.channel = channel;
  finding.size = static_cast<double>(broken) / static_cast<double>(rows);
  finding.unit = "1";
  for (std::size_t j = 0; j < of_motor.size() && of_motor.size() == motors.size(); ++j) {
    if (is_silent(of_motor[j], rows)) finding.joints.push_back(motors[j]);
  }
  const bool is_isolated = of_motor.size() == motors.size() ? finding.joints.empty() : !is_silent(broken, rows);
  finding.severity = broken == rows && !is_isolated ? Severity::error
                     : is_isolated                  ? Severity::note
                                                    : Severity::warning;
  const bool all = finding.joints.size() == motors.size();
  finding.text =
      std::string(channel) + ": " + count_text(broken, "step") + " of " + std::to_string(rows) + " hold no number";
  if (!finding.joints.empty() && !all) {
    finding.text =
        listed(finding.joints) + (finding.joints.size() > 1 ? " have" : " has") + " no valid reading: " + finding.text;
  }
  finding.remedy = broken != rows ? "cut the log there, or repair the driver"
                   : all || finding.joints.empty()
                       ? "log numbers in this channel, or leave it out"
                       : "log numbers of this joint, or write a profile whose motors are the others";
  return finding;
}

void ClockCounter::take(const VectorX& time, const std::vector<Eigen::Index>& seams) {
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double step = time[i] - std::exchange(last_, time[i]);
    const Eigen::Index row = rows_++;
    finite_ += std::isfinite(time[i]);
    if (row == 0 || !std::isfinite(step) || std::ranges::binary_search(seams, row)) continue;
    if (step < 0.0) {
      if (back_++ == 0) first_back_ = row;
      largest_back_ = std::max(largest_back_, -step);
    } else if (step == 0.0) {
      ++repeated_;
    } else {
      ++forward_;
      if (keep_) steps_.push_back(step);
      if (step > long_step_) long_steps_.push_back(step);
    }
  }
}

double ClockCounter::typical() const { return keep_ ? median(steps_) : typical_; }

std::vector<Finding> ClockCounter::findings(double& unit) const {
  std::vector<Finding> findings;
  const auto add = [&](Fault fault, Severity severity, double size, const char* of, std::string text,
                       std::string remedy) {
    Finding finding;
    finding.fault = fault;
    finding.channel = "time";
    finding.severity = severity;
    finding.size = size;
    finding.unit = of;
    finding.text = std::move(text);
    finding.remedy = std::move(remedy);
    findings.push_back(std::move(finding));
  };
  unit = 1.0;
  if (finite_ == 0) {
    add(Fault::time_missing, Severity::warning, kNaN, "",
        "the log has no time stamps: rates, lags and torques in motion cannot be judged",
        "log a column `time` in seconds, or name it (" + arg(Input::set, "episode.time=COLUMN") + ")");
    return findings;
  }
  if (forward_ == 0) {
    add(Fault::time_repeated, Severity::error, 1.0, "1", "the clock stands still", "log the time of each sample");
    return findings;
  }
  const double typical = this->typical();
  constexpr double kSlowest = 2.0, kFastest = 20000.0;  // [Hz] of logs of robots
  if (1.0 / typical < kSlowest || 1.0 / typical > kFastest) {
    for (const double factor : {1e3, 1e6, 1e9}) {
      const double rate = factor / typical;
      if (rate < 10.0 || rate > 5001.0) continue;
      unit = factor;
      break;
    }
    if (unit != 1.0) {
      add(Fault::time_unit, Severity::error, unit, "1/s",
          "the clock counts " + figure(unit) + " to a second: in seconds the log would have " + figure(1.0 / typical) +
              " samples per second",
          "divide the time stamps by " + figure(unit) + ", or set channels.time_scale = " + shortest_text(1.0 / unit) +
              " in a profile (" + arg(Input::fix) + ")");
      findings.back().sd = 0.0;
    }
  }
  if (back_ > 0) {
    add(Fault::time_back, Severity::error, largest_back_ / unit, "s",
        "time goes back " + count_text(back_, "time") + ", first at row " + std::to_string(first_back_),
        "sort the log, or cut it at the restart");
  }
  double longest = 0.0;
  Eigen::Index gaps = 0;
  for (const double step : keep_ ? steps_ : long_steps_) {
    if (step / unit <= std::max(5.0 * typical / unit, 0.1)) continue;
    ++gaps;
    longest = std::max(longest, step / unit);
  }
  if (gaps > 0) {
    add(Fault::time_gap, Severity::warning, longest, "s",
        count_text(gaps, "gap") + " in the clock, the longest of " + figure(longest) + " s",
        "record again, or cut the log there: what is formed across a gap is wrong");
  }
  if (repeated_ > 0) {
    const double share = static_cast<double>(repeated_) / static_cast<double>(rows_);
    add(Fault::time_repeated, share > 0.05 ? Severity::warning : Severity::note, share, "1",
        count_text(repeated_, "time stamp") + " repeat the one before", "stamp each sample when it is measured");
  }
  return findings;
}

std::vector<Finding> clock_findings(const VectorX& time, double& unit, const std::vector<Eigen::Index>& seams) {
  ClockCounter counter;
  counter.take(time, seams);
  return counter.findings(unit);
}

ChannelFaults channel_faults(const Robot& robot, const Episode& log, const CheckOptions& options, JudgedLog& judged,
                             const std::vector<Eigen::Index>& seams) {
  return ChannelJudge(robot, log, options, judged, seams).judge();
}

}  // namespace antaeus::detail
