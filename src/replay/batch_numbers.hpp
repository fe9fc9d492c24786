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

/// Parameters of one body that are in doubt, and what they make of the rows of a block.
struct BatchDoubtedBody {
  BatchFrame frame;  ///< whose mass, first moment and inertia they are; without supports
  int parts = 0;     ///< how many of the ten
  int part[10] = {};
  const double* factor = nullptr;  ///< reach × parts: how they hang on independent errors of unit variance
  int reach = 0;
  const int* rows = nullptr;  ///< of the block: the motors between the root and the body
  int row_count = 0;
};
/// One number of one motor that is in doubt.
struct BatchDoubtedNumber {
  enum class Kind : std::uint8_t { offset, speed, acceleration, coulomb };
  Kind kind = Kind::offset;
  int row = 0;
  const double* factor = nullptr;  ///< reach
  int reach = 0;
};
/// X F of a block, with C = F Fᵀ what is unknown of the parameters: rows of independent errors.
struct BatchSharedErrors {
  const BatchDoubtedBody* bodies = nullptr;
  const BatchDoubtedNumber* numbers = nullptr;
  int body_count = 0, number_count = 0;
  int depth = 0;                 ///< errors
  const int* lengths = nullptr;  ///< of each row: the errors beyond this one do not touch it
};
/// The torque rows that speak for one endpoint.
struct BatchBlock {
  const int* support = nullptr;  ///< of each row: its place among the endpoint's supports
  const int* motor = nullptr;
  const int* joint = nullptr;
  int rows = 0;
  int first = 0;            ///< place of its first row among those of all blocks
  int errors = 0;           ///< where its rows of independent errors begin
  int reference = -1;       ///< place of the reference joint among the supports
  double shown = 0.0;       ///< null NIS above which its rows show a contact
  BatchSharedErrors still;  ///< at rest, where inertia, rotors and friction make no torque
  BatchSharedErrors moving;
};
/// What is wrong with one motor's torque and with no other's.
struct BatchMotorNoise {
  bool known = false;                                 ///< identified, or known to be no evidence
  bool dry = false;                                   ///< its Coulomb friction makes a difference
  double variance = 0.0;                              ///< whatever the robot does; infinity: no evidence
  double standing = 0.0;                              ///< times 1 − tanh²(v / 0.03)
  double speed = 0.0;                                 ///< times v²
  double motion = 0.0;                                ///< times the squared share of motion; may be infinite
  double offset = 0.0, viscous = 0.0, coulomb = 0.0;  ///< of the mean
};

struct BatchNumbers;
/// antaeus::NoiseModel, flattened.
struct BatchNoise {
  const BatchMotorNoise* motors = nullptr;
  const BatchNumbers* bodies = nullptr;  ///< a tree of the mean's inertial parameters and rotors alone; null: none
  double coulomb_speed = 0.03;
  bool mean_counts = true;                ///< else it is doubted by its whole size
  const BatchBlock* reference = nullptr;  ///< the reference row alone; null: there is none
  /// How the errors of block a, and as the last of them of the reference row, hang together with those of a block b <
  /// a: at a · blocks + b, row by row, what a's independent errors have in common with b's.
  const double* const* still = nullptr;
  const double* const* moving = nullptr;
  int rows = 0;        ///< of all blocks, with that row
  int most_depth = 0;  ///< independent errors of any block
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
  double relative_tolerance = 1e-15;   ///< singular values below this share of the largest count as zero
  const BatchBlock* blocks = nullptr;  ///< of the endpoints; null: no posterior
  int most_rows = 0, most_errors = 0;  ///< of any block
  int reference = -1;                  ///< motor; −1: none
  double force_prior = 0.0, moment_prior = 0.0;
  double felt = 0.1;                  ///< GaussianPosterior::kFelt
  const BatchNoise* noise = nullptr;  ///< null: a variance a motor is given
};

/// Row i begins at data + i · stride; null: absent.
template <class T>
struct BatchStrided {
  T* data = nullptr;
  std::ptrdiff_t stride = 0;
};
using BatchRows = BatchStrided<const double>;
using BatchRowsOut = BatchStrided<double>;
using BatchCounts = BatchStrided<int>;

/// What to compute: the channels of antaeus::BatchInput and antaeus::BatchOutput, checked.
struct BatchCall {
  std::ptrdiff_t count = 0;
  bool dynamic = false;  ///< inverse dynamics in place of gravity
  bool moving = false;   ///< motors have speeds, which the noise knows of
  struct {
    BatchRows q, tau, residual, v, a, imu_quaternion_xyzw, imu_angular_velocity, imu_specific_force,
        base_angular_acceleration, variance, least_variance, motion_share;
  } in;
  struct {
    BatchRowsOut torque, residual, base_residual, base_rotation, base_angular_velocity, wrench, sigma, jacobian, pose,
        posterior, covariance, force_sd, force_directions, nis, misfit, null_nis, reference_share, reference_nis,
        innovation;
    BatchCounts rank, evidence_rows, misfit_rows;
  } out;
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
