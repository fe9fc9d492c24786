#pragma once
/// \file
/// Turns the flight record of a refusal into an episode, for write_episode and an audit.

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/trust/guarded_estimator.hpp"

namespace antaeus {

/// The samples up to and with the refused one, oldest first; `notes` name endpoint, time and reasons of the refusal.
///
/// A channel that no sample holds is absent; a sample that lacks one which others hold is NaN there. Commanded
/// positions are not recorded: load without `require_target`. Where the clock goes back or is not finite, no
/// time stamps are kept, because a loader would refuse them. A note says so.
/// \throws EpisodeError when nothing was refused yet, or the record is of another robot
ANTAEUS_API Episode flight_record_episode(const FlightRecord& record, const Robot& robot);

}  // namespace antaeus
