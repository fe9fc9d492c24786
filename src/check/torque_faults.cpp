#include "check/torque_faults.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "check/unit_numbers.hpp"

namespace antaeus::detail {

namespace {

constexpr Eigen::Index kSamples = 220;
constexpr double kMostIndependent = 160;  // beyond, systematic errors do not average out
constexpr double kRest = 0.02;            // [rad/s] below, a joint is held by its dry friction
constexpr double kRestWeight = 0.1;
constexpr double kOutlier = 4.0;    // robust sds from which a sample counts less
constexpr double kMassWidth = 8.0;  // times the prior: masses that may be anything
constexpr double kGate = 4.0;       // [nats] from which dear hypotheses are tried
constexpr double kSmallOccam = 2.0;

class TorqueJudge {
 public:
  TorqueJudge(const Robot& robot, const JudgedLog& log, const CheckOptions& options)
      : robot_(robot), model_(robot.model), log_(log), options_(options), motors_(robot.model.motor_count()) {}

  TorqueJudgement judge() {
    if (!prepare()) return std::move(out_);
    gains_and_signs();
    order();
    delay();
    gravity_removed();
    payload_and_tilt();
    external_force();
    describe_joints();
    dear_ones();
    other_robots();
    finish();
    return std::move(out_);
  }

 private:
  double occam_joint() const { return std::log(static_cast<double>(weighing_.motors.size())); }

  bool refuse(Fault fault, const std::string& why) {
    out_.refused = why;
    out_.refusal = fault;
    return false;
  }

  bool prepare() {
    if (log_.pieces.empty() || log_.pieces.front().tau.rows() == 0)
      return refuse(Fault::too_short, "no torques on a clock");
    if (log_.time < options_.least_time) return refuse(Fault::too_short, "the log is too short");
    const bool floating = model_.base() == Base::free_flyer;
    if (floating && robot_.profile.imu.frame.empty()) {
      out_.remedy = "name the IMU's frame: [imu] frame in the profile";
      return refuse(Fault::too_little_motion, "the base floats, and the profile does not state where its IMU is");
    }
    if (floating && (log_.pieces.front().acc.rows() == 0 || log_.pieces.front().gyro.rows() == 0)) {
      out_.remedy = "log imu_gyro and imu_acc";
      return refuse(Fault::too_little_motion, "a floating base without gyro and accelerometer");
    }
    std::set<int> grounded;
    if (floating) grounded = loaded_legs();
    int moving = 0;
    for (int j = 0; j < motors_; ++j) {
      if (log_.moved[j] < options_.least_motion) out_.still.push_back(j);
      if (log_.torque_dead[static_cast<std::size_t>(j)] || grounded.contains(j)) continue;
      weighing_.motors.push_back(j);
      if (log_.moved[j] >= options_.least_motion) ++moving;
    }
    const auto judged = static_cast<int>(weighing_.motors.size());
    if (judged == 0)
      return refuse(Fault::too_little_motion,
                    grounded.empty() ? "no torque channel that lives" : "all legs stand on the ground");
    if (3 * moving < std::max(3, judged)) return refuse(Fault::too_little_motion, "too few joints move");
    samples_ = take_samples(robot_, log_, kSamples);
    if (samples_.count() < 30) return refuse(Fault::too_short, "the log is too short");
    if (!samples_.q.allFinite() || !samples_.y.allFinite()) return refuse(Fault::not_numbers, "not all are numbers");
    last_body_ = leaf_bodies();
    reading_ = read_model(model_, robot_.profile, samples_, {}, last_body_, nullptr);
    if (!reading_.torque.allFinite() || reading_.torque.cwiseAbs().maxCoeff() == 0.0)
      return refuse(Fault::too_little_motion, "the model has no torques in these positions");
    const double counted = std::min(kMostIndependent, log_.time / kIndependent);
    weighing_.temper = std::min(1.0, counted / static_cast<double>(samples_.count()));
    weights_ = weights_by(samples_.y);
    sums_ = sums_of(reading_, samples_.y, weights_);
    nominal_ = weigh(weighing_, sums_, {});
    unknown_ = weigh(weighing_, sums_of(reading_, samples_.y, weights_, {}, kMassWidth), {});
    out_.unknown = unknown_.score - nominal_.score - 4.0;
    for (const int j : weighing_.motors) {
      const double level = std::max(sums_.level[j], 1e-9);
      out_.explained = std::min(out_.explained, 1.0 - std::pow(nominal_.sigma[j] / level, 2));
    }
    out_.judged = weighing_.motors;
    for (const int j : weighing_.motors) {
      if (!log_.position_dead[static_cast<std::size_t>(j)]) continue;
      // Held by its friction a joint's torque may be off, and stays as it is: that it moves says the joint does.
      const VectorX left_here = samples_.y.col(j) - reading_.torque.col(j);
      const double sd = std::sqrt((left_here.array() - left_here.mean()).square().mean());
      (sd > 0.12 * reading_.scale[j] ? out_.moves_unseen : out_.stands).push_back(j);
    }
    return true;
  }

