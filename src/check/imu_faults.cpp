// Quaternion, accelerometer and gyro against each other: gravity and turning are seen by two of them.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/messages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "check/channel_faults.hpp"
#include "check/unit_numbers.hpp"

namespace antaeus::detail {

namespace {

constexpr double kForceSd = 0.35;  // [m/s²] of an accelerometer's mean of 0.1 s against gravity
constexpr double kRateSd = 0.03;   // [rad/s] of a gyro's against the quaternion's
constexpr double kSmooth = 0.1;    // [s]

/// Student's t of three degrees of freedom in three dimensions: one outlier costs little.
double robust(const Vector3& r, double sd) { return -3.0 * std::log1p(r.squaredNorm() / (3.0 * sd * sd)); }

struct Moment {
  Eigen::Vector4d first, second;  // quaternions as read, a time apart
  double apart = 0.0;             // [s]
  Vector3 force = Vector3::Zero(), rate = Vector3::Zero();
  VectorX q;
};

/// How a quaternion is read anew. `left`: its first number is w; `right`: its last was, and was read as z.
enum class Order { as_read, left, right };

Eigen::Quaterniond read(const Eigen::Vector4d& x, Order order, bool inverse) {
  Eigen::Vector4d c = x;
  if (order == Order::left) c << x[1], x[2], x[3], x[0];
  if (order == Order::right) c << x[3], x[0], x[1], x[2];
  Eigen::Quaterniond q(c[3], c[0], c[1], c[2]);
  const double norm = q.norm();
  if (norm < 1e-6) return Eigen::Quaterniond::Identity();
  q.coeffs() /= norm;
  return inverse ? q.conjugate() : q;
}

struct ImuReading {
  Order order = Order::as_read;
  bool inverse = false;
  double acc = 1.0;  // measured · acc is in m/s²
  bool no_gravity = false;
  double gyro = 1.0;  // measured · gyro is in rad/s
};

class ImuJudge {
 public:
  ImuJudge(const Robot& robot, JudgedLog& judged, const CheckOptions& options)
      : robot_(robot), judged_(judged), options_(options) {}

