#pragma once
/// \file
/// A motion's contacts in blocks of frames: memory does not know how long it is.
///
///     ContactBlocks blocks(robot, ContactMotionReader("long_walk.npz"), request, options);
///     for (Eigen::Index i = 0; i < blocks.count(); ++i) use(blocks.block(i));
///     Json summary = contact_summary(blocks.whole());
///
/// The blocks joined are what contact_inverse_dynamics makes of the motion. Forces over time are one elimination, frame
/// after frame; the way back to the forces of a block begins so many frames behind it that what is not known there has
/// faded to 1e-24 of itself, less than a double tells. Where a motion's contacts differ in what they leave open without
/// its `active` saying so (points in a line), or where too few frames follow, the last digit may differ.
///
/// One block is what needs all frames at once: an answer with uncertainties (soles that are known), contact times that
/// are looked for, limits over time, forces over time without a weight of their size, and a motion of up to 16 384
/// frames.

#include <memory>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/api.hpp"

namespace antaeus {

class ANTAEUS_API ContactBlocks {
 public:
  /// \throws as contact_inverse_dynamics, of all but the frames
  ContactBlocks(const Robot& robot, ContactMotionReader motion, const ContactRequest& request,
                const ContactOptions& options = {}, const SplitOptions& split = {}, const TimingOptions& timing = {});
  ContactBlocks(ContactBlocks&&) noexcept;
  ContactBlocks& operator=(ContactBlocks&&) noexcept;
  ~ContactBlocks();

  /// That have wrenches: Nimble's differences lose two.
  Eigen::Index frames() const noexcept;
  Eigen::Index count() const noexcept;
  /// Any block whose forerunners were asked for, and again; each counts once in whole(). The only block may be asked
  /// for once. \throws as contact_inverse_dynamics, of its frames
  ContactResult block(Eigen::Index i, const Progress& progress = {});
  /// Which block has a frame.
  Eigen::Index block_of(Eigen::Index frame) const noexcept;
  /// What is told of all blocks, without rows, of several. Of broken limits the first 2000 stand in it.
  const ContactResult& whole() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
