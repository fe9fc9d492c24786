#pragma once
/// \file
/// The methods of the textbooks, by name, on the solver's own kernel: to teach, and to compare with.
///
/// Each iteration takes a share `step` of dq = J⁺ e and then cuts every joint at its limit:
///   pinv  J⁺ = V diag(1/σ) Uᵀ over singular values above a tolerance (= Jᵀ(JJᵀ)⁻¹ where J has full rank): the
///         smallest of all dq with J dq = e;
///   dls   J⁺ = Jᵀ(JJᵀ + λ²I)⁻¹: tends to pinv as λ → 0 (Nakamura & Hanafusa 1986; Wampler 1986);
///   dls_restarts  full steps of dls, from the middle of the limits and then from random starts until one reaches.
/// pinv and dls end where their last iteration ends, dls_restarts at the best that it met.
/// None of them says why it failed, and cutting at limits makes them stall and jump (docs/validation.md has the
/// figures).

#include <cstdint>

#include "antaeus/ik/reach.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

namespace detail {
struct Onlooker;
}

enum class PlainMethod : std::uint8_t { pinv, dls, dls_restarts };
constexpr auto enum_names(PlainMethod) noexcept { return name_list<PlainMethod>("pinv", "dls", "dls_restarts"); }

/// In which axes the error is taken. `world`: e_p = p* − p, e_r = log(R* Rᵀ); `local`: the twist log(X⁻¹ X*) of SE(3)
/// in the frame's own axes, whose linear part is not the straight line.
enum class ErrorAxes : std::uint8_t { world, local };
constexpr auto enum_names(ErrorAxes) noexcept { return name_list<ErrorAxes>("world", "local"); }

struct PlainOptions {
  PlainMethod method = PlainMethod::dls;
  ErrorAxes axes = ErrorAxes::world;
  double step = 0.5;             ///< share of dq that is taken, in (0, 1]; dls_restarts takes 1
  double lambda = 0.01;          ///< of dls [m, and m/rad: rows of metres and radians are mixed, as published]
  bool adaptive = false;         ///< λ grows to its value as the manipulability √det(JJᵀ) falls to zero
  double adaptive_from = 0.05;   ///< manipulability above which λ is 0
  double pinv_tolerance = 1e-3;  ///< of the largest singular value, below which one is dropped
  int iterations = 100;          ///< of one start
  int starts = 1000;             ///< of dls_restarts
  std::uint64_t seed = 1;        ///< of its random starts, the same for every target
  bool position_only = false;
  double position_tolerance = 1e-4;  ///< [m] iterations end at half of it
  double rotation_tolerance = 1e-3;  ///< [rad]
};

/// Workspace, one a thread. \realtime all but the constructor (reach_realtime_test)
class ANTAEUS_API PlainSolver {
 public:
  /// \throws OptionsError for an option out of its range
  PlainSolver(KinematicChain chain, const PlainOptions& options);

  /// \param start  [size]; pulled into the limits. dls_restarts begins there too
  /// \param onlooker  of a trace (ik_trace.hpp); null: none
  /// \return status `reached` or `iteration_budget`; these methods know no other reason
  const ReachSolution& solve(const Pose& X_WF, ConstVectorRef start,
                             const detail::Onlooker* onlooker = nullptr) noexcept;
  /// One dq [size] for an error e [6, or 3 for positions] at q, before step and limits. World axes.
  Status step(ConstVectorRef q, ConstVectorRef error, VectorRef dq) noexcept;

 private:
  KinematicChain chain_;
  PlainOptions options_;
  SmallSvd svd_;
  MatrixX inverse_;
  ReachSolution solution_;
};

}  // namespace antaeus
