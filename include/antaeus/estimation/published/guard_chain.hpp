#pragma once
/// \file
/// The published guards of a wrench estimate, and the chain that applies them in a stated order.
///
/// A chain never changes a number without a record: its result lists every guard in order, what it saw, and what it
/// did. Order matters: behind a ±50 N clamp a 100 N watchdog can never fire,
/// so the default chain puts the watchdog first.

#include <cstdint>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/wrench_estimate.hpp"

namespace antaeus {

enum class GuardKind : std::uint8_t { watchdog, condition, reference_dominance, clamp, norm_clamp };
constexpr auto enum_names(GuardKind) noexcept {
  return name_list<GuardKind>("watchdog", "condition", "reference_dominance", "clamp", "norm_clamp");
}

/// The two published forms of the dominance ratio ρ differ in their second term.
/// `per_joint` (the report's code): ‖(B_zj r_j)_j‖ over the other joints. `formula`: ‖Σ_j B_{xyz,j} r_j‖ over them.
enum class DominanceForm : std::uint8_t { per_joint, formula };
constexpr auto enum_names(DominanceForm) noexcept { return name_list<DominanceForm>("per_joint", "formula"); }

/// Limits of the guards. Defaults are the incident report's.
struct PublishedGuardOptions {
  double clamp_force = 50.0;      ///< [N] limit of each force component (clamp) or of the force's norm (norm_clamp)
  double condition_limit = 20.0;  ///< [1] condition number above which the wrench is refused
  double dominance_limit = 0.5;   ///< [1] share of the reference joint in Fz above which the wrench is zeroed
  /// per_joint (the report's code) or formula (the report's equation).
  DominanceForm dominance_form = DominanceForm::per_joint;
  double watchdog_force = 100.0;  ///< [N] force above which a step counts as too large
  int watchdog_steps = 3;         ///< [1] consecutive steps after which the watchdog latches damping mode
};
ANTAEUS_API const OptionTable& options_of(const PublishedGuardOptions&);

/// What a guard did to the wrench that it was given.
enum class GuardAction : std::uint8_t { passed, clipped, zeroed, damping, no_input };
constexpr auto enum_names(GuardAction) noexcept {
  return name_list<GuardAction>("passed", "clipped", "zeroed", "damping", "no_input");
}

/// One guard at one step.
struct GuardRecord {
  GuardKind kind = GuardKind::clamp;
  GuardAction action = GuardAction::no_input;
  double saw = 0.0, limit = 0.0;
  bool acted() const noexcept { return action != GuardAction::passed && action != GuardAction::no_input; }
};
constexpr void visit_fields(const GuardRecord*, auto&& visit) {
  using G = GuardRecord;
  visit(field("kind", "", "of guard", &G::kind));
  visit(field("action", "", "what it did", &G::action));
  visit(field("saw", "", "the quantity it judges: max |F_i| or |F| in N, κ, ρ; NaN without input", &G::saw));
  visit(field("limit", "", "what it was compared with, in the value's unit", &G::limit));
}

/// What the consumer reads behind a chain.
struct ChainedWrench {
  Verdict verdict = Verdict::invalid_input;
  Reasons reasons = Reason::invalid_input;
  Wrench wrench;
  bool damping_mode = false;
  std::vector<GuardRecord> records;
};
constexpr void visit_fields(const ChainedWrench*, auto&& visit) {
  using C = ChainedWrench;
  visit(field("verdict", "", "the estimate's joined with the guards'", &C::verdict));
  visit(field("reasons", "", "why it is not ok", &C::reasons));
  visit(field("wrench", "", "NaN without input; zero only where a record says zeroed", &C::wrench));
  visit(field("damping_mode", "", "latched by the watchdog until reset()", &C::damping_mode));
  visit(field("records", "", "in the order of the chain", &C::records));
}

/// ρ of a wrench estimate: |B_zk r_k| over itself plus the part of the other joints plus ε (1e-6 N), k the reference
/// motor. 0 where the reference joint does not reach the endpoint; NaN without input. \realtime
ANTAEUS_API double reference_dominance(const WrenchEstimate& estimate, DominanceForm form) noexcept;

/// Guards in order, with the state of one endpoint. Use one chain an endpoint.
class ANTAEUS_API GuardChain {
 public:
  /// watchdog, condition, reference_dominance, clamp
  static std::vector<GuardKind> default_order();
  explicit GuardChain(std::vector<GuardKind> order = default_order(), PublishedGuardOptions options = {});

  /// Each guard sees what the one before it let through. The verdict joins the estimate's with the guards': a clamp
  /// makes it `degraded`, every other guard that acts `refused`. \realtime (estimation_realtime_test)
  const ChainedWrench& apply(const WrenchEstimate& estimate) noexcept;

  /// Forgets the watchdog's count and latch.
  void reset() noexcept;

 private:
  GuardRecord apply_one(GuardKind kind, const WrenchEstimate& estimate) noexcept;

  std::vector<GuardKind> order_;
  PublishedGuardOptions options_;
  int watchdog_count_ = 0;
  ChainedWrench result_;
};

}  // namespace antaeus
