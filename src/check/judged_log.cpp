#include "check/judged_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "check/unit_numbers.hpp"

namespace antaeus::detail {

namespace {

constexpr double kMostTime = 120.0;   // [s] of a log that are judged: its cost must not grow with its length
constexpr double kWindow = 20.0;      // [s] of one part of a longer log
constexpr double kCutOff = 6.0;       // [Hz] what an arm's motion holds
constexpr double kShareOfRate = 0.2;  // [1] of the sample rate, where that is slow
constexpr double kLeastPiece = 0.5;   // [s]

/// Numbers that something can have measured.
bool is_measured(const auto& row) { return row.allFinite() && row.cwiseAbs().maxCoeff() < kLargestMeasured; }

struct Biquad {
  std::array<double, 3> b;
  std::array<double, 2> a;
};

/// Bilinear transform of the Butterworth low pass. \param f  [1 of the sample rate]
Biquad butterworth(double f) {
  const double k = std::tan(std::numbers::pi * f), d = 1.0 + std::numbers::sqrt2 * k + k * k;
  const double b = k * k / d;
  return {{b, 2.0 * b, b}, {2.0 * (k * k - 1.0) / d, (1.0 - std::numbers::sqrt2 * k + k * k) / d}};
}

void run(const Biquad& f, std::vector<double>& x) {
  // The state that holds the first sample for ever.
  double z1 = x.front() * (1.0 - f.b[0]), z2 = x.front() * (f.b[2] - f.a[1]);
  for (double& value : x) {
    const double in = value, out = f.b[0] * in + z1;
    z1 = f.b[1] * in - f.a[0] * out + z2;
    z2 = f.b[2] * in - f.a[1] * out;
    value = out;
  }
}

/// Channels of one row, interpolated between two rows of the log.
void resample(const SampleMatrix& from, const std::vector<Eigen::Index>& rows, const std::vector<double>& times,
              double start, double step, Eigen::Index count, MatrixX& to) {
  if (from.rows() == 0) return;
  to.resize(count, from.cols());
  std::size_t at = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double now = start + step * static_cast<double>(i);
    while (at + 2 < times.size() && times[at + 1] < now) ++at;
    const double span = times[at + 1] - times[at];
    const double share = span > 0.0 ? std::clamp((now - times[at]) / span, 0.0, 1.0) : 0.0;
    to.row(i) = (1.0 - share) * from.row(rows[at]) + share * from.row(rows[at + 1]);
  }
}

}  // namespace

void zero_phase(MatrixX& samples, double cut_off) {
  const Biquad filter = butterworth(cut_off);
  const Eigen::Index n = samples.rows();
  if (n < 3) return;
  const Eigen::Index pad = std::min<Eigen::Index>(n - 1, static_cast<Eigen::Index>(std::ceil(1.5 / cut_off)));
  std::vector<double> x(static_cast<std::size_t>(n + 2 * pad));
  for (Eigen::Index j = 0; j < samples.cols(); ++j) {
    const double first = samples(0, j), last = samples(n - 1, j);
    for (Eigen::Index i = 0; i < pad; ++i) {
      x[static_cast<std::size_t>(i)] = 2.0 * first - samples(pad - i, j);
      x[static_cast<std::size_t>(pad + n + i)] = 2.0 * last - samples(n - 2 - i, j);
    }
    for (Eigen::Index i = 0; i < n; ++i) x[static_cast<std::size_t>(pad + i)] = samples(i, j);
    run(filter, x);
    std::ranges::reverse(x);
    run(filter, x);
    std::ranges::reverse(x);
    for (Eigen::Index i = 0; i < n; ++i) samples(i, j) = x[static_cast<std::size_t>(pad + i)];
  }
}

double at_row(const MatrixX& series, double row, Eigen::Index j) noexcept {
  const Eigen::Index last = series.rows() - 1;
  row = std::clamp(row, 0.0, static_cast<double>(last));
  const auto i = std::min<Eigen::Index>(static_cast<Eigen::Index>(row), last > 0 ? last - 1 : 0);
  const double t = row - static_cast<double>(i);
  const double p1 = series(i, j), p2 = series(std::min(i + 1, last), j);
  const double p0 = i > 0 ? series(i - 1, j) : p1, p3 = i + 2 <= last ? series(i + 2, j) : p2;
  return p1 + 0.5 * t * (p2 - p0 + t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * (3.0 * (p1 - p2) + p3 - p0)));
}

