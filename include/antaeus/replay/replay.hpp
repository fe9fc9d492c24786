#pragma once
/// \file
/// Any number of states through the batched kernel: in blocks, on all cores, into arrays or to a function a block.
///
///     BatchReplay replay(robot, {"left_wrist_yaw_link"});
///     replay.run(in, out);                                       // arrays that are there
///     replay.stream(episode, {"wrench", "sigma"}, [](const ReplayBlock& block) { … });   // bounded memory
///
///     auto judged = BatchReplay::with_posterior(robot, {"left_wrist_yaw_link"});         // by the robot's settings
///     judged.stream(episode, {"posterior", "verdict", "reasons"}, …);
///
/// A state's results are those of BatchWorkspace to the bit, whatever the block and the number of threads.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/replay/batch.hpp"
#include "antaeus/replay/replay_rows.hpp"

namespace antaeus {

/// Option group "replay". Results depend on none of them.
struct ReplayOptions {
  int threads = 0;   ///< [1] that work at a time, the caller's among them; 0: one per core
  int block = 1024;  ///< [1] states that a thread takes at a time
};
ANTAEUS_API const OptionTable& options_of(const ReplayOptions&);
/// How many threads that is on this machine, 1 or more.
ANTAEUS_API int thread_count(const ReplayOptions& options) noexcept;

/// What the posteriors of a log are computed by: those of ResidualEstimator and PosteriorEstimator, the residual
/// static.
struct ReplayPosterior {
  InstantOptions instant{};
  ResidualOptions residual{};  ///< kind `automatic` is `static` here
  PosteriorOptions posterior{};
  bool simulated = false;  ///< whether the states are a simulation's (Observation::simulated)
  /// What is known against the set-up of the states, as `set_up_suspect` where check_log finds an error: a reason of
  /// every state, which takes `ok` away.
  Reasons suspected{};
};

/// Some states with their results, in memory that is valid until the function returns to which it was handed.
struct ReplayBlock {
  std::ptrdiff_t first = 0;  ///< number of the block's first state among all
  /// With `tau` as the kernel took it: joint torques, of a replay with_posterior() less friction that was identified.
  ReplayInput in;
  ReplayOutput out;  ///< what was wanted, and `status`
};
/// Takes the blocks of a stream in their order, from the thread that called stream(). What it throws ends the stream.
using ReplaySink = std::function<void(const ReplayBlock&)>;

/// Take it for millions of static states at once (docs/concepts/estimator.md#which-estimator-to-take).
/// A robot's kernel with scratch memory for each thread. One call at a time; make one for each caller.
///
/// All that can be wrong is an error before the first state: a state that cannot be used has its own status and NaN.
class ANTAEUS_API BatchReplay {
 public:
  /// Of states whose torques are joint torques already, as BatchInput says. It knows no settings: its sign() is the
  /// kernel's, kBatchSign.
  /// \throws OptionsError for an option out of its range, and as wanted_instruction_set() does
  explicit BatchReplay(BatchModel model, const ReplayOptions& options = {});
  /// Of states as a robot's drivers and logs have them: `tau` is what the motors' channels read, as Observation::tau,
  /// and goes through RobotProfile::joint_torque, a block at a time, where that changes anything. Its sign() is that of
  /// the robot's settings (docs/concepts/notation.md, Sign).
  /// \throws ModelError as BatchModel does
  BatchReplay(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayOptions& options = {},
              const InstantOptions& instant = {});
  /// With the posterior of each endpoint by the robot's settings (groups residual, posterior, equation), verdicts and
  /// reasons: of a log in order, what PosteriorEstimator says of ResidualEstimator's static residuals. An identified
  /// noise is formed at every state, as with residual.covariance_period=0.
  /// \param endpoints  frame names; at least one
  /// \throws OptionsError, ModelError as those do, and for settings that only a loop can follow: their names, and what
  ///         to do instead
  static BatchReplay with_posterior(const Robot& robot, const std::vector<std::string>& endpoints,
                                    const ReplayOptions& options = {});
  static BatchReplay with_posterior(const Robot& robot, const std::vector<std::string>& endpoints,
                                    const ReplayOptions& options, const ReplayPosterior& posterior);
  BatchReplay(BatchReplay&&) noexcept;
  BatchReplay& operator=(BatchReplay&&) noexcept;
  ~BatchReplay();

  const BatchModel& model() const noexcept;
  /// Whose wrenches `wrench` and `posterior` are; of a replay with_posterior() the one of its PosteriorOptions.
  Sign sign() const noexcept;
  int threads() const noexcept;  ///< at most; a short log needs fewer
  /// Verdicts of the last call for which `near_limits` is not 0; counted where verdicts were asked for.
  std::ptrdiff_t close_calls() const noexcept;

  /// Fills what \p out asks for. \throws OptionsError as check_block(), and for no states at all
  void run(const ReplayInput& in, const ReplayOutput& out, const Progress& progress = nullptr);
  /// An episode at rest: its q, tau and, for a floating base, the IMU's quaternion; not copied. Judgement reads its
  /// other channels as Episode::observe() does.
  /// \throws OptionsError for what \p out asks for, and for a BatchReplay of a BatchModel, which does not know what the
  ///         episode's torques are at the joints; EpisodeError for another robot's episode and for an empty one
  void run(const Episode& episode, const ReplayOutput& out, const Progress& progress = nullptr);

  /// The same in bounded memory: results live for a block, a few blocks a thread at a time.
  /// \param wanted  names of ReplayOutput's channels: "wrench", "sigma", …; `status` comes always
  /// \throws OptionsError for an unknown name, with the nearest, and for one that this model or input cannot give
  void stream(const ReplayInput& in, const std::vector<std::string>& wanted, const ReplaySink& sink,
              const Progress& progress = nullptr);
  void stream(const Episode& episode, const std::vector<std::string>& wanted, const ReplaySink& sink,
              const Progress& progress = nullptr);

 private:
  struct Impl;
  explicit BatchReplay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
