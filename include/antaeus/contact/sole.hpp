#pragma once
/// \file
/// The sole of a foot: where it touches the ground, and where the ground's pressure is likely to be.

#include "antaeus/core/types.hpp"

namespace antaeus {

/// Lengths along the foot's forward axis are counted from the origin of the foot's frame. The centre of pressure is
/// expected at `flat`; a foot that rolls over its heel or its ball draws it towards `toes_up` or `heel_up`:
///
///     x(θ) = flat + θ (heel_up − flat)   for θ ≥ 0,      θ = tanh((pitch when flat − pitch)/15°),
///     x(θ) = flat − θ (toes_up − flat)   for θ < 0,      pitch > 0: toes up.
///
/// The default is a human foot whose frame is the heel's (calcaneus: x forward, y up), measured on one person's
/// standing, squatting and walking on force plates.
struct Sole {
  Vector3 forward{1.0, 0.0, 0.0};  ///< unit vector in the foot's frame towards the toes
  Vector3 up{0.0, 1.0, 0.0};       ///< unit vector in the foot's frame, the sole's outward normal's opposite
  double depth = 0.03;             ///< from the frame's origin down to the ground, foot flat [m]
  double back = 0.0;               ///< of the rearmost point that touches [m]
  double front = 0.17;             ///< of the foremost one, the ball of a human foot [m]
  double flat = 0.04;              ///< expected centre of pressure of a flat foot [m]
  double toes_up = -0.02;          ///< of a foot on its heel [m]
  double heel_up = 0.18;           ///< of a foot on its ball [m]
  double medial = 0.009;           ///< of the expected centre of pressure, towards the other feet [m]
  double along_sd = 0.038;         ///< of the centre of pressure, forward [m]
  double across_sd = 0.014;        ///< of the centre of pressure, sideways [m]
  // Where the frame stands on the foot: sds of what is the same all through a trial, beside the above.
  double along_constant = 0.015;   ///< of the expected centre of pressure, forward [m]
  double across_constant = 0.005;  ///< of the expected centre of pressure, sideways [m]
  double heading_sd = 0.09;        ///< of the forward axis, which moves the pressure of a foot that rolls [rad]

  /// A robot's rectangular sole that stays flat; its frame's x is forward and z up. The centre of pressure
  /// is taken as spread evenly over the middle half of each side: sd = (half the side / 2)/√3.
  /// \param middle  of the sole ahead of the frame's origin [m]
  static Sole rectangle(double middle, double half_length, double half_width, double depth) {
    constexpr double kMiddleHalf = 0.2886751345948129;  // 1/(2√3)
    Sole sole;
    sole.up = Vector3::UnitZ();
    sole.depth = depth;
    sole.back = middle - half_length;
    sole.front = middle + half_length;
    sole.flat = sole.toes_up = sole.heel_up = middle;
    sole.medial = 0.0;
    sole.along_sd = kMiddleHalf * half_length;
    sole.across_sd = kMiddleHalf * half_width;
    sole.along_constant = sole.across_constant = sole.heading_sd = 0.0;  // a robot's frames are known
    return sole;
  }
};

}  // namespace antaeus
