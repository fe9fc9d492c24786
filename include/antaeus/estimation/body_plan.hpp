#pragma once
/// \file
/// Where a robot can touch the world: limbs and frames of a description of which nobody says more, by its tree and by
/// words in its names. Set-up code: allocates.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// What a joint is to a profile. `motor`: one of its columns. `mimic`: follows another joint. `passive`: a caster.
/// `unlogged`: it moves, and no motor or no log holds it; it is locked at zero. `fixed`: it does not move. `free`: six
/// or three degrees of freedom.
enum class JointUse : std::uint8_t { motor, mimic, passive, unlogged, fixed, free };
constexpr auto enum_names(JointUse) noexcept {
  return name_list<JointUse>("motor", "mimic", "passive", "unlogged", "fixed", "free");
}

/// A frame at which a contact can be asked for.
struct EndpointFacts {
  Endpoint endpoint;
  bool chosen = false;
  int rank = 0;
  std::string why = {};
};
template <class Visit>
constexpr void visit_fields(const EndpointFacts*, Visit&& visit) {
  using E = EndpointFacts;
  visit(field("frame", "", "the model's frame name", [](const E& e) { return e.endpoint.frame; }));
  visit(field("label", "", "for people", [](const E& e) { return e.endpoint.label; }));
  visit(field("kind", "", "foot, hand or tool", [](const E& e) { return e.endpoint.kind; }));
  visit(field("group", "", "limb that carries it", [](const E& e) { return e.endpoint.group; }));
  visit(field("chosen", "", "whether the profile lists it", &E::chosen));
  visit(field("rank", "", "among the frames of its limb, from 1", &E::rank));
  visit(field("why", "", "what speaks for it", &E::why));
}

namespace detail {

/// The words of a name in small letters: "LHipYaw" → l, hip, yaw; "panda_link8" → panda, link, 8.
std::vector<std::string> words_of(std::string_view name);

/// Links that are welded together, and the joint that moves them.
struct Body {
  std::vector<int> links;     ///< of the description; those nearer to the root first
  std::vector<int> children;  ///< bodies
  int parent = -1, joint = -1;
  int depth = 0;   ///< joints that move before it
  int height = 0;  ///< of the longest chain of joints that move beyond it, without wheels and casters
};

struct Limb {
  enum class Kind { arm, leg, finger } kind = Kind::arm;
  std::string name, title;  ///< "front_left_leg", "Front left leg"
  std::string side;         ///< "front left", "left", "" where there is none
  std::vector<int> joints;  ///< of the description, from the root on
  std::vector<int> fingers;
  int tip = 0;  ///< body: the last, or the one that carries the fingers
  bool ends_in_wheel = false;
  std::string guess;  ///< what no name tells; empty: nothing
};

struct BodyPlan {
  std::vector<Body> bodies;  ///< the root first, parents before children
  std::vector<Limb> limbs;
  std::vector<JointGroup> groups;     ///< limbs and what is none: torso, head, fingers, wheels
  std::vector<JointUse> uses;         ///< per joint of the description
  std::vector<EndpointFacts> frames;  ///< by limb, then by rank
  Base base = Base::fixed;
  std::string base_why;
  bool base_is_guess = false;
  std::vector<Note> guesses;  ///< on the chosen endpoints
};

BodyPlan plan_of(const RobotDescription& description);

}  // namespace detail
}  // namespace antaeus