  std::vector<Finding> judge(bool scalar_first) {
    take();
    if (moments_.size() < 8 || (!has_acc_ && !has_gyro_)) return {};
    const double temper =
        std::min(1.0, std::max(4.0, judged_.time / kIndependent) / static_cast<double>(moments_.size()));
    struct Candidate {
      ImuReading reading;
      double score = 0.0;
      std::vector<Fault> faults;
    };
    std::vector<Candidate> all;
    const std::vector<Order> orders = {Order::as_read, scalar_first ? Order::right : Order::left};
    for (const Order order : orders) {
      for (const bool inverse : {false, true}) {
        for (int acc = 0; acc < (has_acc_ ? 6 : 1); ++acc) {
          for (int gyro = 0; gyro < (has_gyro_ ? 4 : 1); ++gyro) {
            Candidate c;
            c.reading.order = order;
            c.reading.inverse = inverse;
            if (order != Order::as_read) c.faults.push_back(Fault::quaternion_order);
            if (inverse) c.faults.push_back(Fault::quaternion_inverse);
            if (acc == 1 || acc == 3) {
              c.reading.acc *= kStandardGravity;
              c.faults.push_back(Fault::accelerometer_unit);
            }
            if (acc == 2 || acc == 3) {
              c.reading.acc *= -1.0;
              c.faults.push_back(Fault::accelerometer_sign);
            }
            if (acc == 4) {
              c.reading.no_gravity = true;
              c.faults.push_back(Fault::accelerometer_gravity_removed);
            }
            if (acc == 5) {
              c.reading.acc = 1e-3 * kStandardGravity;
              c.faults.push_back(Fault::accelerometer_unit);
            }
            if (gyro == 1 || gyro == 3) {
              c.reading.gyro *= 1.0 / kDegreesPerRadian;
              c.faults.push_back(Fault::gyro_unit);
            }
            if (gyro == 2 || gyro == 3) {
              c.reading.gyro *= -1.0;
              c.faults.push_back(Fault::gyro_sign);
            }
            double occam = 0.0;
            for (std::size_t f = 0; f < c.faults.size(); ++f) occam += 2.0;
            c.score = temper * score(c.reading, nullptr) - occam;
            all.push_back(std::move(c));
          }
        }
      }
    }
    const double nominal = all.front().score;
    std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    std::vector<Finding> findings;
    // The sensor sits on another link, or is turned in its case.
    double turned = 0.0;
    std::string link;
    const double other_link = temper * linked(turned, link) - 6.0;
    if (other_link > all.front().score + options_.tie && other_link > nominal + options_.found) {
      Finding finding;
      finding.fault = Fault::imu_link;
      finding.channel = "imu_quat";
      finding.size = turned;
      finding.sd = 0.02;
      finding.unit = "rad";
      finding.margin = other_link - all.front().score;
      finding.text = link.empty() ? "gyro and accelerometer are turned by " + figure(kDegreesPerRadian * turned) +
                                        "° against the quaternion: the sensor is mounted differently than in [imu]"
                                  : "gyro and accelerometer are those of link " + link + ", the quaternion is not";
      finding.remedy =
          link.empty() ? "state the frame in whose axes gyro and accelerometer are given: [imu] frame in the profile"
                       : "take quaternion, gyro and accelerometer from one sensor; [imu] frame = \"" + link +
                             "\" if it is there";
      findings.push_back(std::move(finding));
      return findings;
    }
    const Candidate& best = all.front();
    if (best.faults.empty() || best.score < nominal + options_.found) {
      for (const Candidate& c : all) {
        if (c.faults.size() == 1 && c.score > nominal - options_.tie) not_told.push_back(c.faults.front());
      }
      return findings;
    }
    double margin = kInfinity;
    const Candidate* second = nullptr;
    for (const Candidate& c : all) {
      if (&c == &best || c.faults == best.faults) continue;
      margin = best.score - c.score;
      second = &c;
      break;
    }
    for (const Fault fault : best.faults) {
      Finding finding;
      finding.fault = fault;
      finding.margin = margin;
      finding.sd = 0.0;
      describe(finding, best.reading, scalar_first);
      if (margin < options_.tie && second) {
        for (const Fault other : second->faults) {
          if (other != fault) finding.alternatives.emplace_back(to_string(other));
        }
        if (second->faults.empty()) finding.severity = Severity::warning;
      }
      findings.push_back(std::move(finding));
    }
    mend(best.reading);
    return findings;
  }

  std::vector<Fault> not_told;  ///< faults that the log neither shows nor rules out

 private:
  void take() {
    for (const EvenPiece& piece : judged_.pieces) {
      if (piece.quaternion.rows() == 0) return;
      has_acc_ = piece.acc.rows() > 0 && piece.acc.allFinite();
      has_gyro_ = piece.gyro.rows() > 0 && piece.gyro.allFinite();
    }
    if (judged_.time < options_.least_time) return;
    const double step = std::max(judged_.time / 300.0, kSmooth);
    for (const EvenPiece& piece : judged_.pieces) {
      const Eigen::Index half = std::max<Eigen::Index>(1, std::lround(0.5 * kSmooth / piece.step));
      const auto stride = std::max<Eigen::Index>(1, std::lround(step / piece.step));
      for (Eigen::Index i = half; i + half < piece.rows(); i += stride) {
        Moment moment;
        moment.first = piece.quaternion.row(i - half).transpose();
        moment.second = piece.quaternion.row(i + half).transpose();
        if (!moment.first.allFinite() || !moment.second.allFinite()) continue;
        moment.apart = 2.0 * static_cast<double>(half) * piece.step;
        if (has_acc_) moment.force = piece.acc.middleRows(i - half, 2 * half + 1).colwise().mean().transpose();
        if (has_gyro_) moment.rate = piece.gyro.middleRows(i - half, 2 * half + 1).colwise().mean().transpose();
        moment.q = piece.q.row(i).transpose();
        moments_.push_back(std::move(moment));
      }
    }
  }

