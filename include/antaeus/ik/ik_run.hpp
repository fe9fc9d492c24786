#pragma once
/// \file
/// Inverse kinematics of a list of targets, as `antaeus ik` runs it: answers, reasons, and what a path does.
///
///     IkRequest request{.frame = "panda_hand", .targets = read_ik_targets("targets.csv")};
///     const IkResult result = solve_ik(robot, request);
///     for (int t = 0; t < result.size(); ++t) say(result.reason(t));
///
/// Set-up code: allocates. Answers depend neither on `threads` nor on `timing`.

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/ik/plain_methods.hpp"
#include "antaeus/ik/reach.hpp"
#include "antaeus/ik/reach_path.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// `reach` is the solver of reach.hpp, called "default"; the others are those of plain_methods.hpp.
enum class IkMethod : std::uint8_t { reach, dls, pinv, dls_restarts };
constexpr auto enum_names(IkMethod) noexcept { return name_list<IkMethod>("default", "dls", "pinv", "dls_restarts"); }

/// Poses of the frame in the world.
struct IkTargets {
  std::string name;                     ///< of the file, without its ending; "target" for those of a command line
  std::vector<Pose> poses;              ///< NaN where a number was none
  bool has_rotation = true;             ///< false: the rotations stand for nothing
  std::vector<std::string> notes = {};  ///< what was read otherwise than it was written, one sentence each
  /// By target: why its position, or its rotation, is none. One sentence.
  std::map<int, std::string> position_problems = {}, rotation_problems = {};
};
/// Reads a .csv or .parquet with columns x, y, z [m], and qx, qy, qz, qw (of R_WF, unit within 1e-3, then normalised)
/// or none of them, in any order. A row with a number that is not finite, or with a quaternion off unit length, is a
/// target with a problem. \throws Error, EpisodeError that names file and line: other columns, short rows, text, no
/// targets
ANTAEUS_API IkTargets read_ik_targets(const std::filesystem::path& file);
ANTAEUS_API IkTargets ik_targets_of(const Table& table, const std::string& file);
/// The same from texts "x,y,z" or "x,y,z,qx,qy,qz,qw", all of one form. People round: a quaternion within 5 % of unit
/// length is normalised, with a note. \throws OptionsError at --target
ANTAEUS_API IkTargets parse_ik_targets(std::span<const std::string> texts);
/// Positions of a chain's joints out of: a pose of the profile; "joint=value,joint=value", the others in the middle of
/// their limits; numbers in the chain's order. Not pulled into limits. \throws OptionsError at \p place
ANTAEUS_API VectorX parse_ik_start(const Robot& robot, const KinematicChain& chain, const std::string& text,
                                   const std::string& place = arg(Input::start));
/// The frame that a name stands for: a frame of the model, else the frame of the endpoint with that label.
ANTAEUS_API std::string ik_frame(const Robot& robot, const std::string& name);

struct IkRequest {
  std::string frame;
  IkTargets targets;
  bool path = false;  ///< each target is followed from the answer before; else they are independent
  IkMethod method = IkMethod::reach;
  /// Positions of the chain's joints; empty: none. A path begins there, else where follow_path finds it best;
  /// independent targets are each followed from there, on its branch. Pulled into the limits. Plain methods without one
  /// start in the middle of the limits.
  VectorX start = {};
  int threads = 1;  ///< ≥ 1; a path is worked on by one
  /// Whether `cpu_us` is measured, in a second pass on one thread with warm caches: the mean of so many repeats as take
  /// 20 µs, the least of five such means.
  bool timing = false;
};

/// From one target of a path to the next, where some joint moves by more than kLongStep.
struct IkStep {
  int from = 0, to = 0;
  int joint = 0;
  double size = 0.0;
  double largest_substep = kNaN;
  bool examined() const noexcept { return largest_substep == largest_substep; }
  /// The frame's way asks for it: all parts are small. Else the branch ended, or was lost.
  bool needed() const noexcept { return largest_substep < kNeededPart; }
};
constexpr void visit_fields(const IkStep*, auto&& visit) {
  using S = IkStep;
  visit(field("start", "", "target that it leads from", &S::from).as("from"));
  visit(field("to", "", "target that it leads to", &S::to));
  visit(field("joint", "", "of the chain: the one that moves most", &S::joint));
  visit(field("step", "", "by how much, rad or m", &S::size));
  visit(field("largest_substep", "",
              "rad or m, with kPathParts targets between, followed from the answer at `from`; NaN: not examined",
              &S::largest_substep));
  visit(field("needed", "", "by the frame's way; none: not examined",
              [](const S& s) { return s.examined() ? std::optional(s.needed()) : std::nullopt; }));
}
inline constexpr int kMostExamined = 1000;

struct ANTAEUS_API IkResult {
  IkRequest request;
  ReachModel model;       ///< chain, and options as used; of the plain methods' too, without a table worth its name
  std::string robot;      ///< title
  std::string base_text;  ///< for people
  std::string command;    ///< that reproduces it
  std::vector<Payload> payloads = {};
  RobotDescription description = {};  ///< for drawing
  std::vector<OptionValue> settings = {};
  ReachBatch answers = {};
  VectorX cpu_us = {};                      ///< of each target; empty without timing, NaN for bad input
  VectorX start = {};                       ///< as used, within the limits; empty: none
  std::vector<std::string> pulled_in = {};  ///< joints of the start that were outside their limits
  double largest_step = kNaN;               ///< of a path [rad] or [m]; NaN with fewer than two answers
  std::vector<IkStep> steps = {};           ///< those beyond kLongStep
  int beginnings = 0;                       ///< answers to a path's first target that it was tried from
  /// By target, of the first failures of a chain with fewer than six joints: which part of the pose it does not reach.
  std::map<int, std::string> unreachable_parts = {};
  std::vector<std::string> remarks = {};  ///< what a reader must know, one sentence each

  int size() const noexcept { return static_cast<int>(answers.status.size()); }
  bool all_reached() const noexcept { return answers.reached == size(); }
  ReachStatus status(int target) const { return answers.status[static_cast<std::size_t>(target)]; }
  /// The whole solution of one target.
  ReachSolution solution(int target) const;
  /// One sentence: why the target ended as it did.
  std::string reason(int target) const;
  /// How many targets ended so.
  int count(ReachStatus status) const;
  /// Where the frame stands at the answer; NaN for bad input.
  Pose answered(int target) const;
};

/// \throws ModelError as KinematicChain, and for a joint called as a column; OptionsError for a start of another size,
///         threads below 1, no targets, an option out of its range
ANTAEUS_API IkResult solve_ik(const Robot& robot, IkRequest request, ReachOptions options = {},
                              const Progress& progress = nullptr);

/// solutions.csv: one row a target (docs/reference/schemas.md).
ANTAEUS_API Table solutions_table(const IkResult& result);
/// rejected.csv: one row a target that is blocked by limits; without rows where none is.
ANTAEUS_API Table rejected_table(const IkResult& result);
ANTAEUS_API Json ik_summary(const IkResult& result);

}  // namespace antaeus
