#pragma once
/// \file
/// How near a robot's links come to each other: pairs of collision shapes, distances, and how they change with v.
/// Algorithms: Gilbert, Johnson & Keerthi (1988) and expanding polytopes, through Coal. Meshes count as their convex
/// hulls, which `notes` says; distances are good to 1e-8 m (self_collision_test).

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// Why two links are never compared.
enum class ExclusionReason : std::uint8_t {
  same_body,   ///< no joint between them moves
  neighbours,  ///< one joint between them
  touching,    ///< their shapes touch, or nearly so, in the reference configuration
  by_caller,   ///< SelfCollisionOptions::ignored
};
constexpr auto enum_names(ExclusionReason) noexcept {
  return name_list<ExclusionReason>("same_body", "neighbours", "touching", "by_caller");
}

struct ExcludedPair {
  std::string first, second;  ///< links, in the description's order
  ExclusionReason reason = ExclusionReason::same_body;
};

struct SelfCollisionOptions {
  VectorX reference = {};  ///< nq: links that touch here are excluded; empty: the neutral configuration
  /// Links nearer than this in the reference configuration are excluded [m], ≥ 0: what the design puts that close
  /// keeps no margin. Take it above the margin that is wanted (TaskSolverOptions::margin).
  double touching = 0.02;
  std::vector<std::pair<std::string, std::string>> ignored = {};  ///< links that may touch
  int most_near = 128;  ///< pairs of shapes that SelfCollision keeps at once, the nearest ones, ≥ 1
};

/// The shapes of a robot and which of them can meet. A cheap handle on shared immutable data.
class ANTAEUS_API SelfCollisionModel {
 public:
  /// One pair of shapes.
  struct Pair {
    int first_link, second_link;    ///< in description().links
    int first_shape, second_shape;  ///< in collisions of those
  };
  /// \throws ModelError for an unknown link (with the nearest name), a mesh that cannot be read, a shape without size;
  ///         OptionsError for a reference that is not a configuration of the model
  explicit SelfCollisionModel(const RobotModel& model, const SelfCollisionOptions& options = {});

  const RobotModel& model() const noexcept;
  const std::vector<Pair>& pairs() const noexcept;
  /// Every pair of links with shapes that is not compared, and why.
  const std::vector<ExcludedPair>& excluded() const noexcept;
  /// What is not as the file says: meshes that became their hulls.
  const std::vector<std::string>& notes() const noexcept;
  /// "left_hand_link and torso_link"
  std::string pair_text(int pair) const;
  int most_near() const noexcept;

 private:
  friend class SelfCollision;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Two shapes that are near each other.
struct NearPair {
  int pair = -1;                ///< in SelfCollisionModel::pairs
  double distance = kNaN;       ///< [m]; negative: depth of penetration
  Vector3 on_first, on_second;  ///< nearest points in the world [m]
  Vector3 normal;               ///< unit, from the first to the second
};

/// Scratch for one thread.
class ANTAEUS_API SelfCollision {
 public:
  explicit SelfCollision(SelfCollisionModel model);
  ~SelfCollision();
  SelfCollision(SelfCollision&&) noexcept;
  SelfCollision& operator=(SelfCollision&&) noexcept;

  const SelfCollisionModel& model() const noexcept { return model_; }

  /// Finds the pairs nearer than \p within [m]; others cost a comparison of two spheres.
  /// \return as the terms; `not_finite` for a `within` that is not a number. \realtime self_collision_test
  Status compute(const PositionTerms& terms, double within) noexcept;

  /// Number of near pairs, at most most_near(); nearest first.
  int count() const noexcept { return count_; }
  const NearPair& near(int index) const noexcept { return near_[static_cast<std::size_t>(index)]; }
  /// Pairs nearer than `within` that found no place among the nearest.
  int left_out() const noexcept { return left_out_; }
  /// Smallest distance [m]; infinity when none is within; NaN without a result.
  double smallest() const noexcept { return smallest_; }
  /// Derivative of the distance with respect to v, nv. \realtime self_collision_test
  Status gradient(const PositionTerms& terms, int index, VectorRef result) noexcept;

 private:
  struct Workspace;
  SelfCollisionModel model_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<NearPair> near_;
  int count_ = 0, left_out_ = 0;
  double smallest_ = kNaN;
};

}  // namespace antaeus
