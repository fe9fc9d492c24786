#pragma once
/// \file
/// Coordinated control as GiordanoRobot (docs/references.md) has it, all choices at once: to compare with it, or to
/// repeat its figures. What it does worse stands in docs/concepts/space.md#coordinated-control.
///
///     const FlyingScheme scheme = published_scheme();
///     FlyingControl control(FreeFlyer(model, "ee_link", scheme.flyer), q_start, scheme.control);

#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/space/flying_control.hpp"
#include "antaeus/space/free_flyer.hpp"

namespace antaeus {

/// Whose choices are taken: our own, or every choice of GiordanoRobot.
enum class SpaceCompatibility : std::uint8_t { none, published };
constexpr auto enum_names(SpaceCompatibility) noexcept { return name_list<SpaceCompatibility>("none", "published"); }

struct FlyingScheme {
  FreeFlyerOptions flyer = {};
  FlyingControlSetup control = {};
};

/// The published choices in \p own: law tracker (what reads M̆, C̆, the three-tier inverse and γ; a regulator that was
/// chosen stays, the cascade that reads none of them), Ĉ in the published form, of seven joints too, a hold that is let
/// go at once, and n̂, k̂ and z_a frozen and thawed together. Floors, damping, inv_norm_max, freeze_floor and the ramp
/// of γ are the source's own options: they stay as \p own has them, whose defaults are the source's.
ANTAEUS_API FlyingScheme published_scheme(const FlyingScheme& own = {});

/// Refuses an option that contradicts the published scheme, or that nothing in it reads; others pass.
/// \param place  where it was written, for the message
/// \throws OptionsError at \p place
ANTAEUS_API void check_beside_published(std::string_view group, std::string_view name, std::string_view value,
                                        const std::string& place);

}  // namespace antaeus
