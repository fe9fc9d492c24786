#pragma once
// Where a log's channels are looked up by the names that load_episode knows. Private to src/episode.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/table.hpp"
#include "channel_rows.hpp"
#include "fitted_log.hpp"

namespace antaeus {

/// One channel, its samples wherever they are.
struct Samples {
  EpisodeChannel channel;  ///< without its hash
  std::vector<std::size_t> shape;
  std::shared_ptr<ChannelRows> rows;  ///< no longer than the source
};

/// A log's channels under other names: those that their names tell.
struct GuessedChannels {
  GuessedChannels(RawLog raw, const Robot& robot) : log(std::move(raw)), fitted(log, &robot) {}
  RawLog log;
  detail::FittedLog fitted;
};

/// A folder, an .npz, a table.
class EpisodeSource {
 public:
  EpisodeSource(std::filesystem::path path, const Robot& robot) : path_(std::move(path)), robot_(robot) {}
  virtual ~EpisodeSource() = default;
  /// By the name that the incident's files have: "tau", "qpos", …
  virtual std::optional<Samples> find(const std::string& name) = 0;
  /// For messages: what a channel of this name would be called here.
  virtual std::string place(const std::string& name) const = 0;
  /// How its columns can be named, for a remedy; empty: by the name of the file.
  virtual std::string how_to_name(const std::string&) const { return {}; }
  /// Of the torques, where the log's format states another than N·m and N; else empty.
  virtual std::string torque_unit() const { return {}; }
  /// Null where no other name tells what plays the role; ChannelRole::other: what is a clock.
  const GuessedChannels* guess(ChannelRole role);
  bool has_guessed() const noexcept { return guessed_ != nullptr; }
  const GuessedChannels* guessed() const noexcept { return guessed_.get(); }

 protected:
  /// Names of channels, as far as they are known without reading them.
  virtual std::vector<std::string> names() const = 0;
  virtual RawLog read_raw() const { return load_raw_log(path_); }
  const std::filesystem::path& path() const noexcept { return path_; }
  const Robot& robot() const noexcept { return robot_; }

 private:
  std::filesystem::path path_;
  const Robot& robot_;
  std::unique_ptr<const GuessedChannels> guessed_;
};

/// \throws EpisodeError for what is no log; Error for a file that is damaged
std::unique_ptr<EpisodeSource> open_episode(const std::filesystem::path& path, const Robot& robot,
                                            const EpisodeOptions& options);

/// Of a table in memory, which messages call \p name.
std::unique_ptr<EpisodeSource> table_source(Table table, const std::string& name, const Robot& robot,
                                            const EpisodeOptions& options, bool by_name);

/// What to write where not all motors of the robot are logged: "motors = [...]" of those that are.
std::string motors_remedy(const std::vector<std::string>& logged);

}  // namespace antaeus
