#pragma once
/// \file
/// A robot as the batched kernel reads it: plain numbers behind plain pointers. No Eigen, no Pinocchio and no templates
/// of the standard library, whose code would be shared with sources that are compiled for other machines.

#include <cstddef>
#include <cstdint>

namespace antaeus::detail {

/// A body that a motor moves against the body before it. Body 0 is the root, which is no BatchJoint; joint j moves body
/// j + 1. Joints without a motor stand where the model's neutral configuration has them and are welded.
struct BatchJoint {
  int before = 0;                     ///< body that carries it, below j + 1
  int motor = 0;                      ///< whose channels it has
  int axis = 2;                       ///< which axis of its own frame it turns about or slides along
  double sign = 1.0;                  ///< −1: along the negative axis
  bool prismatic = false;             ///< else revolute
  bool turned = true;                 ///< R is not the identity
  double R[9] = {}, p[3] = {};        ///< its frame at zero in the body before it; R row by row
  double mass = 0.0, moment[3] = {};  ///< of its body: m and m c, in its axes from its origin
  double inertia[6] = {};             ///< about its origin, in its axes: xx xy yy xz yz zz
  double armature = 0.0;
  double subtree_mass = 0.0;
};

/// A frame fixed to a body.
struct BatchFrame {
  int body = 0;
  bool turned = true;
  double R[9] = {}, p[3] = {};   ///< in the body; R row by row
  const int* support = nullptr;  ///< joints between the root and it, from the root on
  int supports = 0;
};

struct BatchNumbers {
  const BatchJoint* joints = nullptr;
  const BatchFrame* frames = nullptr;  ///< the endpoints
  int joint_count = 0, frame_count = 0;
  int motor_count = 0;    ///< joint_count, as every joint has one
  int most_supports = 0;  ///< of any endpoint
  bool floating = false;
  double root_mass = 0.0, root_moment[3] = {}, root_inertia[6] = {};
  double total_mass = 0.0;  ///< without what a fixed root weighs
  double gravity[3] = {};   ///< free fall in world axes
  bool uses_imu = false;    ///< the base's orientation follows from a quaternion
  bool mounted = false;     ///< and the sensor's frame stands elsewhere than the root's
  BatchFrame sensor;
  double relative_tolerance = 1e-15;  ///< singular values below this share of the largest count as zero
};

/// Row i begins at data + i · stride; null: absent.
struct BatchRows {
  const double* data = nullptr;
  std::ptrdiff_t stride = 0;
};
struct BatchRowsOut {
  double* data = nullptr;
  std::ptrdiff_t stride = 0;
};

/// What to compute: the channels of antaeus::BatchInput and antaeus::BatchOutput, checked.
struct BatchCall {
  std::ptrdiff_t count = 0;
  bool dynamic = false;  ///< inverse dynamics in place of gravity
  BatchRows q, tau, v, a, quaternion, gyro, specific_force, base_acceleration;
  BatchRowsOut torque, residual, base_residual, base_rotation, base_velocity, wrench, sigma, jacobian, pose;
  int* rank = nullptr;
  std::ptrdiff_t rank_stride = 0;
  std::uint8_t* status = nullptr;  ///< antaeus::Status of each state
};

/// What a state can be besides fine, as numbers of antaeus::Status.
inline constexpr std::uint8_t kBatchOk = 0, kBatchNotFinite = 2, kBatchBadOrientation = 3;

/// One instruction set's build of the kernel. All give the same bits.
struct BatchBuild {
  int lanes = 1;  ///< states that it works on side by side
  /// Bytes of scratch memory, to be aligned to 64.
  std::size_t (*memory)(const BatchNumbers& model) noexcept = nullptr;
  void (*run)(const BatchNumbers& model, const BatchCall& call, void* memory) noexcept = nullptr;
};

const BatchBuild& batch_build_single();  ///< one state at a time: what the others are compared with
const BatchBuild& batch_build_portable();
const BatchBuild& batch_build_avx2();
const BatchBuild& batch_build_avx512();

}  // namespace antaeus::detail
