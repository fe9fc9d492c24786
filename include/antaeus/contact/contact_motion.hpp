#pragma once
/// \file
/// A motion whose contacts are asked for, as files hold it, and its checks. Set-up code: allocates.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

namespace detail {
struct MotionStretch;
}

/// N frames. Order and axes are Pinocchio's: q = (x y z, quaternion x y z w, joints), v and a linear before angular in
/// base axes. What is empty is not there.
struct ContactMotion {
  std::string name;
  std::string file;               ///< where it was read from, for messages; empty: the name
  SampleMatrix q;                 ///< N × nq
  VectorX time;                   ///< N [s]; empty: no clock
  VectorX dt;                     ///< 1 or N [s]: of the frames, or of each independent state
  SampleMatrix v, a;              ///< N × nv; both: the frames are independent states
  SampleMatrix v_next;            ///< N × nv: in place of a = (v_next − v)/dt
  SampleMatrix guess;             ///< N × 6k: wrenches to be near to, in the axes of the request, force before moment
  SampleMatrix previous;          ///< k × 6: wrenches before the first frame, as guess
  SampleMatrix magnitude;         ///< N × k [1]: weights of the wrenches' size
  SampleMatrix active;            ///< N × k: 0 or 1
  SampleMatrix external;          ///< N × nv: generalised force of what acts beside the contacts, on the robot [N, N·m]
  VectorX damping, spring, rest;  ///< nv: D v + K (q − rest) that the motors work against; rows of joints
  SampleMatrix root_euler;  ///< N × 6: x y z and angles a b c with R = Rx(a) Ry(b) Rz(c), in place of q's first seven

  Eigen::Index frames() const noexcept { return q.rows(); }
  bool is_states() const noexcept { return v.rows() > 0 && (a.rows() > 0 || v_next.rows() > 0); }
};

/// Reads an .npz, a folder of .npy files, or a CSV (columns q_0 q_1 …, v_0 …, time; what holds for the whole motion,
/// such as damping, is the same in every row). Members of other names are left alone. \throws EpisodeError, one line:
/// file, member, remedy
ANTAEUS_API ContactMotion load_contact_motion(const std::filesystem::path& path);

/// The same file in blocks of frames: memory does not know how long it is.
///
/// An .npz, .npy files, and a table (.csv, .parquet) of more than 64 MiB are read as blocks are asked for; a smaller
/// table, and arrays in Fortran order, are in memory as a whole.
class ANTAEUS_API ContactMotionReader {
 public:
  /// Opens it and looks at names and shapes. \throws EpisodeError as load_contact_motion, of all but the numbers
  explicit ContactMotionReader(const std::filesystem::path& path);
  /// Of a motion that is in memory.
  explicit ContactMotionReader(ContactMotion motion);
  ContactMotionReader(ContactMotionReader&&) noexcept;
  ContactMotionReader& operator=(ContactMotionReader&&) noexcept;
  ~ContactMotionReader();

  Eigen::Index frames() const noexcept;
  /// The first frame, with the name and what holds for the whole motion.
  const ContactMotion& about() const noexcept;
  /// Of the first and the last frame [s]; NaN without stamps.
  double time_begin() const noexcept;
  double time_end() const noexcept;
  /// Rows of all members, and what holds for the whole motion. Going forward is cheap, also over rows of the block
  /// before. \throws EpisodeError, Error for a file that is damaged there
  ContactMotion block(Eigen::Index first, Eigen::Index count);
  /// One member's rows. \throws as block()
  SampleMatrix rows(const std::string& member, Eigen::Index first, Eigen::Index count);
  ContactMotion load() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks sizes, numbers and clock against the robot and k contacts, puts `root_euler` into q, makes quaternions unit
/// that are nearly so, fills `dt` from `time`. \param over_time  states too must follow each other evenly
/// \param part  where it stands in a longer motion; null: it is all of it
/// \throws EpisodeError that names the member and the remedy
ANTAEUS_API void check_contact_motion(ContactMotion& motion, const RobotModel& model, int contacts,
                                      bool over_time = false, const detail::MotionStretch* part = nullptr);

}  // namespace antaeus
