#include "antaeus/numerics/elastic_qp.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/elastic_cones.hpp"
#include "numerics/elastic_rows.hpp"

namespace antaeus {

namespace {

using detail::ConeRows;
using detail::RowsOfFrame;
using detail::Scaling;
using detail::Sums;

// Found on problems of two feet; no user can choose them better, so none is an option.
constexpr double kStart = 10.0;           ///< products at the start, of ρ [N]: from smaller ones up to 100 iterations
constexpr double kToTheBoundary = 0.995;  ///< of the step at which the first variable would become zero
constexpr double kLeastProduct = 1e-4;    ///< of the mean product: a step that leaves one smaller is shortened
constexpr double kShorter = 0.8;
constexpr int kMostShortenings = 40;
constexpr double kClip = 10.0;          ///< second-order terms, of the mean product: larger ones mislead
constexpr double kStalled = 0.9;        ///< stationarity fell by less than to this share of itself
constexpr double kStallCentring = 0.3;  ///< least σ after that
constexpr double kShortStep = 0.1, kShortCentring = 0.5;  ///< least σ after a step shorter than this
constexpr double kFloor = 0.1;  ///< of the products at the stop: the target is never below, so that λ and π keep digits
constexpr double kSpread =
    0.01;  ///< of the largest product: nor below this, so that the mean does not run away from it

}  // namespace

// --- set-up ----------------------------------------------------------------------------------------------------------

void ElasticQp::reshape(std::span<const QpFrame> frames) {
  frames_.resize(frames.size());
  sizes_.resize(frames.size());
  std::size_t data = 0, cone = 0, cone_data = 0, rows = 0;
  bool equal = true;
  for (std::size_t t = 0; t < frames.size(); ++t) {
    const QpFrame& shape = frames[t];
    const int linear = (shape.rows + 1) / 2 * 2, padded = linear + (3 * shape.cones + 1) / 2 * 2;
    frames_[t] = {shape, linear, padded, data, cone, cone_data};
    sizes_[t] = shape.unknowns;
    equal = equal && shape.unknowns == frames[0].unknowns;
    data += static_cast<std::size_t>(padded) * static_cast<std::size_t>(shape.unknowns + detail::kArrays);
    cone += static_cast<std::size_t>(shape.cones);
    cone_data += 3 * static_cast<std::size_t>(shape.cones) * static_cast<std::size_t>(shape.unknowns);
    rows += static_cast<std::size_t>(linear + shape.cones);
  }
  common_size_ = equal && !frames.empty() ? frames[0].unknowns : 0;
  row_count_ = static_cast<double>(rows);
  hessian_.reshape(sizes_);
  matrix_.reshape(sizes_);
  data_.assign(data, 0.0);
  cone_data_.assign(cone_data, 0.0);
  cones_.assign(cone, {});
  for (std::vector<double>* const vector : {&gradient_, &z_, &dz_, &correction_, &slope_})
    vector->assign(static_cast<std::size_t>(hessian_.rows()), 0.0);
  for (int t = 0; t < this->frames(); ++t)
    if (at(t).linear > at(t).shape.rows) array(t, detail::kBound)[at(t).shape.rows] = 1.0;
  iterations_ = 0;
  fail(QpStatus::not_computed);
}

void ElasticQp::reshape(int frames, const QpFrame& each) {
  const std::vector<QpFrame> all(static_cast<std::size_t>(frames), each);
  reshape(all);
}

double* ElasticQp::array(int t, int index) noexcept {
  const Frame& frame = at(t);
  return data_.data() + frame.data + frame.padded * (frame.shape.unknowns + index);
}

const double* ElasticQp::array(int t, int index) const noexcept {
  const Frame& frame = at(t);
  return data_.data() + frame.data + frame.padded * (frame.shape.unknowns + index);
}

ElasticQp::Rows ElasticQp::rows(int t) noexcept {
  const Frame& frame = at(t);
  return {data_.data() + frame.data, frame.shape.rows, frame.shape.unknowns,
          Eigen::OuterStride<>(std::max(frame.padded, 1))};
}

ElasticQp::Vector ElasticQp::bounds(int t) noexcept { return {array(t, detail::kBound), at(t).shape.rows}; }

ElasticQp::Cone ElasticQp::cone(int t, int k) noexcept {
  const Frame& frame = at(t);
  return {cone_data_.data() + frame.cone_data + 3 * k * frame.shape.unknowns, 3, frame.shape.unknowns};
}

ElasticQp::ConstVector ElasticQp::multipliers(int t) const noexcept {
  return {array(t, detail::kMultiplier), at(t).shape.rows};
}

ElasticQp::ConstVector ElasticQp::violations(int t) const noexcept {
  return {array(t, detail::kViolation), at(t).shape.rows};
}

Eigen::Vector3d ElasticQp::cone_multiplier(int t, int k) const noexcept {
  const double* const y = array(t, detail::kMultiplier) + at(t).linear + 3 * k;
  return {y[1], y[2], y[0]};
}

double ElasticQp::cone_violation(int t, int k) const noexcept {
  return array(t, detail::kViolation)[at(t).linear + 3 * k];
}

// --- the passes over time --------------------------------------------------------------------------------------------

/// N: unknowns of every frame, or 0 where they differ or the compiler has no version of their number.
template <int N>
struct ElasticQp::Passes {
  ElasticQp& qp;

