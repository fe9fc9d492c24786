#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "antaeus/signal/savitzky_golay.hpp"
#include "signal/random_signals.hpp"

namespace antaeus {
namespace {

/// Arguments and results, one row a call.
MatrixX chi_squared_calls() {
  std::vector<Eigen::RowVector4d> rows;
  for (const double dof : {0.1, 0.5, 1.0, 2.0, 3.0, 6.0, 7.5, 27.0, 100.0, 1e3, 1e4, 1e5})
    for (const double share : {1e-6, 0.01, 0.3, 0.8, 0.95, 1.0, 1.05, 1.3, 2.0, 5.0, 20.0, 100.0, 600.0}) {
      const double x = share * dof;
      rows.emplace_back(dof, x, chi_squared_cdf(x, dof), chi_squared_survival(x, dof));
    }
  MatrixX calls(rows.size(), 4);
  for (std::size_t row = 0; row < rows.size(); ++row) calls.row(static_cast<Eigen::Index>(row)) = rows[row];
  return calls;
}

MatrixX quantile_calls() {
  std::vector<Eigen::RowVector4d> rows;
  for (const double dof : {0.1, 0.5, 1.0, 2.0, 3.0, 6.0, 27.0, 100.0, 1e3, 1e5})
    for (const double p : {1e-200, 1e-20, 1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999, 0.999999})
      rows.emplace_back(dof, p, chi_squared_quantile(p, dof), chi_squared_threshold(p, dof));
  MatrixX calls(rows.size(), 4);
  for (std::size_t row = 0; row < rows.size(); ++row) calls.row(static_cast<Eigen::Index>(row)) = rows[row];
  return calls;
}

MatrixX normal_calls() {
  MatrixX calls(400, 4);
  for (Eigen::Index row = 0; row < calls.rows(); ++row) {
    const double z = -37.0 + 0.1125 * static_cast<double>(row), p = std::pow(10.0, -0.75 * static_cast<double>(row));
    calls.row(row) << z, normal_cdf(z), p, normal_quantile(p);
  }
  return calls;
}

// signal_parity_test.py runs this test with ANTAEUS_SIGNAL_PARITY set, and compares the files with SciPy and NumPy.
TEST(SignalParity, WritesWhatSciPyChecks) {
  const char* const named = std::getenv("ANTAEUS_SIGNAL_PARITY");
  if (!named) {
    // Alone, it only shows that every call can be made.
    EXPECT_EQ(chi_squared_calls().cols() + quantile_calls().cols() + normal_calls().cols(), 12);
    return;
  }
  FileSet files{std::filesystem::path(named)};
  files.add("chi_squared.npy", to_npy(chi_squared_calls()));
  files.add("quantile.npy", to_npy(quantile_calls()));
  files.add("normal.npy", to_npy(normal_calls()));

  test::RandomSignals random(101);
  const MatrixX samples = random.normals(200, 3);
  const VectorX even = VectorX::LinSpaced(200, 0.0, 199.0 * 0.02), uneven = random.times(200, 0.005, 0.04);
  files.add("samples.npy", to_npy(samples));
  files.add("uneven.npy", to_npy(uneven));
  const auto smooth = [&](const std::string& name, const VectorX& time, int window, int order) {
    const SmoothedLog log = savitzky_golay(time, samples, {.window = window, .order = order});
    MatrixX all(200, 9);
    all << log.value, log.first, log.second;
    files.add(name + "_" + std::to_string(window) + "_" + std::to_string(order) + ".npy", to_npy(all));
  };
  smooth("even", even, 11, 3);
  smooth("even", even, 21, 4);
  smooth("even", even, 5, 2);
  smooth("uneven", uneven, 11, 3);

  // One column a channel of the output, then of its rate.
  MatrixX exponential(200, 3), butterworth(200, 6);
  ExponentialLowPass first(3, 12.0);
  ButterworthLowPass second(3, 4.0);
  for (Eigen::Index row = 0; row < 200; ++row) {
    const VectorX sample = samples.row(row);
    const double dt = row == 0 ? 0.0 : uneven[row] - uneven[row - 1];
    first.step(sample, dt);
    second.step(sample, dt);
    exponential.row(row) = first.value();
    butterworth.row(row) << second.value().transpose(), second.rate().transpose();
  }
  files.add("exponential.npy", to_npy(exponential));
  files.add("butterworth.npy", to_npy(butterworth));
  files.commit();
}

}  // namespace
}  // namespace antaeus
