#pragma once
/// \file
/// The one motion of seven joints that the end-effector does not feel: the kernel of a 6 × 7 Jacobian, as a direction
/// that neither flips nor swings.

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/numerics/small_svd.hpp"

namespace antaeus {

/// What stays as it was while the kernel's direction is frozen.
enum class NullFreeze : std::uint8_t {
  direction,  ///< n̂ alone; k̂ and z_a follow the present M and J̄v: z_aᵀk̂ = 1 and M̂_a's zero blocks stay exact
  all,        ///< n̂, k̂ and z_a, as published: M-orthogonality is lost, z_aᵀk̂ = 1 stays
};
constexpr auto enum_names(NullFreeze) noexcept { return name_list<NullFreeze>("direction", "all"); }

struct NullSpaceOptions {
  double freeze_floor = 2e-2;  ///< below this smallest singular value of J⊕ the kernel is frozen [mixed m and 1]
  NullFreeze freeze = NullFreeze::direction;  ///< what stays then
  double exit_step = 0.01;                    ///< after a thaw, how much of the jump of n̂ a call takes off [1]; 0: all
  double exit_reach = 0.1;  ///< a J⊕ of which an entry differs by more from the last one's is a new state [mixed]
};
ANTAEUS_API const OptionTable& options_of(const NullSpaceOptions&);

/// n̂ of this instant.
struct NullDirectionReport {
  bool frozen = false;
  double remaining = 0.0;
  double swing = 0.0;
};
template <class Visit>
constexpr void visit_fields(const NullDirectionReport*, Visit&& visit) {
  using N = NullDirectionReport;
  visit(field("frozen", "", "n̂ is an earlier instant's", &N::frozen));
  visit(field("remaining", "1", "length of what of a jump is still in n̂; 0: n̂ is the kernel itself, or frozen",
              &N::remaining));
  visit(field("swing", "rad", "angle between the kernels of this call and the last one, signs aside", &N::swing));
}

/// Kernel of J [6 × 7] through one motion. Remembers the last direction. \realtime free_flyer_realtime_test
class ANTAEUS_API NullDirection {
 public:
  /// \throws OptionsError for an option out of its range
  explicit NullDirection(const NullSpaceOptions& options = {});
  /// Forgets the last direction: the next sign makes the largest entry positive. \realtime
  void reset() noexcept { empty_ = true; }

  /// A first call below the floor takes the kernel as the decomposition has it, and holds that.
  /// \param svd  of J, `ok`
  NullDirectionReport update(const SmallSvd& svd, const ConstMatrixRef& J, const ConstMatrixRef& J_dot) noexcept;

  /// n̂ [7], unit length.
  const Eigen::Matrix<double, 7, 1>& direction() const noexcept { return direction_; }
  /// dn̂/dt = −J⁺J̇n̂; zero while frozen.
  const Eigen::Matrix<double, 7, 1>& rate() const noexcept { return rate_; }
  const NullSpaceOptions& options() const noexcept { return options_; }

 private:
  using Vector7 = Eigen::Matrix<double, 7, 1>;
  NullSpaceOptions options_;
  Vector7 direction_, rate_, jump_, last_kernel_;
  Eigen::Matrix<double, 6, 7> last_J_;
  double weight_ = 0.0;  // of jump_
  bool empty_ = true, frozen_ = false;
};

}  // namespace antaeus