  RowsOfFrame rows(int t) const noexcept {
    const Frame& frame = qp.at(t);
    return {{qp.data_.data() + frame.data, frame.padded, frame.shape.unknowns}, qp.array(t, 0), frame.linear};
  }
  double* part(std::vector<double>& vector, int t) const noexcept { return vector.data() + qp.hessian_.offset(t); }

  /// Calls work(cone, its scaling) for each cone of frame t.
  template <class Work>
  void each_cone(int t, const RowsOfFrame& own, Work&& work) const noexcept {
    const Frame& frame = qp.at(t);
    for (int k = 0; k < frame.shape.cones; ++k)
      work(ConeRows{own, frame.linear + 3 * k}, qp.cones_[frame.cone + static_cast<std::size_t>(k)].scaling);
  }

  /// The cones' rows of G and h, then all variables.
  void start(double mu) const noexcept {
    for (int t = 0; t < qp.frames(); ++t) {
      const Frame& frame = qp.at(t);
      const RowsOfFrame own = rows(t);
      for (int k = 0; k < frame.shape.cones; ++k) {
        const int first = frame.linear + 3 * k;
        const double friction = qp.friction(t, k);
        const Cone C = qp.cone(t, k);
        double* const G = qp.data_.data() + frame.data + first;
        for (int j = 0; j < frame.shape.unknowns; ++j)
          Eigen::Map<Eigen::Vector3d>(G + j * frame.padded) << -friction * C(2, j), -C(0, j), -C(1, j);
        const Eigen::Vector3d& offset = qp.cone_offset(t, k);
        Eigen::Map<Eigen::Vector3d>(own[detail::kBound] + first) << friction * offset.z(), offset.x(), offset.y();
      }
      detail::evaluate<N>(own, part(qp.z_, t));
      detail::start(own, mu, qp.options_.price);
      each_cone(t, own, [&](const ConeRows& cone, Scaling&) { detail::start(cone, mu, qp.options_.price); });
    }
  }

  /// The matrix and the predictor's right-hand side (into dz_), and how far the present point is from the optimum.
  /// \return the largest pull of the limits on an unknown, |Gᵀ λ|
  double linearise(Sums& sums) const noexcept {
    double stationarity = 0.0, scale = 0.0;
    for (int t = 0; t < qp.frames(); ++t) {
      const int n = detail::count<N>(qp.at(t).shape.unknowns);
      const RowsOfFrame own = rows(t);
      detail::evaluate<N>(own, part(qp.z_, t));
      detail::weigh(own, sums);
      each_cone(t, own, [&](const ConeRows& cone, Scaling& scaling) { scaling = detail::weigh(cone, sums); });
      double *const dz = part(qp.dz_, t), *const pull = part(qp.correction_, t), *const slope = part(qp.slope_, t);
      detail::transposed_products<N>(own.G, own[detail::kMultiplier], own[detail::kStep], pull, dz);
      for (int j = 0; j < n; ++j) {
        const double gradient = slope[j] + pull[j];
        stationarity = std::max(stationarity, std::abs(gradient));
        scale = std::max(scale, std::abs(pull[j]));
        dz[j] = -(gradient + dz[j]);
      }
      double* const D = qp.matrix_.diagonal(t).data();
      std::copy_n(qp.hessian_.diagonal(t).data(), n * n, D);
      detail::add_weighted_square<N>(own.G, own[detail::kWeight], D);
      each_cone(t, own,
                [D](const ConeRows& cone, const Scaling& scaling) { detail::add_weighted_square(cone, scaling, D); });
      if (t + 1 < qp.frames())
        std::copy_n(qp.hessian_.lower(t).data(), qp.hessian_.lower(t).size(), qp.matrix_.lower(t).data());
    }
    qp.residuals_ = {.stationarity = stationarity,
                     .primal = detail::largest(sums.worst_primal),
                     .complementarity = detail::largest(sums.worst_product)};
    return scale;
  }

