#pragma once
/// \file
/// Smoothing and differentiation of a log without delay: a polynomial is fitted to the samples around each instant.

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

struct SavitzkyGolayOptions {
  int window = 11;  ///< [1] samples of a fit, odd; fewer at the log's ends
  int order = 3;    ///< [1] degree of the polynomial, below window; 3 keeps acceleration peaks
};

/// A log and its derivatives, rows × channels.
struct SmoothedLog {
  MatrixX value;   ///< unit of the samples
  MatrixX first;   ///< per second
  MatrixX second;  ///< per second², 0 for order 1 and less
};

/// For every row, fits a polynomial of the given order in the actual times to the rows around it. Its value and
/// derivatives at the row's own time are the result. Polynomials of that order come back exactly. At even times the
/// interior equals the classic filter; at the ends the window loses the samples that it lacks on one side, and below 2
/// · order + 1 too few remain.
///
/// A sample that is not finite takes its whole row out of every fit. The row still gets a value, as long as it lies
/// between samples of its window. A row is NaN when it does not, or when fewer than order + 1 distinct times remain.
/// Uses the future: for analysis, not for loops. Set-up code: allocates.
/// \param time     [s], one a row, finite, not going back
/// \param samples  rows × channels
/// \throws Error for times that are not finite or go back,
///         OptionsError for an even window and an order outside 0 … window − 1
/// Source: Savitzky & Golay, Anal. Chem. 36 (1964); uneven times: Gorry, Anal. Chem. 63 (1991).
ANTAEUS_API SmoothedLog savitzky_golay(const ConstVectorRef& time, const ConstMatrixRef& samples,
                                       const SavitzkyGolayOptions& options = {});

}  // namespace antaeus
