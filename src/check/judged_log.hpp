#pragma once
// A log as it is judged: an even clock, units mended by what the channels said, positions and torques through one
// filter. Private to src/check.
#include <vector>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus::detail {

inline constexpr double kSpoiled = 0.3;  ///< [s] at the ends of a piece, which the filter spoils

/// Rows of the log that follow each other without a gap, on an even grid.
struct EvenPiece {
  double start = 0.0;             ///< [s] of the log's clock
  double step = 0.0;              ///< [s]
  MatrixX q, dq, tau;             ///< rows × motors, as logged, in the profile's units; dq empty without the channel
  MatrixX quaternion, gyro, acc;  ///< rows × 4 and × 3, empty without the channel
  MatrixX qf, v, a, tauf;         ///< through the zero-phase low pass; v and a from positions alone
  Eigen::Index rows() const noexcept { return q.rows(); }
};

struct JudgedLog {
  std::vector<EvenPiece> pieces;
  double step = kNaN;               ///< [s] median
  double time = 0.0;                ///< [s] in the pieces
  std::vector<char> torque_dead;    ///< motors whose torque channel is out of the evidence
  std::vector<char> position_dead;  ///< motors whose position does not tell where they are
  VectorX moved;                    ///< range of positions a motor
};

/// Rows of the log with a usable clock in pieces without gaps; 120 s at most, spread over the log.
/// \param unit  [1/s] units of the clock in a second
JudgedLog even_log(const Robot& robot, const Episode& log, double unit);

/// Fills qf, v, a, tauf of all pieces from q and tau.
void filter_pieces(JudgedLog& log);

/// Of the low pass [1 of the sample rate], and the rows that it spoils at each end.
double cut_off(const EvenPiece& piece) noexcept;
Eigen::Index spoiled_rows(const EvenPiece& piece) noexcept;

/// Whether each motor's joint slides.
std::vector<char> sliding_motors(const RobotModel& model);

/// Second order Butterworth low pass at \p cut_off [1 of the sample rate], forwards and backwards, odd ends.
void zero_phase(MatrixX& samples, double cut_off);

/// The value of column \p j of a series at a row that lies between rows: cubic, held at the ends.
double at_row(const MatrixX& series, double row, Eigen::Index j) noexcept;

}  // namespace antaeus::detail