  void predict(Sums& sums) const noexcept {
    for (int t = qp.frames(); t-- > 0;) {
      const RowsOfFrame own = rows(t);
      const double* const dz = part(qp.dz_, t);
      detail::predict<N>(own, dz, sums);
      each_cone(t, own, [&](const ConeRows& cone, Scaling& scaling) { detail::predict(cone, scaling, dz, sums); });
    }
  }

  void aim(double target, double clip) const noexcept {
    std::fill(qp.correction_.begin(), qp.correction_.end(), 0.0);
    for (int t = 0; t < qp.frames(); ++t) {
      const RowsOfFrame own = rows(t);
      detail::aim(own, target, clip);
      each_cone(t, own,
                [&](const ConeRows& cone, const Scaling& scaling) { detail::aim(cone, scaling, target, clip); });
      detail::subtract_transposed_product<N>(own.G, own[detail::kValue], part(qp.correction_, t));
    }
  }

  void combine(Sums& sums) const noexcept {
    for (int t = qp.frames(); t-- > 0;) {
      const RowsOfFrame own = rows(t);
      const double* const correction = part(qp.correction_, t);
      detail::combine<N>(own, correction, sums);
      each_cone(t, own,
                [&](const ConeRows& cone, Scaling& scaling) { detail::combine(cone, scaling, correction, sums); });
    }
    for (std::size_t i = 0; i < qp.dz_.size(); ++i) qp.dz_[i] += qp.correction_[i];
  }

  /// No variable leaves its cone, and no product falls far behind the others.
  double step_length(const Sums& sums) const noexcept {
    double step = std::min(1.0, kToTheBoundary / detail::largest(sums.speed));
    for (int i = 0; i < kMostShortenings; ++i, step *= kShorter) {
      const double mean = detail::sum(sums.product + step * (sums.first + step * sums.second)) / (2.0 * qp.row_count_);
      detail::Pair least = detail::both(mean);
      for (int t = 0; t < qp.frames(); ++t) {
        const RowsOfFrame own = rows(t);
        detail::least_product(own, step, least);
        each_cone(t, own, [&](const ConeRows& cone, const Scaling&) {
          least = detail::smallest(least, detail::both(detail::least_product(cone, step)));
        });
      }
      if (detail::smallest(least) >= kLeastProduct * mean) break;
    }
    return step;
  }