  static Vector3 rate_of(const Moment& m, const ImuReading& r) {
    Eigen::Quaterniond turn = read(m.first, r.order, r.inverse).conjugate() * read(m.second, r.order, r.inverse);
    if (turn.w() < 0.0) turn.coeffs() *= -1.0;
    const Eigen::AngleAxisd angle(turn);
    return angle.angle() * angle.axis() / m.apart;
  }
  static Vector3 force_of(const Moment& m, const ImuReading& r) {
    if (r.no_gravity) return Vector3::Zero();
    // In the middle of the two.
    const Eigen::Quaterniond middle = read(m.first, r.order, r.inverse).slerp(0.5, read(m.second, r.order, r.inverse));
    return middle.conjugate() * Vector3(0.0, 0.0, kStandardGravity);
  }

  /// \param turn  of the sensor's axes against the quaternion's, one a moment; null: none
  double score(const ImuReading& r, const std::vector<Eigen::Matrix3d>* turn) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      const Moment& m = moments_[k];
      const auto seen = [&](const Vector3& x) { return turn ? Vector3((*turn)[k] * x) : x; };
      if (has_acc_) sum += robust(r.acc * m.force - seen(force_of(m, r)), kForceSd) + 3.0 * std::log(std::abs(r.acc));
      if (has_gyro_) sum += robust(r.gyro * m.rate - seen(rate_of(m, r)), kRateSd) + 3.0 * std::log(std::abs(r.gyro));
    }
    return sum;
  }