  /// On a floating base, motors of legs whose feet carry it: the ground's forces are in their torques.
  std::set<int> loaded_legs() {
    std::set<int> loaded;
    std::map<std::string, std::vector<int>> feet;
    for (const Endpoint& endpoint : robot_.profile.endpoints) {
      if (endpoint.kind == EndpointKind::foot)
        feet[endpoint.frame] = model_.supporting_motors(model_.frame(endpoint.frame));
    }
    if (feet.empty()) {
      for (const std::string& name : model_.frame_names()) {
        if (robot_.kind_of(name) == EndpointKind::foot) feet[name] = model_.supporting_motors(model_.frame(name));
      }
    }
    if (feet.empty()) return loaded;
    const Samples few = take_samples(robot_, log_, 40);
    if (few.count() == 0) return loaded;
    const MatrixX expected = model_torque(model_, robot_.profile, few, {});
    Dynamics dynamics(model_);
    VectorX q(model_.nq());
    Matrix6X J(6, model_.nv());
    std::vector<double> shares;
    for (Eigen::Index k = 0; k < few.count(); ++k) {
      const VectorX q_motor = few.q.row(k);
      if (!expected.row(k).allFinite() ||
          model_.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok)
        continue;
      const PositionTerms terms = dynamics.at(q);
      double carried = 0.0;
      const Vector3 up = few.force.row(k).transpose().normalized();
      for (const auto& [frame, motors] : feet) {
        if (terms.frame_jacobian(model_.frame(frame), J) != Status::ok) continue;
        MatrixX A(static_cast<Eigen::Index>(motors.size()), 3);
        VectorX r(A.rows());
        for (Eigen::Index i = 0; i < A.rows(); ++i) {
          const int motor = motors[static_cast<std::size_t>(i)];
          A.row(i) = J.block<3, 1>(0, model_.motor_rows()[static_cast<std::size_t>(motor)]).transpose();
          r[i] = expected(k, motor) - few.y(k, motor);
        }
        const Eigen::Matrix3d normal = A.transpose() * A + 1e-4 * Eigen::Matrix3d::Identity();
        carried += up.dot(normal.ldlt().solve(A.transpose() * r));
      }
      shares.push_back(carried / std::max(robot_.weight(), 1e-9));
    }
    if (shares.empty()) return loaded;
    std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2), shares.end());
    const double share = std::abs(shares[shares.size() / 2]);
    if (share < 0.35) return loaded;
    for (const auto& [frame, motors] : feet) loaded.insert(motors.begin(), motors.end());
    return loaded;
  }

  /// Bodies at the ends of the tree.
  std::vector<int> leaf_bodies() const {
    std::vector<int> leaves;
    std::set<std::string> parents;
    const RobotDescription& description = model_.description();
    std::map<std::string, std::string> parent_joint;  // of a link
    for (const JointDescription& joint : description.joints) parent_joint[joint.child] = joint.name;
    std::map<std::string, const JointDescription*> by_name;
    for (const JointDescription& joint : description.joints) by_name[joint.name] = &joint;
    std::map<std::string, int> body_of;
    for (int b = 0; b < model_.body_count(); ++b) body_of[model_.body_joint(b)] = b;
    for (int b = 0; b < model_.body_count(); ++b) {
      const auto joint = by_name.find(model_.body_joint(b));
      if (joint == by_name.end()) continue;
      std::string link = joint->second->parent;
      while (parent_joint.contains(link)) {
        const std::string& above = parent_joint[link];
        if (body_of.contains(above)) {
          parents.insert(above);
          break;
        }
        link = by_name[above]->parent;
      }
    }
    for (int b = 0; b < model_.body_count(); ++b) {
      const std::string joint = model_.body_joint(b);
      if (!joint.empty() && by_name.contains(joint) && !parents.contains(joint)) leaves.push_back(b);
    }
    return leaves;
  }

  void add(Fault fault, std::vector<int> motors, double score, double occam, double size = kNaN, double sd = kNaN,
           std::vector<double> sizes = {}, std::string detail = {}) {
    const double value = score - nominal_.score - occam;
    if (!std::isfinite(value)) return;
    out_.hypotheses.push_back({fault, std::move(motors), value, size, sd, std::move(sizes), std::move(detail)});
  }

  VectorX ones() const { return VectorX::Ones(motors_); }

  double score_gain(const VectorX& gain) const { return weigh(weighing_, sums_, {{}, gain}).score; }

  /// The best factor for some joints by golden section in its logarithm, from a start. \return score
  double refine(VectorX& gain, const std::vector<int>& motors, double reach) const {
    const auto scored = [&](double log_factor) {
      VectorX tried = gain;
      for (const int j : motors) tried[j] *= std::exp(log_factor);
      return score_gain(tried);
    };
    double a = -reach, b = reach;
    constexpr double kGolden = 0.6180339887498949;
    double c = b - kGolden * (b - a), d = a + kGolden * (b - a), fc = scored(c), fd = scored(d);
    for (int i = 0; i < 14; ++i) {
      if (fc > fd) {
        b = d;
        d = c;
        fd = fc;
        c = b - kGolden * (b - a);
        fc = scored(c);
      } else {
        a = c;
        c = d;
        fc = fd;
        d = a + kGolden * (b - a);
        fd = scored(d);
      }
    }
    const double best = fc > fd ? c : d;
    for (const int j : motors) gain[j] *= std::exp(best);
    return std::max(fc, fd);
  }

  /// Standard deviation of a gain [its own unit] by the curvature of its score in the logarithm.
  double gain_sd(const VectorX& gain, const std::vector<int>& motors) const {
    constexpr double kStep = 0.05;
    const auto scored = [&](double f) {
      VectorX tried = gain;
      for (const int j : motors) tried[j] *= std::exp(f);
      return score_gain(tried);
    };
    const double curve = (scored(kStep) - 2.0 * score_gain(gain) + scored(-kStep)) / (kStep * kStep);
    return std::abs(gain[motors.front()]) / std::sqrt(std::max(-curve, 1.0));
  }

