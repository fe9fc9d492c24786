#pragma once
/// \file
/// A refusal as an episode: what a guarded estimator had seen when it refused, for write_episode and an audit.

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/guarded_estimator.hpp"

namespace antaeus {

/// The samples up to and with the refused one, oldest first; `notes` name endpoint, time and reasons of the refusal.
///
/// A channel that no sample holds is absent; a sample that lacks one which others hold is NaN there. Nobody recorded
/// commanded positions: load with `require_target` false. Where the clock goes back or is not finite (which may be why
/// the sample was refused), no stamps are kept, since a loader would refuse them, and a note says so.
/// \throws EpisodeError when nothing was refused yet, or the record is of another robot
Episode flight_record_episode(const FlightRecord& record, const Robot& robot);

}  // namespace antaeus
