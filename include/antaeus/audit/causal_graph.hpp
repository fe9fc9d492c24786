#pragma once
/// \file
/// How an estimate comes about in one log, as a graph: two branches that meet in the force, and what follows it.

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/audit/results.hpp"
#include "antaeus/core/fields.hpp"

namespace antaeus {

/// What stands in a causal graph. A robot or a log without it has no such node.
enum class CausalNode : std::uint8_t {
  pose,
  gain,
  start_error,
  commanded_torque,
  reference_residual,
  force,
  targets,
  torque
};
constexpr auto enum_names(CausalNode) noexcept {
  return name_list<CausalNode>("pose", "gain", "start_error", "commanded_torque", "reference_residual", "force",
                               "targets", "torque");
}
/// What stands behind an edge: computed from the log and the model; both ends in the log and the link between them not;
/// or the log speaks against it, or does not hold what would show it.
enum class CausalEvidence : std::uint8_t { computed, inferred, absent };
constexpr auto enum_names(CausalEvidence) noexcept {
  return name_list<CausalEvidence>("computed", "inferred", "absent");
}

struct CausalState {
  CausalNode node = CausalNode::pose;
  std::string subject;
  double value = kNaN;
  std::string unit;
  Eigen::Index step = -1;
  std::string text;
};
constexpr void visit_fields(const CausalState*, auto&& visit) {
  using C = CausalState;
  visit(field("node", "", "what it is", &C::node));
  visit(field("subject", "", "endpoint or joint, for people", &C::subject));
  visit(field("value", "", "of this log, in `unit`; NaN: unknown", &C::value));
  visit(field("unit", "", "of the value", &C::unit));
  visit(step_field("step", "of the log at which it was seen", &C::step));
  visit(field("text", "", "one clause", &C::text));
}

struct CausalEdge {
  CausalNode from = CausalNode::pose, to = CausalNode::gain;
  CausalEvidence evidence = CausalEvidence::absent;
  double number = kNaN;
  std::string unit, text;
};
constexpr void visit_fields(const CausalEdge*, auto&& visit) {
  using C = CausalEdge;
  visit(field("from", "", "node", &C::from).only(FieldUse::file_only));
  visit(field("source", "", "node that it comes from", &C::from).only(FieldUse::python_only));
  visit(field("to", "", "node", &C::to).only(FieldUse::file_only));
  visit(field("target", "", "node that it goes to", &C::to).only(FieldUse::python_only));
  visit(field("evidence", "", "what stands behind it", &C::evidence));
  visit(field("number", "", "of this log, in `unit`; NaN: unknown", &C::number));
  visit(field("unit", "", "of the number", &C::unit));
  visit(field("text", "", "one clause", &C::text));
}

/// Nodes and edges in the order in which they are told. Empty without a focus step.
struct CausalGraph {
  std::string joint;
  std::vector<CausalState> nodes;
  std::vector<CausalEdge> edges;
  /// Null where the graph has no such node.
  const CausalState* find(CausalNode node) const noexcept {
    for (const CausalState& state : nodes) {
      if (state.node == node) return &state;
    }
    return nullptr;
  }
};
constexpr void visit_fields(const CausalGraph*, auto&& visit) {
  using C = CausalGraph;
  visit(field("joint", "",
              "whose torque the graph follows: the reference joint; without one, the joint that adds most to the force",
              &C::joint));
  visit(field("nodes", "", "what the robot and the log have", &C::nodes));
  visit(field("edges", "", "between them", &C::edges));
}

}  // namespace antaeus
