#pragma once
// What a motion's file may hold, whether it is read at once or in blocks. Private.
#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

namespace antaeus::detail {

inline constexpr const char* kMotionForms = "give an .npz, a folder of .npy, a .csv or a .parquet";
/// Positions as logs of robots name them: read where there is no q.
inline constexpr const char* kLoggedPositions = "qpos";

/// The names that are read.
const std::vector<std::string>& motion_members();
/// What holds for the whole motion: a table repeats it in every row.
bool holds_throughout(const std::string& member);
/// One row a frame, columns; `previous` is one of contacts.
bool is_matrix(const std::string& member);

struct Extents {
  Eigen::Index rows = 0, columns = 0;
};
/// A matrix of N rows; guess may be N × k × 6, and one state may come as a vector. \throws EpisodeError
Extents matrix_extents(const std::string& file, const std::string& member, const std::vector<std::size_t>& shape);
/// One number, or a row of them. \throws EpisodeError
void check_vector(const std::string& file, const std::string& member, const std::vector<std::size_t>& shape);

/// Columns of one stem: q_0 q_1 … (also q[0], q.0), in the order of their numbers; time and dt stand alone. Places by
/// member. \throws EpisodeError for one that stands twice and for one that is missing
std::map<std::string, std::vector<std::size_t>> motion_columns(const std::vector<std::string>& names,
                                                               const std::string& file);

}  // namespace antaeus::detail