  void gains_and_signs() {
    const std::vector<int>& all = weighing_.motors;
    add(Fault::torque_sign, {}, score_gain(-ones()), 1.0);
    for (const int j : all) {
      VectorX gain = ones();
      gain[j] = -1.0;
      add(Fault::torque_sign, {j}, score_gain(gain), 1.0 + occam_joint());
    }
    // One gain: of all joints, and of each.
    const double ratio = level_ratio();
    VectorX best = ones();
    double best_score = -kInfinity;
    for (const double sign : {1.0, -1.0}) {
      for (const double start : {1.0, ratio, 1000.0, 0.1, 0.001}) {
        VectorX gain = sign * start * ones();
        const double coarse = score_gain(gain);
        if (start != 1.0 && coarse < best_score - 60.0) continue;
        const double score = refine(gain, all, 1.6);
        if (score > best_score) {
          best_score = score;
          best = gain;
        }
      }
    }
    if (const double gain = best[all.front()]; all.size() > 1 && explains(best, all)) {
      add(gain_fault(gain), {}, best_score, kSmallOccam + (gain < 0.0 ? 1.0 : 0.0) + odd_gain(gain), gain,
          gain_sd(best, all));
    }
    for (const int j : all) {
      VectorX top = ones();
      double top_score = -kInfinity;
      const double own_ratio = sums_.level[j] / std::max(1e-9, rms(reading_.torque.col(j)));
      // A first look by the joint alone.
      Weighing alone = weighing_;
      alone.motors = {j};
      std::vector<std::pair<double, double>> starts;
      for (const double start : {1.0, own_ratio, 0.1, 10.0, 0.01, 100.0, 1000.0, -1.0, -own_ratio, -0.1}) {
        VectorX gain = ones();
        gain[j] = start;
        starts.emplace_back(weigh(alone, sums_, {{}, gain}).score, start);
      }
      std::ranges::sort(starts, std::greater<>());
      const std::size_t tried = all.size() > 10 ? 2 : 4;
      for (std::size_t i = 0; i < tried; ++i) {
        VectorX gain = ones();
        gain[j] = starts[i].second;
        const double score = refine(gain, {j}, 1.2);
        if (score > top_score) {
          top_score = score;
          top = gain;
        }
      }
      const Fault fault = gain_fault(top[j]);
      if (fault == Fault::torque_gain && (!tells_gain(j) || !explains(top, {j}))) continue;
      const double more = top[j] < 0.0 ? 1.0 : 0.0;
      add(fault, {j}, top_score, kSmallOccam + occam_joint() + more, top[j], gain_sd(top, {j}));
    }
    several_gains(best);
  }

  /// Whether channels with these gains follow the model at all: a gain without end makes any channel nothing.
  bool explains(const VectorX& gain, const std::vector<int>& motors) const {
    const Fit fit = weigh(weighing_, sums_, {{}, gain});
    int following = 0;
    for (const int j : motors) following += fit.sigma[j] * std::abs(gain[j]) < 0.8 * sums_.level[j];
    return 2 * following >= static_cast<int>(motors.size());
  }

  /// Near −1 a gain is a sign, and what clean channels differ by.
  static Fault gain_fault(double gain) {
    return gain < 0.0 && std::abs(std::log(-gain)) < kCleanGain ? Fault::torque_sign : Fault::torque_gain;
  }

  /// One gain for all is a unit: amperes, thousandths, percent. What differs by less than a factor of 2.5 is none.
  static double odd_gain(double gain) { return std::abs(std::log(std::abs(gain))) < kOddGain ? 10.0 : 0.0; }
  /// Without gravity a joint's gain is rotor and friction, both free: only a large one can be told.
  bool tells_gain(int j) const {
    const double most = samples_.y.col(j).cwiseAbs().maxCoeff(), limit = model_.effort_limits()[j];
    return rms(reading_.gravity.col(j)) > 0.1 * reading_.scale[j] ||
           (std::isfinite(limit) && limit > 0.0 && most > 3.0 * limit);
  }

  /// The channel's level over the model's, at the joint that gravity loads most.
  double level_ratio() const {
    int most = weighing_.motors.front();
    for (const int j : weighing_.motors) {
      if (rms(reading_.gravity.col(j)) > rms(reading_.gravity.col(most))) most = j;
    }
    return std::max(rms(samples_.y.col(most)), 1e-12) / std::max(rms(reading_.torque.col(most)), 1e-9);
  }

