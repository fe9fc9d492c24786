#pragma once
// The figure of docs/guide/in_your_project.md, drawn from the table of measured times beside it.
#include <filesystem>

#include "antaeus/draw/figure.hpp"

namespace antaeus {

/// `replay-scaling`: cost and speed-up against threads, block and joints. Prints the numbers that the page takes from
/// it. \param table  as benchmarks/replay_scaling.cpp writes it \throws Error for another table
NamedFigure replay_figure(const std::filesystem::path& table);

}  // namespace antaeus
