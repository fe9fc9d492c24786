#pragma once
// Many poses at a time: PoseQuality's numbers by the batched kernel. Private to pose.

#include <optional>
#include <string>
#include <vector>

#include "antaeus/pose/pose_map.hpp"
#include "antaeus/pose/pose_quality.hpp"
#include "antaeus/replay/batch.hpp"

namespace antaeus {

/// What a map keeps of a pose. NaN in what was not evaluated.
PoseSample sample_of(const PoseQuality& quality, const PoseConditioning& pose);

/// Evaluates blocks of poses with the options of PoseQuality. One object a thread.
///
/// The kernel's numbers differ from PoseQuality's by rounding. Where rounding decides, in and near singular poses and
/// where a number lies at its limit, a pose goes through PoseQuality and gets its very bits; so do all poses where the
/// robot's settings ask for what the kernel does not do. A pose's samples do not depend on its neighbours.
class PoseBatch {
 public:
  static constexpr int kPoses = 256;  ///< of a block at most: it stays in the cache

  /// \throws as PoseQuality, and OptionsError as wanted_instruction_set()
  PoseBatch(const Robot& robot, const std::vector<std::string>& endpoints, PoseParts parts);

  /// Whether the kernel does the work.
  bool is_batched() const noexcept { return model_.has_value(); }
  int endpoint_count() const noexcept { return static_cast<int>(endpoints_.size()); }
  /// Its own, for one pose at a time.
  PoseQuality& quality() noexcept { return quality_; }

  /// \param q  motor positions, a row a pose \param count  at most kPoses
  /// \param samples  one list of \p count an endpoint
  void evaluate(const double* q, int count, PoseSample* const* samples) noexcept;

 private:
  /// What of an endpoint stays the same in all poses.
  struct Endpoint {
    int directions = 0;  ///< singular values of its Jacobian that are its own
    int seen = 0;        ///< of the whitened one, in regular poses
    bool wrench = false;
    int worst = 2;                   ///< of the principal directions the last that its limb can sense
    std::vector<int> rows, columns;  ///< motors of its evidence, and where the kernel's Jacobian has their columns
  };
  void set_up(const Robot& robot, const std::vector<std::string>& names);
  void fill_inputs(int count) noexcept;
  void run(const double* q, int count) noexcept;
  bool fill(int pose, int endpoint, PoseSample& sample) noexcept;
  bool fill_deployed(int row, const Endpoint& endpoint, PoseSample& sample) const noexcept;
  bool fill_rest(int row, const Endpoint& endpoint, PoseSample& sample) const noexcept;
  bool fill_moving(int pose, int row, const Endpoint& endpoint, PoseSample& sample) noexcept;

  PoseQuality quality_;
  PoseParts parts_;
  int motors_, reference_, gain_row_;
  std::vector<Endpoint> endpoints_;
  std::optional<BatchModel> model_;  ///< empty: pose by pose
  std::optional<BatchWorkspace> workspace_;
  double length_ = 0.0;
  ResidualOptions residual_;
  std::vector<double> still_, static_variance_, saturation_;  ///< of each motor
  /// \name Of a block, a row a pose
  ///@{
  std::vector<char> doubtful_;  ///< whether rounding decides about a motor's evidence
  std::vector<double> torque_, tau_, rest_variance_, moving_variance_;
  std::vector<double> wrench_, sigma_, pose_, jacobian_, covariance_, rest_sd_, direction_, moving_sd_;
  std::vector<Status> status_;
  ///@}
  SmallSvd svd_;
  Matrix6X whitened_;
  VectorX q_;
};

}  // namespace antaeus