  /// Several joints with gains of their own: from one and from the common gain, one joint after the other.
  void several_gains(const VectorX& common) {
    const std::vector<int>& all = weighing_.motors;
    if (all.size() < 2) return;
    for (const bool from_common : {false, true}) {
      if (from_common && std::abs(std::log(std::abs(common[all.front()]))) < kCleanGain) continue;
      VectorX gain = from_common ? common : ones();
      double score = score_gain(gain);
      std::vector<int> free;
      const double each = 3.0 + (from_common ? 0.0 : std::log(static_cast<double>(all.size())));
      double occam = from_common ? 3.0 : 0.0;
      for (int sweep = 0; sweep < 2; ++sweep) {
        for (const int j : all) {
          if (!from_common && !tells_gain(j)) continue;
          const bool known = std::ranges::find(free, j) != free.end();
          VectorX top = gain;
          double top_score = score;
          const double level = sums_.level[j] / std::max(1e-9, rms(reading_.torque.col(j)));
          for (const double start : {gain[j], -gain[j], level, -level}) {
            if (all.size() > 10 && start != level && start != -level) continue;
            VectorX tried = gain;
            tried[j] = start;
            const double s = refine(tried, {j}, 0.8);
            if (s > top_score) {
              top_score = s;
              top = tried;
            }
          }
          if (!known && top_score - score < each) continue;
          if (!known) {
            free.push_back(j);
            occam += each;
          }
          gain = top;
          score = top_score;
        }
        if (all.size() > 10) break;
      }
      if (free.size() < 2) continue;
      std::ranges::sort(free);
      std::vector<int> named = from_common ? all : free;
      std::vector<double> sizes;
      int negative = 0, unit = 0;
      for (const int j : named) {
        sizes.push_back(gain[j]);
        negative += gain[j] < 0.0;
        unit += std::abs(std::log(std::abs(gain[j]))) < kCleanGain;
      }
      std::vector<double> sorted;
      for (const double s : sizes) sorted.push_back(std::abs(s));
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
      const Fault fault =
          unit == static_cast<int>(named.size()) && negative > 0 ? Fault::torque_sign : Fault::torque_gain;
      // Another sign and another unit at once is rare, and so is a gain that is no unit in several joints.
      occam += fault == Fault::torque_sign ? 0.0 : 6.0 * negative;
      for (const double g : sizes) occam += fault == Fault::torque_gain && g > 0.0 && odd_gain(g) > 0.0 ? 4.0 : 0.0;
      if (explains(gain, named)) add(fault, named, score, occam, sorted[sorted.size() / 2], kNaN, sizes);
    }
  }