  /// The best link, or a turn that stays: its score.
  double linked(double& angle, std::string& link) const {
    const ImuReading as_read;
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    for (const Moment& m : moments_) {
      if (has_acc_) sum += m.force * force_of(m, as_read).transpose() / (kStandardGravity * kStandardGravity);
      if (has_gyro_) sum += 10.0 * m.rate * rate_of(m, as_read).transpose();
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector3 sign(1.0, 1.0, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0);
    const Eigen::Matrix3d turn = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
    double best = score(as_read, nullptr) - 1e9;
    // A direction that is seen from one side alone leaves the turn about it open.
    if (svd.singularValues()[1] > 0.02 * svd.singularValues()[0]) {
      const std::vector<Eigen::Matrix3d> all(moments_.size(), turn);
      best = score(as_read, &all);
      angle = Eigen::AngleAxisd(turn).angle();
      if (angle < 0.2) best = -1e300;
    }
    const std::string& frame = robot_.profile.imu.frame;
    if (frame.empty() || !robot_.model.has_frame(frame)) return best;
    const RobotModel& model = robot_.model;
    std::vector<std::vector<Eigen::Matrix3d>> turns(static_cast<std::size_t>(model.body_count()));
    Dynamics dynamics(model);
    VectorX q(model.nq());
    const FrameId mount = model.frame(frame);
    for (const Moment& m : moments_) {
      if (model.position_from_motors(m.q, Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok) return best;
      const PositionTerms terms = dynamics.at(q);
      Pose X_mount, X_body;
      if (terms.frame_pose(mount, X_mount) != Status::ok) return best;
      for (int b = 0; b < model.body_count(); ++b) {
        const std::string joint = model.body_joint(b);
        if (joint.empty() || !model.has_frame(joint) || terms.frame_pose(model.frame(joint), X_body) != Status::ok)
          continue;
        turns[static_cast<std::size_t>(b)].push_back(Eigen::Matrix3d(X_body.rotation.transpose() * X_mount.rotation));
      }
    }
    for (int b = 0; b < model.body_count(); ++b) {
      const auto& turn_of = turns[static_cast<std::size_t>(b)];
      if (turn_of.size() != moments_.size()) continue;
      double largest = 0.0;
      for (const auto& t : turn_of) largest = std::max(largest, Eigen::AngleAxisd(t).angle());
      if (largest < 0.2) continue;
      const double s = score(as_read, &turn_of);
      if (s <= best + 3.0) continue;
      best = s;
      angle = largest;
      for (const JointDescription& joint : model.description().joints) {
        if (joint.name == model.body_joint(b)) link = joint.child;
      }
    }
    return best;
  }

  static void describe(Finding& finding, const ImuReading& r, bool scalar_first) {
    switch (finding.fault) {
      case Fault::quaternion_order:
        finding.channel = "imu_quat";
        finding.unit = scalar_first ? "xyzw" : "wxyz";
        finding.text = std::string("the quaternion's four numbers are in the order ") +
                       (scalar_first ? "x y z w" : "w x y z") + ": gravity and rotation show it";
        finding.remedy = std::string("set quaternion_order = \"") + finding.unit + "\" in [channels] of a profile (" +
                         arg(Input::fix) + "), or name the channel imu_quat_" + finding.unit;
        break;
      case Fault::quaternion_inverse:
        finding.channel = "imu_quat";
        finding.text = "the quaternion turns the world into the sensor, not the sensor into the world";
        finding.remedy =
            "conjugate it, or set channels.quaternion_inverse = true in a profile (" + arg(Input::fix) + ")";
        break;
      case Fault::accelerometer_unit:
        finding.channel = "imu_acc";
        finding.size = 1.0 / std::abs(r.acc);
        finding.unit = "1/(m/s²)";
        finding.text = std::abs(r.acc) > 1.0 ? "the accelerometer is in g" : "the accelerometer is in thousandths of g";
        finding.remedy = "multiply it by " + figure(std::abs(r.acc)) +
                         ", or set channels.accelerometer_scale in a profile (" + arg(Input::fix) + ")";
        break;
      case Fault::accelerometer_sign:
        finding.channel = "imu_acc";
        finding.size = -1.0;
        finding.unit = "1";
        finding.text = "the accelerometer has the wrong sign: at rest it must read +9.81 along the axis that points up";
        finding.remedy =
            "change its sign, or set channels.accelerometer_scale = -1 in a profile (" + arg(Input::fix) + ")";
        break;
      case Fault::accelerometer_gravity_removed:
        finding.channel = "imu_acc";
        finding.text = "gravity is taken out of the accelerometer: it reads about zero at rest";
        finding.remedy = "log the raw accelerometer (specific force)";
        break;
      case Fault::gyro_unit:
        finding.channel = "imu_gyro";
        finding.size = kDegreesPerRadian;
        finding.unit = "1";
        finding.text = "the gyro is in degrees per second";
        finding.remedy =
            "divide it by 57.3, or set channels.gyro_scale = 0.0174532925 in a profile (" + arg(Input::fix) + ")";
        break;
      default:
        finding.channel = "imu_gyro";
        finding.size = -1.0;
        finding.unit = "1";
        finding.text = "the gyro turns the other way than the quaternion";
        finding.remedy = "change its sign, or set channels.gyro_scale = -1 in a profile (" + arg(Input::fix) + ")";
        break;
    }
  }

  void mend(const ImuReading& r) {
    for (EvenPiece& piece : judged_.pieces) {
      if (has_acc_) piece.acc *= r.acc;
      if (has_gyro_) piece.gyro *= r.gyro;
      if (has_acc_ && r.no_gravity) piece.acc.resize(0, 0);
      for (Eigen::Index i = 0; i < piece.quaternion.rows(); ++i) {
        piece.quaternion.row(i) = read(piece.quaternion.row(i).transpose(), r.order, r.inverse).coeffs().transpose();
      }
    }
  }

  const Robot& robot_;
  JudgedLog& judged_;
  const CheckOptions& options_;
  std::vector<Moment> moments_;
  bool has_acc_ = false, has_gyro_ = false;
};

}  // namespace

std::vector<Finding> imu_faults(const Robot& robot, const Episode& log, JudgedLog& judged, const CheckOptions& options,
                                std::vector<std::string>& not_told) {
  if (log.imu_quaternion.rows() == 0 || judged.pieces.empty()) return {};
  bool scalar_first = robot.profile.imu.order == QuaternionOrder::wxyz;
  for (const EpisodeChannel& channel : log.channels) {
    if (channel.name == "imu_quat_wxyz") scalar_first = true;
    if (channel.name == "imu_quat_xyzw") scalar_first = false;
  }
  ImuJudge judge(robot, judged, options);
  std::vector<Finding> findings = judge.judge(scalar_first);
  for (const Fault fault : judge.not_told)
    not_told.push_back(std::string(to_string(fault)) + ": tilt and turn the robot");
  return findings;
}

}  // namespace antaeus::detail
