#pragma once
/// \file
/// A recorded log in blocks of steps: memory does not know how long it is.
///
///     EpisodeReader log("long_log.npz", robot);
///     while (const std::optional<Episode> block = log.next(16384)) use(*block);
///     for (const Note& note : log.judged().notes) std::puts(note_text(note).c_str());
///
/// The blocks joined are what load_episode makes of the log, which is one block of all steps. A block is read when it
/// is asked for. Whole in memory stay a table (.csv, .parquet) of up to 64 MiB, a channel whose name was guessed, and a
/// log whose profile moves channels in time: `streams()` is false of these.

#include <filesystem>
#include <memory>
#include <optional>

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

class ANTAEUS_API EpisodeReader {
 public:
  /// Opens the log and looks at names and shapes. \throws as load_episode, of all but the samples
  EpisodeReader(const std::filesystem::path& path, const Robot& robot, const EpisodeOptions& options = {});
  /// Without refusing values, as read_episode.
  static EpisodeReader as_it_is(const std::filesystem::path& path, const Robot& robot,
                                const EpisodeOptions& options = {});
  /// The same before the profile's [channels] make its channels the robot's: as a driver sent them, but for a
  /// quaternion, which is x y z w.
  static EpisodeReader as_received(const std::filesystem::path& path, const Robot& robot,
                                   const EpisodeOptions& options = {});
  /// Of a log that is in memory, as load_episode or episode_from_arrays gave it.
  explicit EpisodeReader(Episode episode);
  EpisodeReader(EpisodeReader&&) noexcept;
  EpisodeReader& operator=(EpisodeReader&&) noexcept;
  ~EpisodeReader();

  Eigen::Index steps() const noexcept;
  /// Whether blocks are read from the file as they are asked for.
  bool streams() const noexcept;
  /// The log without samples: name, channels (without their hashes), what is missing, how it was read.
  const Episode& about() const noexcept;
  /// Any steps, their values judged by nobody; `invalid_steps` count from \p first. \throws EpisodeError for steps that
  /// are not there, Error for a file that is damaged there
  Episode block(Eigen::Index first, Eigen::Index count) const;

  /// All steps that cut() left, as load_episode has them: with hashes, notes and its refusals. Instead of next().
  Episode load() &&;
  /// Leaves what is not within [from, to] out; a negative limit is none. Steps then count from the first that is left,
  /// which is step first_step() of the log. Before next(). \throws EpisodeError as cut_episode
  void cut(double from, double to);
  Eigen::Index first_step() const noexcept;

  /// The next steps, \p count at most; nothing after the last. \throws EpisodeError as load_episode: time that goes
  /// back, an accelerometer in g (with the last block)
  std::optional<Episode> next(Eigen::Index count);
  /// about(), with the notes of load_episode and the invalid steps of all blocks so far; notes are complete after the
  /// last.
  const Episode& judged() const noexcept;
  /// Adds the channels' hashes to judged(): of the log as a whole, which is read once more for it.
  void add_hashes();

 private:
  struct Impl;
  explicit EpisodeReader(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
