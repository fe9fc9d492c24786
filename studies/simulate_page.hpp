#pragma once
/// \file
/// antaeus simulate: what was tried, what came out against its criteria, and the run to look into.

#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/robot_meshes.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// A step of the page's views is a row of the samples.
/// \param meshes  of the replay's robot (read_meshes); null: none are drawn
/// \param clip    what clip.mp4 beside the page shows (Clip::of_the_run); empty: there is none
ANTAEUS_API Page simulate_page(const ExperimentResult& result, std::shared_ptr<const MeshFiles> meshes = nullptr,
                               const std::string& clip = {});

/// What `antaeus simulate` writes: report.html, summary.json, samples.parquet, and samples.csv up to 200 000 rows.
/// \param clip  as above; the file itself is the caller's \return names of the files
ANTAEUS_API std::vector<std::string> add_simulation_files(const ExperimentResult& result, FileSet& files,
                                                          const std::string& clip = {});

}  // namespace antaeus