JudgedLog even_log(const Robot& robot, const Episode& log, double unit) {
  JudgedLog judged;
  const auto motors = static_cast<std::size_t>(robot.model.motor_count());
  judged.torque_dead.assign(motors, 0);
  judged.position_dead.assign(motors, 0);
  judged.moved = VectorX::Zero(static_cast<Eigen::Index>(motors));
  if (!log.has_time() || log.q.rows() < 2) return judged;
  // Rows whose clock goes forward and whose numbers are numbers.
  std::vector<Eigen::Index> rows;
  std::vector<double> steps;
  const bool has_tau = log.tau.rows() == log.q.rows();
  for (Eigen::Index i = 0; i < log.q.rows(); ++i) {
    const bool whole =
        std::isfinite(log.time[i]) && is_measured(log.q.row(i)) && (!has_tau || is_measured(log.tau.row(i)));
    if (!whole) continue;
    if (!rows.empty()) {
      const double step = log.time[i] - log.time[rows.back()];
      if (step == 0.0) continue;
      if (step > 0.0) steps.push_back(step / unit);
    }
    rows.push_back(i);
  }
  if (steps.size() < 2) return judged;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  judged.step = steps[steps.size() / 2];
  const double gap = std::max(5.0 * judged.step, 0.05);
  std::vector<std::pair<std::size_t, std::size_t>> spans;  // first and one behind the last of `rows`
  for (std::size_t first = 0, i = 1; i <= rows.size(); ++i) {
    const double step = i < rows.size() ? (log.time[rows[i]] - log.time[rows[i - 1]]) / unit : -1.0;
    if (i < rows.size() && step > 0.0 && step <= gap) continue;
    if ((log.time[rows[i - 1]] - log.time[rows[first]]) / unit >= kLeastPiece) spans.emplace_back(first, i);
    first = i;
  }
  double whole = 0.0;
  for (const auto& [first, last] : spans) whole += (log.time[rows[last - 1]] - log.time[rows[first]]) / unit;
  if (whole > kMostTime) {  // windows, spread evenly
    const auto count = static_cast<int>(kMostTime / kWindow);
    std::vector<std::pair<std::size_t, std::size_t>> windows;
    for (int w = 0; w < count; ++w) {
      const double from = (whole - kWindow) * w / (count - 1);
      double passed = 0.0;
      for (const auto& [first, last] : spans) {
        const double length = (log.time[rows[last - 1]] - log.time[rows[first]]) / unit;
        if (from >= passed + length) {
          passed += length;
          continue;
        }
        const double start = log.time[rows[first]] / unit + (from - passed);
        std::size_t a = first;
        while (a + 1 < last && log.time[rows[a]] / unit < start) ++a;
        std::size_t b = a;
        while (b < last && log.time[rows[b]] / unit <= start + kWindow) ++b;
        if (b > a + 2) windows.emplace_back(a, b);
        break;
      }
    }
    spans = std::move(windows);
  }
  for (const auto& [first, last] : spans) {
    const std::vector<Eigen::Index> here(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                         rows.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<double> times;
    for (const Eigen::Index row : here) times.push_back(log.time[row] / unit);
    EvenPiece piece;
    piece.start = times.front();
    piece.step = judged.step;
    const auto count = static_cast<Eigen::Index>((times.back() - times.front()) / piece.step) + 1;
    if (count < 5) continue;
    const auto take = [&](const SampleMatrix& from, MatrixX& to) {
      if (from.rows() == log.q.rows()) resample(from, here, times, piece.start, piece.step, count, to);
    };
    take(log.q, piece.q);
    take(log.v, piece.dq);
    take(log.imu_quaternion, piece.quaternion);
    take(log.imu_angular_velocity, piece.gyro);
    take(log.imu_specific_force, piece.acc);
    take(log.tau, piece.tau);
    if (!piece.dq.allFinite()) piece.dq.resize(0, 0);
    for (Eigen::Index j = 0; j < piece.tau.cols(); ++j) {
      for (Eigen::Index i = 0; i < count; ++i) {
        piece.tau(i, j) = robot.profile.joint_torque(static_cast<std::size_t>(j), piece.tau(i, j));
      }
    }
    judged.time += piece.step * static_cast<double>(count - 1);
    judged.pieces.push_back(std::move(piece));
  }
  for (Eigen::Index j = 0; j < judged.moved.size(); ++j) {
    double least = kInfinity, most = -kInfinity;
    for (const EvenPiece& piece : judged.pieces) {
      least = std::min(least, piece.q.col(j).minCoeff());
      most = std::max(most, piece.q.col(j).maxCoeff());
    }
    judged.moved[j] = judged.pieces.empty() ? 0.0 : most - least;
  }
  return judged;
}

double cut_off(const EvenPiece& piece) noexcept { return std::min(kCutOff * piece.step, kShareOfRate); }
Eigen::Index spoiled_rows(const EvenPiece& piece) noexcept {
  return std::min<Eigen::Index>(piece.rows() / 4, std::lround(kSpoiled / piece.step));
}

std::vector<char> sliding_motors(const RobotModel& model) {
  std::vector<char> sliding;
  for (const std::string& motor : model.motor_names()) {
    const auto& joints = model.description().joints;
    const auto joint = std::ranges::find(joints, motor, &JointDescription::name);
    sliding.push_back(joint != joints.end() && joint->type == JointType::prismatic);
  }
  return sliding;
}

void filter_pieces(JudgedLog& log) {
  for (EvenPiece& piece : log.pieces) {
    piece.qf = piece.q;
    zero_phase(piece.qf, cut_off(piece));
    piece.tauf = piece.tau;
    if (piece.tauf.rows() > 0) zero_phase(piece.tauf, cut_off(piece));
    const Eigen::Index n = piece.rows();
    piece.v = piece.a = MatrixX::Zero(n, piece.q.cols());
    const double h = piece.step;
    piece.v.middleRows(1, n - 2) = (piece.qf.bottomRows(n - 2) - piece.qf.topRows(n - 2)) / (2.0 * h);
    piece.a.middleRows(1, n - 2) =
        (piece.qf.bottomRows(n - 2) - 2.0 * piece.qf.middleRows(1, n - 2) + piece.qf.topRows(n - 2)) / (h * h);
    piece.v.row(0) = piece.v.row(1);
    piece.v.row(n - 1) = piece.v.row(n - 2);
    piece.a.row(0) = piece.a.row(1);
    piece.a.row(n - 1) = piece.a.row(n - 2);
  }
}

}  // namespace antaeus::detail
