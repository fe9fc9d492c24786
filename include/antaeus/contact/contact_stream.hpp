#pragma once
/// \file
/// Forces over time of motions that do not fit in memory, or that have not ended: frames go in, settled ones come out.
///
/// What is far away hardly counts: with the cost of contact_options.hpp the influence of a frame on another one fades
/// by e⁻¹ over about the time T = smoothing_time · √(smoothing/least_torque). So a frame is settled once `lag` frames
/// have followed it, and the stream keeps `lag` settled ones as the past of what comes: memory does not grow.

#include "antaeus/contact/contact_demand.hpp"

namespace antaeus {

/// A stretch of frames whose wrenches change no more.
struct SettledFrames {
  Eigen::Index first = 0;    ///< counted from the stream's first frame
  ContactSolution solution;  ///< of as many frames as have settled; may be none
};

class ANTAEUS_API ContactStream {
 public:
  /// \param lag  frames, > 0: 28 time constants T leave 1e-12 of the wrenches. \throws OptionsError
  ContactStream(const ContactOptions& options, Eigen::Index lag);
  /// The lag that leaves a share of \p accuracy, at this time step.
  static Eigen::Index lag_for(const ContactOptions& options, double dt, double accuracy = 1e-12);

  /// Adds frames of the same contacts and time step. \throws OptionsError as solve_over_time; the stream is as it was
  SettledFrames push(const ContactDemand& frames);
  /// The rest.
  SettledFrames finish();

 private:
  SettledFrames settle(Eigen::Index until);
  ContactOptions options_;
  Eigen::Index lag_;
  ContactDemand held_;      ///< past frames, then those that are not settled
  Eigen::Index begin_ = 0;  ///< number of held_'s first frame
  Eigen::Index done_ = 0;   ///< number of the first frame that is not settled
};

}  // namespace antaeus
