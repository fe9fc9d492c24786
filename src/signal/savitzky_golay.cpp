#include "antaeus/signal/savitzky_golay.hpp"

#include <algorithm>
#include <vector>

#include "antaeus/core/numbers.hpp"
#include "core/decompositions.hpp"
#include "signal/logged.hpp"

namespace antaeus {

SmoothedLog savitzky_golay(const ConstVectorRef& time, const ConstMatrixRef& samples,
                           const SavitzkyGolayOptions& options) {
  if (options.window < 1 || options.window % 2 == 0)
    throw OptionsError("savitzky_golay.window", std::to_string(options.window) + " is not odd and positive",
                       "give an odd number, so that a window has a middle");
  if (options.order < 0 || options.order >= options.window)
    throw OptionsError("savitzky_golay.order", std::to_string(options.order) + " does not fit the window",
                       "give one from 0 to window - 1");
  require_log("savitzky_golay", time, samples.rows());

  const Eigen::Index rows = samples.rows(), channels = samples.cols(), half = options.window / 2;
  const int unknowns = options.order + 1;
  std::vector<char> usable(static_cast<std::size_t>(rows));
  for (Eigen::Index row = 0; row < rows; ++row) usable[row] = samples.row(row).allFinite() ? 1 : 0;

  const MatrixX unknown = MatrixX::Constant(rows, channels, kNaN);
  SmoothedLog out{unknown, unknown, unknown};
  MatrixX powers(options.window, unknowns), window(options.window, channels);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Eigen::Index begin = std::max<Eigen::Index>(0, row - half), end = std::min(rows, row + half + 1);
    // Times from the row's own, in units of the half width: powers of numbers up to 1 are well scaled.
    const double unit = std::max(time[end - 1] - time[row], time[row] - time[begin]);
    if (!(unit > 0.0) && options.order > 0) continue;
    int count = 0;
    bool before = false, after = false;
    for (Eigen::Index i = begin; i < end; ++i) {
      if (!usable[i]) continue;
      const double u = unit > 0.0 ? (time[i] - time[row]) / unit : 0.0;
      before = before || u <= 0.0;
      after = after || u >= 0.0;
      double power = 1.0;
      for (int k = 0; k < unknowns; ++k, power *= u) powers(count, k) = power;
      window.row(count++) = samples.row(i);
    }
    if (count < unknowns || !before || !after) continue;
    const Eigen::ColPivHouseholderQR<MatrixX> fit(powers.topRows(count));
    if (fit.rank() < unknowns) continue;  // samples at equal times
    const MatrixX coefficients = fit.solve(window.topRows(count));
    out.value.row(row) = coefficients.row(0);
    out.first.row(row).setZero();
    out.second.row(row).setZero();
    if (options.order >= 1) out.first.row(row) = coefficients.row(1) / unit;
    if (options.order >= 2) out.second.row(row) = coefficients.row(2) * (2.0 / (unit * unit));
  }
  return out;
}

}  // namespace antaeus
