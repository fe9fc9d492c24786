#pragma once
// What the verbs share. One file a verb; each adds its subcommand and leaves its work in `run`.
#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/note.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {
struct Episode;
struct EpisodeOptions;
struct LabelledPose;
struct Payload;
struct Robot;
class Settings;
class Json;
}  // namespace antaeus

namespace antaeus::cli {

/// The contract of the exit code: docs/reference/cli.md.
enum ExitCode : int { kFine = 0, kRefused = 1, kBadInput = 2 };

/// The work of the verb that was given; set by the subcommand's callback.
using Run = std::function<int()>;

/// Applies the assignments of --set, and writes a note to stderr for each old spelling, also those of the profile.
void apply_assignments(Settings& settings, const std::vector<std::string>& assignments);

/// The robot, and --set for any option of any group.
struct RobotChoice {
  std::string robot;
  bool ignore_meshes = false;
  std::string base;                   ///< fixed or floating; empty: as the profile says, else by the number of limbs
  std::vector<std::string> payloads;  ///< FRAME=MASS[,x,y,z] each
  std::vector<std::string> assignments;
  std::optional<int> threads;  ///< empty: as replay.threads says
  enum class Needed { no, yes };
  void add_to(CLI::App& verb, Needed needed = Needed::yes);
  /// Of verbs that read many states: no result depends on it.
  void add_threads_to(CLI::App& verb);
  /// The part that `antaeus robot` has too.
  void add_model_options_to(CLI::App& verb);
  /// --payload alone, for a verb that loads its robot itself.
  void add_payload_to(CLI::App& verb);
  /// Of --payload, not yet checked against a robot. \throws OptionsError
  std::vector<Payload> loads() const;
  /// With the assignments among its profile's settings. \throws ModelError, OptionsError
  Robot load() const;
  /// " --payload …" for a command line that does the same; empty without any.
  std::string payload_words() const;
};

/// The pose that a verb begins with: one of the profile's, positions, or a recorded step.
struct PoseChoice {
  std::string pose, positions, episode;
  int step = 0;
  bool recorded = true;  ///< whether an episode's step may be taken
  void add_to(CLI::App& verb, bool with_episode = true);
  /// "joint=value,…" as it was typed; empty where a pose has a name or is recorded.
  const std::string& typed() const { return pose.find('=') == std::string::npos ? positions : pose; }
  /// \param target  where wanted, receives the targets of a recorded step
  /// \param imu_xyzw  where wanted, receives its quaternion; none without an IMU in the log
  /// \throws OptionsError unless one pose is given
  LabelledPose load(const Robot& robot, const EpisodeOptions& options, VectorX* target = nullptr,
                    std::optional<Eigen::Vector4d>* imu_xyzw = nullptr) const;
};

/// Endpoints by frame or label; without any those that the consumer reads, or the profile's.
struct EndpointChoice {
  std::vector<std::string> endpoints;
  void add_to(CLI::App& verb);
  std::vector<std::string> frames(const Robot& robot) const;
};

void add_advise(CLI::App& app, Run& run);
void add_audit(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_contact(CLI::App& app, Run& run);
void add_demo(CLI::App& app, Run& run);
void add_estimate(CLI::App& app, Run& run);
void add_identify(CLI::App& app, Run& run);
void add_ik(CLI::App& app, Run& run);
void add_map(CLI::App& app, Run& run);
void add_inject(CLI::App& app, Run& run);
void add_preflight(CLI::App& app, Run& run);
void add_robot(CLI::App& app, Run& run);
void add_simulate(CLI::App& app, Run& run);
void add_show(CLI::App& app, Run& run);
void add_space(CLI::App& app, Run& run);
void add_tour(CLI::App& app, Run& run);

// What the list of verbs says of those that are libraries of their own, also where they are not built.
inline constexpr const char* kContactSummary =
    "compute contact wrenches and torques of a motion, and what the motion does not determine";
inline constexpr const char* kIkSummary =
    "find joint positions that bring a frame to targets, or the reason why there are none";
inline constexpr const char* kSimulateSummary = "run an experiment in simulation and judge it by its criteria";
inline constexpr const char* kSpaceSummary = "fly a robot on a free base under coordinated control";

/// The exit code of a log that was worked through: isolated steps without numbers are gaps, and a joint without valid
/// readings, or a log without a usable step, is refused.
ExitCode code_of_readings(const Episode& log, bool usable);

/// "base: fixed (one limb; --base floating otherwise)": what the base is, and who said so.
std::string base_line(const Robot& robot);
/// The two keys that say the same in a verb's JSON.
Json with_base(Json json, const Robot& robot);
/// A pose of the profile. \throws OptionsError at the option, with the nearest name
VectorX named_pose(const Robot& robot, const std::string& name, const std::string& option);
/// What is wrong with a step's number as it was typed; empty: nothing. For CLI::Option::check.
std::string no_whole_number(const std::string& text);
/// Which motors of a pose stand outside their limits, and which that \p positions (of --positions; empty: a pose from
/// elsewhere) does not name stand elsewhere than at zero.
std::vector<Note> pose_notes(const Robot& robot, const VectorX& q, const std::string& positions,
                             const std::vector<std::string>& endpoints);
/// Notes as lines of their own; empty without any.
std::string notes_text(const std::vector<Note>& notes);
/// What is wrong with a log, before all else; empty for none. \param sentences  of set_up_sentences
std::string set_up_text(const std::vector<std::string>& sentences);
/// With the keys `notes` and `note_details` where there are some.
Json with_notes(Json json, const std::vector<Note>& notes);
/// Motor positions "joint=value,joint=value" on top of zero, or the nearest to it that a joint's limits allow.
/// \throws OptionsError
VectorX parse_positions(const Robot& robot, const std::string& text, const std::string& option);

}  // namespace antaeus::cli
