#pragma once
/// \file
/// A video of a run.

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/core/types.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Group "clip".
struct ClipChoice {
  int frames = 100;    ///< at most: a picture takes a quarter of a second without a graphics card
  double rate = 10.0;  ///< pictures a second
  int width = 640;     ///< [px]
  int height = 480;    ///< [px]
};
ANTAEUS_API const OptionTable& options_of(const ClipChoice&);

/// Whether this machine can make a clip, before the run is made.
/// \throws Error that names the package which is missing, OptionsError for an option out of its range
ANTAEUS_API void check_clip(const ClipChoice& choice);

struct Clip {
  std::string mp4;         ///< the file's bytes
  std::string of_the_run;  ///< one sentence: how many pictures, how much faster than the run
};
/// The rows of the result's samples at even intervals, drawn by MuJoCo with the force as an arrow.
/// \throws as `check_clip`, and Error for a result without a replay
ANTAEUS_API Clip experiment_clip(const ExperimentResult& result, const Settings& settings,
                                 const Progress& progress = nullptr);

}  // namespace antaeus
