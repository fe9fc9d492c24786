#include "antaeus/identification/unlabelled/unlabelled.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/decompositions.hpp"
#include "identification/unlabelled/independent_share.hpp"

namespace antaeus {

namespace {

constexpr int kRounds = 3;
/// Of the largest singular value of A in units of the noise: smaller ones are contacts that the torques do not feel,
/// but with rounding at 1e-16 and Jacobians known to a thousandth they are no null space to count on.
constexpr double kSingular = 1e-3;
constexpr double kKnown = 0.5;

void check(bool good, const char* place, const char* problem, const char* remedy) {
  if (!good) throw OptionsError(place, problem, remedy);
}

/// Rows that span parity space, orthonormal in rows divided by `scale`.
MatrixX parity_rows(const MatrixX& A, const VectorX& scale) {
  const MatrixX whitened = scale.cwiseInverse().asDiagonal() * A;
  const Eigen::JacobiSVD<MatrixX> svd(whitened, Eigen::ComputeFullU);
  const auto& s = svd.singularValues();
  const Eigen::Index rank = s.size() > 0 ? (s.array() > kSingular * s[0]).count() : 0;
  return svd.matrixU().rightCols(A.rows() - rank).transpose();
}

void check_samples(const std::vector<UnlabelledSample>& samples, const VectorX& effort_limits,
                   const VectorX& prior_sd) {
  const Eigen::Index m = effort_limits.size(), k = prior_sd.size();
  check(samples.size() > 2, "samples", "there are fewer than three", "give a log of some seconds");
  check(m > 0 && effort_limits.allFinite() && effort_limits.minCoeff() > 0.0, "effort_limits",
        "one is not positive and finite", "state it in the description");
  check(k > 0 && prior_sd.allFinite() && prior_sd.minCoeff() > 0.0, "prior_sd", "one is not positive", "give sds");
  for (const UnlabelledSample& s : samples) {
    check(s.A.rows() == m && s.X.rows() == m && s.residual.size() == m && s.X.cols() == k && s.A.cols() % 6 == 0 &&
              s.A.cols() == samples.front().A.cols(),
          "samples", "their sizes differ", "give the same rows, endpoints and parameters in all");
    check(s.A.allFinite() && s.X.allFinite() && s.residual.allFinite(), "samples", "one holds NaN or infinity",
          "leave such samples out");
  }
}

/// The regression of unlabelled.hpp.
struct Regression {
  double kappa = 1.0, share = 1.0;
  VectorX theta;
  MatrixX C;
  bool is_measured = false;  ///< something is left in parity space
};
Regression regress(const std::vector<UnlabelledSample>& samples, const std::vector<MatrixX>& parity,
                   const VectorX& unit, const VectorX& prior_sd, const UnlabelledOptions& options, const Pulse& pulse) {
  const auto n = std::ssize(samples);
  const Eigen::Index k = prior_sd.size();
  VectorX contact_variance(samples.front().A.cols());
  for (Eigen::Index i = 0; i < contact_variance.size(); ++i) {
    const double sd = i % 6 < 3 ? options.force : options.moment;
    contact_variance[i] = sd * sd;
  }
  Regression fit;
  for (int round = 0; round < kRounds; ++round) {
    MatrixX H = prior_sd.cwiseAbs2().cwiseInverse().asDiagonal();
    VectorX h = VectorX::Zero(k);
    for (const UnlabelledSample& s : samples) {
      if (pulse) pulse();
      MatrixX S = s.A * contact_variance.asDiagonal() * s.A.transpose();
      S.diagonal() += (fit.kappa * unit).cwiseAbs2();
      const MatrixX weighted = fit.share * S.llt().solve(s.X);
      H.noalias() += s.X.transpose() * weighted;
      h.noalias() += weighted.transpose() * s.residual;
    }
    const Eigen::LLT<MatrixX> information(H);
    fit.theta = information.solve(h);
    fit.C = information.solve(MatrixX::Identity(k, k));
    double square = 0.0, dof = 0.0;
    VectorX along(n);  // a signed series: the sum of parity residuals keeps their sign and with it their correlation
    for (Eigen::Index t = 0; t < n; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const VectorX e = (samples[at].residual - samples[at].X * fit.theta).cwiseQuotient(unit);
      const VectorX left = parity[at].transpose() * (parity[at] * e);
      square += left.squaredNorm();
      dof += static_cast<double>(parity[at].rows());
      along[t] = left.sum();
    }
    fit.kappa = std::sqrt(square / dof);
    fit.is_measured = fit.kappa > 0.0;
    if (!fit.is_measured) break;
    fit.share = detail::independent_share(along);
  }
  return fit;
}

}  // namespace

const OptionTable& options_of(const UnlabelledOptions&) {
  using O = UnlabelledOptions;
  constexpr const char* kSource = "logs of two arms without labels";
  static const OptionTable table(
      "unlabelled",
      {
          option("force", "N", "sd of each force that may be there at any time", kSource, &O::force, kPositive),
          option("moment", "N·m", "sd of each moment that may be there at any time", kSource, &O::moment, kPositive),
          option("effort_share", "1", "of its effort limit: sd of a row before it is scaled", kSource, &O::effort_share,
                 kPositive),
          option("doubt", "1", "what every sd is multiplied with", kSource, &O::doubt, at_least(1.0)),
          option("least_swept", "1", "share of every direction of rows that must be free of contacts", kSource,
                 &O::least_swept, kShare),
          option("most_hidden", "1", "share of a parameter that contacts may hide", kSource, &O::most_hidden, kShare),
          option("suspicious_share", "1", "of the effort limit: a sd above it hints at contact all along", kSource,
                 &O::suspicious_share, kPositive),
      });
  return table;
}
const OptionGroup kUnlabelledGroup(UnlabelledOptions{});

UnlabelledResult fit_unlabelled(const std::vector<UnlabelledSample>& samples, const VectorX& effort_limits,
                                const VectorX& prior_sd, const UnlabelledOptions& options, const Pulse& pulse) {
  check_options(options);
  check_samples(samples, effort_limits, prior_sd);
  const Eigen::Index m = effort_limits.size(), k = prior_sd.size();
  UnlabelledResult result;
  const auto n = std::ssize(samples);
  const VectorX unit = options.effort_share * effort_limits;
  std::vector<MatrixX> parity;
  std::vector<Eigen::Index> sizes;
  MatrixX projector = MatrixX::Zero(m, m);
  for (const UnlabelledSample& s : samples) {
    if (pulse) pulse();
    parity.push_back(parity_rows(s.A, unit));
    sizes.push_back(parity.back().rows());
    projector += parity.back().transpose() * parity.back() / static_cast<double>(n);
  }
  std::ranges::nth_element(sizes, sizes.begin() + n / 2);
  result.parity = static_cast<int>(sizes[static_cast<std::size_t>(n / 2)]);
  const Eigen::SelfAdjointEigenSolver<MatrixX> sweep(projector);
  const Eigen::Index hidden = (sweep.eigenvalues().array() < options.least_swept).count();
  result.swept = static_cast<int>(m - hidden);
  result.kappa = kNaN;
  if (result.parity == 0) {
    result.reason = std::to_string(m) + " torques for " + std::to_string(samples.front().A.cols()) +
                    " numbers of a contact: whatever the residual is, a contact may be its cause; declare contact-free "
                    "intervals";
    return result;
  }
  if (result.swept <= result.parity && result.swept < m) {
    result.reason = "of " + std::to_string(m) + " torques, " + std::to_string(result.parity) +
                    " combinations are free of contacts, the same ones all along: in one pose an offset and a contact "
                    "are the same; move all joints, or declare contact-free intervals";
    return result;
  }
  // What of each parameter's torque lies where contacts hide it.
  VectorX behind = VectorX::Zero(k), whole = VectorX::Zero(k);
  for (const UnlabelledSample& s : samples) {
    const MatrixX scaled = unit.cwiseInverse().asDiagonal() * s.X;
    behind += (sweep.eigenvectors().leftCols(hidden).transpose() * scaled).colwise().squaredNorm().transpose();
    whole += scaled.colwise().squaredNorm().transpose();
  }

  Regression fit = regress(samples, parity, unit, prior_sd, options, pulse);
  if (!fit.is_measured) {
    result.reason = "nothing is left in parity space: the torques are exactly the model's, so they are no measurement";
    return result;
  }
  for (Eigen::Index i = 0; i < k; ++i) {
    const bool told = fit.C(i, i) <= kKnown * prior_sd[i] * prior_sd[i];
    result.known.push_back(told && behind[i] <= options.most_hidden * whole[i]);
    if (!result.known.back()) fit.theta[i] = 0.0;
  }
  result.identified = std::ranges::count(result.known, true) > 0;
  if (!result.identified) {
    result.reason = "contacts hide " + std::to_string(hidden) + " of " + std::to_string(m) +
                    " directions of the torques, and a part of every parameter with them; move all joints further, or "
                    "declare contact-free intervals";
    result.known.clear();
    return result;
  }
  result.kappa = fit.kappa;
  result.effective_samples = fit.share * static_cast<double>(n);
  result.sd = options.doubt * fit.kappa * unit;
  result.parameters = fit.theta;
  result.parameter_sd = options.doubt * fit.C.diagonal().cwiseSqrt();
  result.factor = options.doubt * MatrixX(fit.C.llt().matrixL());
  result.notes.emplace_back("unlabelled: sds are doubled, and a contact that never ends would be taken for an offset");
  if (fit.kappa * options.effort_share > options.suspicious_share) {
    result.notes.emplace_back("the sd is " + significant_text(100.0 * fit.kappa * options.effort_share, 3) +
                              " % of the effort limits: look for contact all along, or for torques in other units");
  }
  return result;
}

}  // namespace antaeus