  void order() {
    const std::vector<int>& all = weighing_.motors;
    const auto n = static_cast<int>(all.size());
    if (n < 2) return;
    // Each channel for each joint alone, then together.
    MatrixX single(n, n);
    for (int a = 0; a < n; ++a) {
      Weighing one = weighing_;
      one.motors = {all[static_cast<std::size_t>(a)]};
      for (int b = 0; b < n; ++b) {
        Trial trial;
        trial.order.resize(static_cast<std::size_t>(motors_));
        std::iota(trial.order.begin(), trial.order.end(), 0);
        trial.order[static_cast<std::size_t>(all[static_cast<std::size_t>(a)])] = all[static_cast<std::size_t>(b)];
        single(a, b) = weigh(one, sums_, trial).score;
      }
    }
    std::vector<int> own(static_cast<std::size_t>(motors_));
    std::iota(own.begin(), own.end(), 0);
    const double pair = std::log(0.5 * n * n) + 0.7;
    std::vector<std::pair<double, std::pair<int, int>>> swaps;
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b)
        swaps.push_back({single(a, b) + single(b, a) - single(a, a) - single(b, b), {a, b}});
    }
    std::ranges::sort(swaps, std::greater<>());
    const std::size_t tried = std::min<std::size_t>(swaps.size(), n <= 8 ? 28 : 12);
    for (std::size_t s = 0; s < tried; ++s) {
      std::vector<int> order = own;
      const int a = all[static_cast<std::size_t>(swaps[s].second.first)],
                b = all[static_cast<std::size_t>(swaps[s].second.second)];
      std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
      add_order(order, weigh(weighing_, sums_, {order, {}}).score, pair);
    }
    const std::vector<int> assigned = best_assignment(single);
    std::vector<int> order = own;
    int moved = 0;
    for (int a = 0; a < n; ++a) {
      order[static_cast<std::size_t>(all[static_cast<std::size_t>(a)])] =
          all[static_cast<std::size_t>(assigned[static_cast<std::size_t>(a)])];
      moved += assigned[static_cast<std::size_t>(a)] != a;
    }
    if (moved > 2) {
      double score = weigh(weighing_, sums_, {order, {}}).score;
      // Joints alike alone may be told apart together.
      for (bool better = true; better;) {
        better = false;
        for (int a = 0; a < n && n <= 10; ++a) {
          for (int b = a + 1; b < n; ++b) {
            std::vector<int> other = order;
            std::swap(other[static_cast<std::size_t>(all[static_cast<std::size_t>(a)])],
                      other[static_cast<std::size_t>(all[static_cast<std::size_t>(b)])]);
            const double s = weigh(weighing_, sums_, {other, {}}).score;
            if (!(s > score + 0.5)) continue;
            score = s;
            order = other;
            better = true;
          }
        }
      }
      int changed = 0;
      for (const int j : all) changed += order[static_cast<std::size_t>(j)] != j;
      if (changed > 0) add_order(order, score, changed == 2 ? pair : 0.5 * changed * pair);
    }
  }

  void add_order(const std::vector<int>& order, double score, double occam) {
    std::vector<int> changed;
    std::vector<double> sizes;
    for (int j = 0; j < motors_; ++j) {
      if (order[static_cast<std::size_t>(j)] != j) changed.push_back(j);
      sizes.push_back(order[static_cast<std::size_t>(j)]);
    }
    add(Fault::torque_order, changed, score, occam, kNaN, kNaN, sizes);
  }

  /// What a sample counts: little where the joint stands and is held by its dry friction, whatever else acts on it; and
  /// less where a push or an impact is, by the freest fit. The same for every hypothesis.
  MatrixX weights_by(const MatrixX& channels) const {
    MatrixX weights = MatrixX::Ones(samples_.count(), motors_);
    for (Eigen::Index k = 0; k < samples_.count(); ++k) {
      for (int j = 0; j < motors_; ++j) {
        if (std::abs(samples_.v(k, j)) < kRest) weights(k, j) = kRestWeight;
      }
    }
    OwnVector wide = OwnVector::Ones();
    wide[kGainError] = 10.0;
    Fit free = weigh(weighing_, sums_of(reading_, channels, weights, {}, kMassWidth), {}, wide);
    free.common.head(reading_.masses) *= kMassWidth;
    const MatrixX left = left_over(reading_, channels, free, {});
    for (const int j : weighing_.motors) {
      std::vector<double> sizes(static_cast<std::size_t>(left.rows()));
      for (Eigen::Index k = 0; k < left.rows(); ++k) sizes[static_cast<std::size_t>(k)] = std::abs(left(k, j));
      std::nth_element(sizes.begin(), sizes.begin() + left.rows() / 2, sizes.end());
      const double sd = std::max(1.4826 * sizes[static_cast<std::size_t>(left.rows() / 2)], 1e-12);
      for (Eigen::Index k = 0; k < left.rows(); ++k) {
        const double z = left(k, j) / (kOutlier * sd);
        weights(k, j) /= 1.0 + z * z;
      }
    }
    return weights;
  }

  double delay_score(double delay, const MatrixX& weights) const {
    const MatrixX y = late_torques(log_, samples_, delay);
    return weigh(weighing_, sums_of(reading_, y, weights), {}).score;
  }
  /// A parabola through three points, some times: the score is smooth. \param delay  a start; receives the best
  /// \return its score and its standard deviation
  std::pair<double, double> refine_delay(double& delay, const MatrixX& weights) const {
    double score = delay_score(delay, weights), step = 0.01, curve = 0.0;
    for (int i = 0; i < 4; ++i) {
      const double left = delay_score(delay - step, weights), right = delay_score(delay + step, weights);
      curve = (left - 2.0 * score + right) / (step * step);
      if (curve >= 0.0) break;
      const double moved = delay + std::clamp(-0.5 * (right - left) / step / curve, -step, step);
      const double there = delay_score(moved, weights);
      if (there > score) {
        score = there;
        delay = moved;
      }
      step = std::max(0.4 * step, 0.002);
    }
    return {score, curve < 0.0 ? 1.0 / std::sqrt(-curve) : kNaN};
  }

  void delay() {
    double best = 0.0, best_score = nominal_.score;
    for (double delay = -0.02; delay <= 0.151; delay += 0.01) {
      const double score = std::abs(delay) < 1e-9 ? nominal_.score : delay_score(delay, weights_);
      if (score > best_score) {
        best_score = score;
        best = delay;
      }
    }
    if (best == 0.0) best = 0.002;
    best_score = refine_delay(best, weights_).first;
    // Its size by weights that know of it: those of no delay count the fast samples less.
    double size = best;
    const double sd = refine_delay(size, weights_by(late_torques(log_, samples_, best))).second;
    add(Fault::torque_late, {}, best_score, kSmallOccam, size, sd);
  }

  void gravity_removed() {
    if (reading_.gravity.cwiseAbs().maxCoeff() == 0.0) return;
    // Taken out by the description: add it again.
    const MatrixX y = samples_.y + reading_.gravity;
    const double by_description = weigh(weighing_, sums_of(reading_, y, weights_), {}).score;
    // Taken out exactly: nothing of it is left, whatever the masses are.
    PositionReading at_rest;
    at_rest.without_gravity = true;
    const Reading bare = read_model(model_, robot_.profile, samples_, at_rest, {}, &reading_);
    const double exactly = weigh(weighing_, sums_of(bare, samples_.y, weights_), {}).score;
    add(Fault::gravity_removed, {}, std::max(by_description, exactly), 1.0);
  }

  void payload_and_tilt() {
    const VectorX parameters = model_.inertial_parameters();
    double mass = 0.0;
    for (int b = model_.base() == Base::free_flyer ? 1 : 0; b < model_.body_count(); ++b)
      mass += std::abs(parameters[10 * b]);
    const double heavy = 0.15 * mass;
    VectorX sd(10);
    sd << heavy, VectorX::Constant(3, 0.12 * heavy), VectorX::Constant(6, 0.003 * heavy);
    const Eigen::Index at = reading_.common.front().cols();
    for (std::size_t e = 0; e < last_body_.size(); ++e) {
      std::vector<MatrixX> extra;
      for (const MatrixX& of_joint : reading_.ends[e]) extra.push_back(of_joint * sd.asDiagonal());
      const Fit fit = weigh(weighing_, sums_of(reading_, samples_.y, weights_, extra), {});
      add(Fault::payload, {}, fit.score, kSmallOccam + std::log(static_cast<double>(last_body_.size())),
          heavy * fit.common[at], heavy * fit.common_sd[at], {}, model_.body_joint(last_body_[e]));
    }
    // Gravity from anywhere.
    if (model_.base() == Base::free_flyer) return;  // its accelerometer says where down is
    const double g = model_.gravity().norm();
    if (g < 2.0) return;
    const Fit wide = with_gravity(reading_, g);
    const Vector3 down = model_.gravity() + g * wide.common.tail<3>();
    if (wide.score - nominal_.score < kGate && down.normalized().dot(model_.gravity() / g) > 0.99) {
      return;
    }
    double best = -kInfinity;
    Vector3 best_down = model_.gravity();
    for (const Vector3& start : {down, Vector3(-model_.gravity())}) {
      Vector3 now = start.normalized() * g;
      for (int i = 0; i < 3; ++i) {
        ModelOptions turned = model_.options();
        turned.gravity = now;
        const RobotModel model(model_.description(), turned);
        const Reading reading = read_model(model, robot_.profile, samples_, {}, {}, &reading_);
        const double score = weigh(weighing_, sums_of(reading, samples_.y, weights_), {}).score;
        if (score > best) {
          best = score;
          best_down = now;
        }
        if (i == 2) break;
        const double wrong = 0.3 * g;
        const Vector3 next = now + wrong * with_gravity(reading, wrong).common.tail<3>();
        if (next.norm() < 0.1 * g) break;
        now = next.normalized() * g;
      }
    }
    const double angle = std::acos(std::clamp(best_down.normalized().dot(model_.gravity() / g), -1.0, 1.0));
    add(Fault::base_tilted, {}, best, 4.0, angle, 0.01, {best_down.x(), best_down.y(), best_down.z()});
  }

  /// The fit beside a free fall that is wrong by N(0, sd²) along each axis: the last three of its common columns.
  Fit with_gravity(const Reading& reading, double sd) const {
    std::vector<MatrixX> extra(static_cast<std::size_t>(motors_), MatrixX(samples_.count(), 3));
    for (int j = 0; j < motors_; ++j) {
      for (std::size_t i = 0; i < 3; ++i) {
        extra[static_cast<std::size_t>(j)].col(static_cast<Eigen::Index>(i)) = sd * reading.gravity_of[i].col(j);
      }
    }
    return weigh(weighing_, sums_of(reading, samples_.y, weights_, extra), {});
  }

  void external_force() {
    constexpr double kForce = 60.0, kTorque = 10.0;
    constexpr int kBlocks = 5;
    std::vector<std::string> frames;
    for (const Endpoint& endpoint : robot_.profile.endpoints) {
      if (model_.base() == Base::free_flyer && endpoint.kind == EndpointKind::foot) continue;
      frames.push_back(endpoint.frame);
    }
    if (frames.empty()) frames = ends();
    Dynamics dynamics(model_);
    VectorX q(model_.nq());
    Matrix6X J(6, model_.nv());
    // A wrench that stays, one that changes four times, and a force that comes and goes all along, as under a foot.
    const auto knots = static_cast<int>(std::clamp(log_.time, 10.0, 30.0));
    for (const std::string& frame : frames) {
      if (!model_.has_frame(frame)) continue;
      const FrameId id = model_.frame(frame);
      for (const int blocks : {1, kBlocks, knots}) {
        const bool wanders = blocks == knots;
        const int rows = wanders ? 3 : 6;
        std::vector<MatrixX> extra(static_cast<std::size_t>(motors_), MatrixX::Zero(samples_.count(), rows * blocks));
        for (Eigen::Index k = 0; k < samples_.count(); ++k) {
          const VectorX q_motor = samples_.q.row(k);
          if (model_.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok) continue;
          if (dynamics.at(q).frame_jacobian(id, J) != Status::ok) continue;
          for (int j = 0; j < motors_; ++j) {
            const auto column = J.col(model_.motor_rows()[static_cast<std::size_t>(j)]);
            auto row = extra[static_cast<std::size_t>(j)].row(k);
            if (wanders) {  // linear between its knots
              const double at = static_cast<double>(k) * (blocks - 1) / static_cast<double>(samples_.count());
              const auto block = static_cast<Eigen::Index>(at);
              const double share = at - static_cast<double>(block);
              row.segment<3>(3 * block) = -(1.0 - share) * kForce * column.head<3>().transpose();
              row.segment<3>(3 * (block + 1)) = -share * kForce * column.head<3>().transpose();
            } else {
              const Eigen::Index block = k * blocks / samples_.count();
              row.segment<3>(6 * block) = -kForce * column.head<3>().transpose();
              row.segment<3>(6 * block + 3) = -kTorque * column.tail<3>().transpose();
            }
          }
        }
        const Fit fit = weigh(weighing_, sums_of(reading_, samples_.y, weights_, extra), {});
        const Eigen::Index at = reading_.common.front().cols();
        double force = 0.0;
        for (int b = 0; b < blocks; ++b) force = std::max(force, kForce * fit.common.segment<3>(at + rows * b).norm());
        add(Fault::external_force, {}, fit.score, 3.0 + std::log(static_cast<double>(frames.size())), force, kNaN, {},
            frame);
      }
    }
  }

  /// Links that carry no other, of a robot whose profile names no endpoint.
  std::vector<std::string> ends() const {
    std::set<std::string> parents;
    for (const JointDescription& joint : model_.description().joints) parents.insert(joint.parent);
    std::vector<std::string> found;
    for (const JointDescription& joint : model_.description().joints) {
      if (parents.contains(joint.child) || !model_.has_frame(joint.child)) continue;
      if (!model_.supporting_motors(model_.frame(joint.child)).empty() && found.size() < 8)
        found.push_back(joint.child);
    }
    return found;
  }

  /// Gain and zero of each joint, with priors that say nothing.
  void describe_joints() {
    for (int j = 0; j < motors_; ++j) {
      CheckedJoint joint;
      joint.joint = model_.motor_names()[static_cast<std::size_t>(j)];
      joint.moved = log_.moved[j];
      out_.joints.push_back(joint);
    }
    for (const int j : weighing_.motors) {
      CheckedJoint& joint = out_.joints[static_cast<std::size_t>(j)];
      // The gain beside all else: its error's prior, made wide for this joint alone.
      constexpr double kWide = 30.0;
      Sums wide = sums_;
      Sums::Joint& own = wide.joints[static_cast<std::size_t>(j)];
      own.cd.col(kGainError) *= kWide;
      own.dd.row(kGainError) *= kWide;
      own.dd.col(kGainError) *= kWide;
      own.dy.row(kGainError) *= kWide;
      own.d0[kGainError] *= kWide;
      const Fit fit = weigh(weighing_, wide, {});
      const double prior = kWide * reading_.own_sd[j * kOwn + kGainError];
      joint.gain = 1.0 + prior * fit.own[static_cast<std::size_t>(j)][kGainError];
      joint.gain_sd = prior * fit.own_sd[static_cast<std::size_t>(j)][kGainError];
      joint.tells_gain = joint.gain_sd < 0.2;
      PositionReading as_read;
      as_read.offset = VectorX::Zero(motors_);
      const Shift zero = shift_of(reading_, as_read, j);
      joint.zero = zero.value;
      joint.zero_sd = zero.sd;
      joint.tells_zero = joint.zero_sd < 0.1;
      zero_score_.push_back(zero.score);
    }
    // Friction: what of the torques it is, in the joints that gravity loads.
    double share = 0.0, weight = 0.0;
    for (const int j : weighing_.motors) {
      if (rms(reading_.gravity.col(j)) < 0.3 * reading_.scale[j]) continue;
      const auto& own = nominal_.own[static_cast<std::size_t>(j)];
      const VectorX friction =
          reading_.own[static_cast<std::size_t>(j)].middleCols(kViscous, 2) * own.segment<2>(kViscous);
      share += rms(friction) / std::max(sums_.level[j], 1e-9);
      weight += 1.0;
    }
    if (weight > 0.0) out_.friction_share = share / weight;
  }

  /// How much further off joint j's zero is than positions say, by the torques' slope ∂τ/∂q_j.
  struct Shift {
    double value, sd, score;
  };
  Shift shift_of(const Reading& reading, const PositionReading& positions, int j) const {
    constexpr double kPrior = 0.4, kStep = 0.01;  // [rad]
    PositionReading plus = positions, minus = positions;
    plus.offset[j] -= kStep;
    minus.offset[j] += kStep;
    const MatrixX slope =
        (model_torque(model_, robot_.profile, samples_, plus) - model_torque(model_, robot_.profile, samples_, minus)) /
        (2.0 * kStep);
    std::vector<MatrixX> extra;
    for (int m = 0; m < motors_; ++m) extra.emplace_back(-kPrior * slope.col(m));
    const Fit fit = weigh(weighing_, sums_of(reading, samples_.y, weights_, extra), {});
    const Eigen::Index last = fit.common.size() - 1;
    return {kPrior * fit.common[last], kPrior * fit.common_sd[last], fit.score};
  }

  double score_of_positions(const PositionReading& positions) const {
    const Reading reading = read_model(model_, robot_.profile, samples_, positions, {}, &reading_);
    if (!reading.torque.allFinite()) return -kInfinity;
    return weigh(weighing_, sums_of(reading, samples_.y, weights_), {}).score;
  }
  /// The same with the columns of the log as it is, for a first look.
  double quick_score(const PositionReading& positions) const {
    const MatrixX torque = model_torque(model_, robot_.profile, samples_, positions);
    if (!torque.allFinite()) return -kInfinity;
    return weigh(weighing_, with_torque(sums_, reading_, samples_.y, weights_, torque), {}).score;
  }

  bool something_found() const {
    return out_.unknown > kGate ||
           std::ranges::any_of(out_.hypotheses, [](const Hypothesis& h) { return h.score > kGate; });
  }

  void dear_ones() {
    // Friction or a rotor below zero: a joint that moves the other way.
    bool open = out_.explained < 0.9 || something_found();
    for (const int j : weighing_.motors) {
      const auto at = static_cast<std::size_t>(j);
      for (const int column : {kCoulomb, kRotor}) {
        open = open || nominal_.own[at][column] < -1.5 * nominal_.own_sd[at][column];
      }
    }
    for (std::size_t l = 0; l < weighing_.motors.size(); ++l) open = open || zero_score_[l] - nominal_.score > kGate;
    if (!open) return;
    const std::vector<int>& all = weighing_.motors;
    const auto n = static_cast<int>(all.size());
    // Degrees. Readings of which not even the largest motion would then be one are no evidence: a push in a small
    // motion fits a robot that stands at zero.
    constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;
    if (kRadiansPerDegree * log_.moved.maxCoeff() >= options_.least_motion) {
      PositionReading degrees;
      degrees.scale = kRadiansPerDegree;
      add(Fault::positions_degrees, {}, score_of_positions(degrees), 1.0, 180.0 / std::numbers::pi, 0.0);
    }
    for (const int j : all) {
      PositionReading flipped;
      flipped.sign = ones();
      flipped.sign[j] = -1.0;
      if (n > 10 && quick_score(flipped) < nominal_.score - 10.0) continue;
      add(Fault::position_sign, {j}, score_of_positions(flipped), 1.0 + occam_joint());
    }
    // Two joints' positions exchanged.
    std::vector<std::pair<double, std::pair<int, int>>> pairs;
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (n > 10 && b - a > 7) continue;
        pairs.push_back({quick_score(exchanged(all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)])),
                         {all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)]}});
      }
    }
    std::ranges::sort(pairs, std::greater<>());
    for (std::size_t i = 0; i < std::min<std::size_t>(pairs.size(), 5); ++i) {
      const auto [a, b] = pairs[i].second;
      std::vector<double> sizes(static_cast<std::size_t>(motors_));
      std::iota(sizes.begin(), sizes.end(), 0.0);
      std::swap(sizes[static_cast<std::size_t>(a)], sizes[static_cast<std::size_t>(b)]);
      add(Fault::joint_order, {a, b}, score_of_positions(exchanged(a, b)), std::log(0.5 * n * n) + 0.7, kNaN, kNaN,
          sizes);
    }
    if (n > 2) permuted_positions();
    offsets();
  }

  /// All positions in another order: column of each motor by the torques is dear, so the reverse alone is tried.
  void permuted_positions() {
    PositionReading reversed;
    std::vector<double> sizes;
    for (int j = 0; j < motors_; ++j) {
      reversed.order.push_back(motors_ - 1 - j);
      sizes.push_back(motors_ - 1 - j);
    }
    add(Fault::joint_order, weighing_.motors, score_of_positions(reversed), std::log(0.5 * motors_ * motors_) + 0.7,
        kNaN, kNaN, sizes);
  }

  PositionReading exchanged(int a, int b) const {
    PositionReading positions;
    positions.order.resize(static_cast<std::size_t>(motors_));
    std::iota(positions.order.begin(), positions.order.end(), 0);
    std::swap(positions.order[static_cast<std::size_t>(a)], positions.order[static_cast<std::size_t>(b)]);
    return positions;
  }

  void offsets() {
    const auto n = weighing_.motors.size();
    for (std::size_t l = 0; l < n; ++l) {
      const int j = weighing_.motors[l];
      double best = -kInfinity, offset = 0.0, sd = kNaN;
      std::vector<double> starts = {out_.joints[static_cast<std::size_t>(j)].zero};
      // Far ones by a first look along the turn.
      double top = -kInfinity, far = 0.0;
      for (int i = -4; i <= 4; ++i) {
        if (i == 0) continue;
        PositionReading positions;
        positions.offset = VectorX::Zero(motors_);
        positions.offset[j] = 0.785398 * i;
        if (n > 10 && i != 2 && i != -2 && i != 4) continue;
        const double score = quick_score(positions);
        if (score > top) {
          top = score;
          far = positions.offset[j];
        }
      }
      starts.push_back(far);
      // Of many joints those alone that a first look speaks for.
      if (n > 10 && zero_score_[l] - nominal_.score < 2.0 && top < nominal_.score) continue;
      for (const double start : starts) {
        double now = std::clamp(start, -3.3, 3.3);
        for (int i = 0; i < 3; ++i) {
          PositionReading positions;
          positions.offset = VectorX::Zero(motors_);
          positions.offset[j] = now;
          const Reading reading = read_model(model_, robot_.profile, samples_, positions, {}, &reading_);
          if (!reading.torque.allFinite()) break;
          const double score = weigh(weighing_, sums_of(reading, samples_.y, weights_), {}).score;
          if (score > best) {
            best = score;
            offset = now;
          }
          const Shift shift = shift_of(reading, positions, j);
          if (score == best) sd = shift.sd;
          if (std::abs(shift.value) < 0.003) break;
          now += std::clamp(shift.value, -0.6, 0.6);
        }
        if (n > 10 && best < nominal_.score + kGate) break;
      }
      add(Fault::position_offset, {j}, best, kSmallOccam + occam_joint(), offset, sd);
    }
  }

  /// The same robot but for what its last links carry.
  bool differs_at_ends_alone(const RobotModel& other) const {
    const VectorX a = model_.inertial_parameters(), b = other.inertial_parameters();
    if (a.size() != b.size()) return false;
    for (int body = 0; body < model_.body_count(); ++body) {
      if (std::ranges::find(last_body_, body) != last_body_.end()) continue;
      if (!a.segment<10>(10 * body).isApprox(b.segment<10>(10 * body), 1e-9)) return false;
    }
    return true;
  }

  void other_robots() {
    if (!options_.other_robots || model_.base() == Base::free_flyer) return;
    if (!something_found()) return;
    std::vector<std::string> names;
    for (const std::string& name : robot_names()) {
      if (name != robot_.profile.name) names.push_back(name);
    }
    for (const std::string& name : names) {
      try {
        const Robot other = load_robot(name, MeshPolicy::ignored, model_.base());
        if (other.model.motor_count() != motors_) continue;
        if (differs_at_ends_alone(other.model)) continue;  // that is a load
        const Reading reading = read_model(other.model, robot_.profile, samples_, {}, {}, &reading_);
        if (!reading.torque.allFinite()) continue;
        const double score = weigh(weighing_, sums_of(reading, samples_.y, weights_), {}).score;
        add(Fault::other_robot, {}, score, 1.0 + std::log(static_cast<double>(names.size())), kNaN, kNaN, {}, name);
      } catch (const Error&) {
        continue;  // a robot that does not load is no explanation
      }
    }
  }

  void finish() {
    // One row a fault and joint.
    std::ranges::stable_sort(out_.hypotheses,
                             [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    std::vector<Hypothesis> kept;
    for (Hypothesis& h : out_.hypotheses) {
      const bool seen =
          std::ranges::any_of(kept, [&](const Hypothesis& k) { return k.fault == h.fault && k.motors == h.motors; });
      if (!seen) kept.push_back(std::move(h));
    }
    out_.hypotheses = std::move(kept);
  }

  const Robot& robot_;
  const RobotModel& model_;
  const JudgedLog& log_;
  const CheckOptions& options_;
  int motors_;
  TorqueJudgement out_;
  Samples samples_;
  Weighing weighing_;
  MatrixX weights_;
  Reading reading_;
  Sums sums_;
  Fit nominal_, unknown_;
  std::vector<int> last_body_;
  std::vector<double> zero_score_;
};

}  // namespace

TorqueJudgement judge_torques(const Robot& robot, const JudgedLog& log, const CheckOptions& options) {
  return TorqueJudge(robot, log, options).judge();
}

}  // namespace antaeus::detail
