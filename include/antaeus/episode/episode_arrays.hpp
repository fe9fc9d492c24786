#pragma once
/// \file
/// Episodes of arrays that are in memory already, and parts of episodes by their steps.

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

/// Whose the arrays are. `as_logged`: [channels] of the profile turns them into the robot's, as it does with a file's.
enum class ArrayTerms : std::uint8_t { robots, as_logged };

/// What load_episode makes of a log with these arrays: the same checks, notes and refusals, the same hash as
/// write_episode and load_episode would give it. Rows with NaN keep their place.
/// \param arrays  name, the channels (empty: not recorded) and `simulated`; all else is made anew
/// \throws EpisodeError as load_episode; the place is the channel's name in Episode
ANTAEUS_API Episode episode_from_arrays(const Episode& arrays, const Robot& robot,
                                        ArrayTerms terms = ArrayTerms::robots);

/// Whether a table's columns are called after joints. `by_joint`: those that no joint has the name of are none of it.
enum class ColumnNames : std::uint8_t { any, by_joint };

/// What read_episode makes of a file with this table. \param name  of the log, for messages
ANTAEUS_API Episode read_table(const Table& table, const std::string& name, const Robot& robot,
                               const EpisodeOptions& options = {}, ColumnNames names = ColumnNames::any);

/// What is said of an episode: all of it but samples and invalid steps.
ANTAEUS_API Episode without_samples(const Episode& episode);

/// \p count steps from \p first on. \throws EpisodeError unless there are some, and all of them are in the episode
ANTAEUS_API Episode cut_steps(const Episode& episode, Eigen::Index first, Eigen::Index count);

}  // namespace antaeus
