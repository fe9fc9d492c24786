#include "antaeus/robot/limbs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace antaeus {

namespace {

/// Movable joints from the root within which a fork is one of the body, and from which on a branch is a limb.
constexpr int kWaist = 3, kLimb = 3;

/// The tree of links, each with the movable joints before it and the longest chain of movable joints beyond it.
struct Tree {
  struct Node {
    int parent = -1, depth = 0, height = 0;
    bool moves = false;  ///< against its parent
    double reach = 0.0;  ///< from the root, the links between stretched out [m]
  };

  explicit Tree(const RobotDescription& description) {
    std::map<std::string, std::vector<const JointDescription*>> children;
    for (const JointDescription& joint : description.joints) children[joint.parent].push_back(&joint);
    std::vector<std::pair<std::string, int>> open{{description.root, -1}};
    nodes.push_back({});
    // Parents before children, without recursion: a file may be as deep as it is long.
    for (std::size_t at = 0; at < open.size(); ++at) {
      const std::string link = open[at].first;
      const auto node = static_cast<int>(at);
      for (const JointDescription* joint : children[link]) {
        const bool moves = joint->type != JointType::fixed;
        const double reach = nodes[at].reach + joint->X_PJ.translation.norm();
        nodes.push_back({node, nodes[at].depth + (moves ? 1 : 0), 0, moves, reach});
        open.emplace_back(joint->child, node);
      }
    }
    for (std::size_t at = nodes.size(); at-- > 1;) {
      Node& parent = nodes[static_cast<std::size_t>(nodes[at].parent)];
      parent.height = std::max(parent.height, length(nodes[at]));
    }
  }

  /// Movable joints on the longest way from the node's parent outwards.
  static int length(const Node& node) { return node.height + (node.moves ? 1 : 0); }

  std::vector<Node> nodes;  ///< the root first
};

}  // namespace

int limb_count(const RobotDescription& description) {
  const Tree tree(description);
  const int shortest = std::min(kLimb, tree.nodes.front().height);
  if (shortest == 0) return 0;
  // A body that the walk has reached ends a limb where no long branch leaves it, or where it is no longer the body's.
  int limbs = 1;
  std::vector<bool> reached(tree.nodes.size(), false);
  reached[0] = true;
  std::vector<int> branches(tree.nodes.size(), 0);
  for (std::size_t at = 1; at < tree.nodes.size(); ++at) {
    const Tree::Node& node = tree.nodes[at];
    const auto parent = static_cast<std::size_t>(node.parent);
    if (!reached[parent] || tree.nodes[parent].depth > kWaist || Tree::length(node) < shortest) continue;
    reached[at] = true;
    if (++branches[parent] > 1) ++limbs;
  }
  return limbs;
}

double longest_reach(const RobotDescription& description) {
  const Tree tree(description);
  double longest = 0.0;
  for (const Tree::Node& node : tree.nodes) longest = std::max(longest, node.reach);
  return longest;
}

bool frees_itself(const RobotDescription& description) {
  return std::any_of(description.joints.begin(), description.joints.end(), [&](const JointDescription& joint) {
    return joint.parent == description.root && (joint.type == JointType::floating || joint.type == JointType::planar);
  });
}

}  // namespace antaeus