  void advance(double step) const noexcept {
    for (int t = 0; t < qp.frames(); ++t) {
      const RowsOfFrame own = rows(t);
      detail::advance(own, step);
      each_cone(t, own, [step](const ConeRows& cone, const Scaling&) { detail::advance(cone, step); });
    }
    for (std::size_t i = 0; i < qp.z_.size(); ++i) qp.z_[i] += step * qp.dz_[i];
  }
};

// --- the solver ------------------------------------------------------------------------------------------------------

namespace {
Eigen::Map<Eigen::VectorXd> all(std::vector<double>& vector) noexcept {
  return {vector.data(), static_cast<Eigen::Index>(vector.size())};
}
}  // namespace

bool ElasticQp::is_sound() const noexcept {
  // A sum of zero times each number: NaN where one is NaN or infinite.
  double sum = 0.0 * options_.price;
  const auto add = [&sum](const double* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum += 0.0 * numbers[i];
  };
  for (int t = 0; t < frames(); ++t) {
    const Frame& frame = at(t);
    const auto n = static_cast<std::size_t>(frame.shape.unknowns);
    add(hessian_.diagonal(t).data(), n * n);
    if (t + 1 < frames()) add(hessian_.lower(t).data(), static_cast<std::size_t>(hessian_.lower(t).size()));
    for (std::size_t j = 0; j < n; ++j)
      add(data_.data() + frame.data + j * frame.padded, static_cast<std::size_t>(frame.shape.rows));
    add(array(t, detail::kBound), static_cast<std::size_t>(frame.padded));
  }
  add(gradient_.data(), gradient_.size());
  add(cone_data_.data(), cone_data_.size());
  bool sound = options_.price > 0.0;
  for (const ConeNumbers& cone : cones_) {
    add(cone.offset.data(), 3);
    sound = sound && cone.mu >= 0.0 && std::isfinite(cone.mu);
  }
  return sound && sum == 0.0;
}

QpStatus ElasticQp::fail(QpStatus status) noexcept {
  std::fill(z_.begin(), z_.end(), kNaN);
  for (int t = 0; t < frames(); ++t)
    for (const auto index : {detail::kMultiplier, detail::kViolation}) {
      std::fill_n(array(t, index), at(t).shape.rows, kNaN);
      std::fill_n(array(t, index) + at(t).linear, 3 * at(t).shape.cones, kNaN);
    }
  residuals_ = {};
  return status_ = status;
}

template <int N>
QpStatus ElasticQp::iterate() noexcept {
  const Passes<N> passes{*this};
  const double rho = options_.price, stop = options_.complementarity * rho;
  double mu = kStart * rho, step = 1.0, before = kInfinity, slant = stop;
  for (const double g : gradient_) slant = std::max(slant, std::abs(g));
  passes.start(mu);
  for (iterations_ = 0;; ++iterations_) {
    hessian_.multiply(all(z_), all(slope_));
    for (std::size_t i = 0; i < slope_.size(); ++i) slope_[i] += gradient_[i];
    Sums sums;
    const double scale = std::max(passes.linearise(sums), slant);
    if (!all(slope_).allFinite()) return QpStatus::not_positive_definite;
    if (row_count_ == 0.0) return QpStatus::solved;
    mu = detail::sum(sums.product) / (2.0 * row_count_);
    const bool stationary = residuals_.stationarity <= options_.stationarity * scale;
    if (stationary && residuals_.primal <= options_.primal && residuals_.complementarity <= stop)
      return QpStatus::solved;
    if (iterations_ >= options_.iteration_budget) return QpStatus::iteration_budget;
    if (!std::isfinite(mu) || !matrix_.factor()) return QpStatus::not_positive_definite;

    matrix_.solve(all(dz_));
    passes.predict(sums);
    const double affine = std::min(1.0, 1.0 / detail::largest(sums.speed));
    const double after = mu + affine * detail::sum(sums.first + affine * sums.second) / (2.0 * row_count_);
    const double share = after / mu;
    double centring = std::clamp(share * share * share, 0.0, 1.0);
    if (!stationary && residuals_.stationarity > kStalled * before) centring = std::max(centring, kStallCentring);
    if (step < kShortStep) centring = std::max(centring, kShortCentring);
    before = residuals_.stationarity;

    sums.first = sums.second = sums.speed = detail::both(0.0);
    passes.aim(std::max({centring * mu, kFloor * stop, kSpread * residuals_.complementarity}), kClip * mu);
    matrix_.solve(all(correction_));
    passes.combine(sums);
    step = passes.step_length(sums);
    passes.advance(step);
  }
}

QpStatus ElasticQp::solve() noexcept {
  iterations_ = 0;
  if (!is_sound()) return fail(QpStatus::not_finite);
  // Without limits.
  for (int t = 0; t < frames(); ++t) {
    std::copy_n(hessian_.diagonal(t).data(), hessian_.diagonal(t).size(), matrix_.diagonal(t).data());
    if (t + 1 < frames()) std::copy_n(hessian_.lower(t).data(), hessian_.lower(t).size(), matrix_.lower(t).data());
  }
  if (!matrix_.factor()) return fail(QpStatus::not_positive_definite);
  std::transform(gradient_.begin(), gradient_.end(), z_.begin(), [](double g) { return -g; });
  matrix_.solve(all(z_));
  status_ = common_size_ == 6 ? iterate<6>() : iterate<0>();
  if (status_ == QpStatus::not_positive_definite) return fail(status_);
  return status_;
}

}  // namespace antaeus
