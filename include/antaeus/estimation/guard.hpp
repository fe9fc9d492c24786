#pragma once
/// \file
/// The published guards, each a small piece, and the chain that applies them in a stated order.
///
/// A chain never changes a number in silence: its result lists every guard in order, what it saw, and what it did.
/// Order matters: behind a ±50 N clamp a 100 N watchdog can never fire, so the default chain puts the watchdog first.

#include <cstdint>
#include <string_view>
#include <vector>

#include "antaeus/core/options.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"

namespace antaeus {

enum class GuardKind : std::uint8_t { watchdog, condition, reference_dominance, clamp, norm_clamp };
template <>
struct EnumNames<GuardKind> {
  static constexpr std::pair<const char*, GuardKind> table[] = {{"watchdog", GuardKind::watchdog},
                                                                {"condition", GuardKind::condition},
                                                                {"reference_dominance", GuardKind::reference_dominance},
                                                                {"clamp", GuardKind::clamp},
                                                                {"norm_clamp", GuardKind::norm_clamp}};
};

/// The two published forms of the dominance ratio ρ differ in their second term.
/// `per_joint` (the report's code): ‖(B_zj r_j)_j‖ over the other joints. `formula`: ‖Σ_j B_{xyz,j} r_j‖ over them.
enum class DominanceForm : std::uint8_t { per_joint, formula };
template <>
struct EnumNames<DominanceForm> {
  static constexpr std::pair<const char*, DominanceForm> table[] = {{"per_joint", DominanceForm::per_joint},
                                                                    {"formula", DominanceForm::formula}};
};

/// Limits of the guards. Defaults are the incident report's.
struct GuardOptions {
  double clamp_force = 50.0;
  double condition_limit = 20.0;
  double dominance_limit = 0.5;
  DominanceForm dominance_form = DominanceForm::per_joint;
  double watchdog_force = 100.0;
  int watchdog_steps = 3;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"clamp_force", "N", "limit of each force component (clamp) or of the force's norm (norm_clamp)",
                     "incident report, Output clamp"},
          self.clamp_force);
    visit(OptionInfo{"condition_limit", "1", "condition number above which the wrench is refused",
                     "incident report, Monitor"},
          self.condition_limit);
    visit(OptionInfo{"dominance_limit", "1", "share of the reference joint in Fz above which the wrench is zeroed",
                     "incident report, Sanity check"},
          self.dominance_limit);
    visit(OptionInfo{"dominance_form", "", "per_joint (the report's code) or formula (the report's equation)",
                     "incident report, Sanity check"},
          self.dominance_form);
    visit(
        OptionInfo{"watchdog_force", "N", "force above which a step counts as too large", "incident report, Watchdog"},
        self.watchdog_force);
    visit(OptionInfo{"watchdog_steps", "1", "consecutive steps after which the watchdog latches damping mode",
                     "incident report, Watchdog"},
          self.watchdog_steps);
  }
};

/// What a guard did to the wrench that it was given.
enum class GuardAction : std::uint8_t { passed, clipped, zeroed, damping, no_input };
constexpr std::string_view to_string(GuardAction action) noexcept {
  switch (action) {
    case GuardAction::passed: return "passed";
    case GuardAction::clipped: return "clipped";
    case GuardAction::zeroed: return "zeroed";
    case GuardAction::damping: return "damping";
    case GuardAction::no_input: return "no_input";
  }
  return "?";
}

/// One guard at one step.
struct GuardRecord {
  GuardKind kind = GuardKind::clamp;
  GuardAction action = GuardAction::no_input;
  double saw = 0.0;    ///< the quantity it judges: max |F_i| or |F| [N], κ, ρ; NaN without input
  double limit = 0.0;  ///< what it was compared with
  bool acted() const noexcept { return action != GuardAction::passed && action != GuardAction::no_input; }
};

/// What the consumer reads behind a chain.
struct ChainedWrench {
  Verdict verdict = Verdict::invalid_input;
  std::uint32_t reasons = kReasonInvalidInput;
  Wrench wrench;                     ///< NaN without input; zero only where a record says `zeroed`
  bool damping_mode = false;         ///< latched by the watchdog until reset()
  std::vector<GuardRecord> records;  ///< in the order of the chain
};

/// ρ of a wrench estimate: |B_zk r_k| over itself plus the part of the other joints plus ε (1e-6 N), k the reference
/// motor. 0 where the reference joint does not reach the endpoint; NaN without input. \realtime
double reference_dominance(const WrenchEstimate& estimate, const VectorX& residual, int reference_motor,
                           DominanceForm form) noexcept;

/// Guards in order, with the state of one endpoint. Use one chain an endpoint.
class GuardChain {
 public:
  /// watchdog, condition, reference_dominance, clamp
  static std::vector<GuardKind> default_order();
  explicit GuardChain(std::vector<GuardKind> order = default_order(), GuardOptions options = {});

  /// Each guard sees what the one before it let through. The verdict joins the estimate's with the guards': a clamp
  /// makes it `degraded`, every other guard that acts `refused`. \realtime (estimation_realtime_test)
  const ChainedWrench& apply(const WrenchEstimate& estimate, const VectorX& residual, int reference_motor) noexcept;

  /// Forgets the watchdog's count and latch.
  void reset() noexcept;

 private:
  GuardRecord apply_one(GuardKind kind, const WrenchEstimate& estimate, const VectorX& residual,
                        int reference_motor) noexcept;

  std::vector<GuardKind> order_;
  GuardOptions options_;
  int watchdog_count_ = 0;
  ChainedWrench result_;
};

}  // namespace antaeus
