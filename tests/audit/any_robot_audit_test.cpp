#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "audit/reconstruct.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

// Robots that nobody here tuned anything for, in logs in which nothing is wrong: feet that carry weight, and a push
// that is harder than the consumer was made for.

std::string link(const std::string& name, double mass, double length) {
  const double inertia = mass * (length * length / 12.0 + 1e-3);
  const std::string i = std::to_string(inertia);
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) + "\"/><origin xyz=\"0 0 " +
         std::to_string(-length / 2) + "\"/><inertia ixx=\"" + i + "\" iyy=\"" + i + "\" izz=\"" + i +
         "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child, const char* xyz,
                  const char* axis, double effort) {
  return "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + xyz + "\"/><axis xyz=\"" + axis + "\"/><limit lower=\"-3\" upper=\"3\" effort=\"" +
         std::to_string(effort) + "\" velocity=\"3\"/></joint>";
}

/// A quadruped of 60 kg: 147 N a foot, more than the 100 N of the published watchdog.
std::string quadruped() {
  std::string text = "<robot name=\"quadruped\">" + link("trunk", 40.0, 0.3);
  for (const std::string leg : {"FL", "FR", "RL", "RR"}) {
    const std::string hip = std::string(leg[0] == 'F' ? "0.3 " : "-0.3 ") + (leg[1] == 'L' ? "0.15 0" : "-0.15 0");
    text += joint(leg + "_roll", "trunk", leg + "_hip", hip.c_str(), "1 0 0", 1000.0) + link(leg + "_hip", 1.5, 0.1) +
            joint(leg + "_pitch", leg + "_hip", leg + "_thigh", "0 0 0", "0 1 0", 1000.0) +
            link(leg + "_thigh", 2.5, 0.35) +
            joint(leg + "_knee", leg + "_thigh", leg + "_calf", "0 0 -0.35", "0 1 0", 1000.0) +
            link(leg + "_calf", 1.0, 0.35) + "<joint name=\"" + leg + "_tip\" type=\"fixed\"><parent link=\"" + leg +
            "_calf\"/><child link=\"" + leg + "_foot\"/><origin xyz=\"0 0 -0.35\"/></joint><link name=\"" + leg +
            "_foot\"/>";
  }
  return text + "</robot>";
}

/// An arm of seven joints with the efforts and lengths of one that lifts 3 kg.
std::string arm() {
  std::string text = "<robot name=\"arm\">" + link("base", 3.0, 0.1);
  const char* offsets[] = {"0 0 0.333", "0 0 0", "0 0 0.316", "0.0825 0 0", "-0.0825 0 0.384", "0 0 0", "0.088 0 0"};
  const char* axes[] = {"0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1", "0 -1 0", "0 0 -1"};
  std::string parent = "base";
  for (int i = 0; i < 7; ++i) {
    const std::string child = "link" + std::to_string(i + 1);
    text += joint("joint" + std::to_string(i + 1), parent, child, offsets[i], axes[i], i < 4 ? 87.0 : 12.0) +
            link(child, i < 4 ? 3.0 : 1.5, 0.1);
    parent = child;
  }
  return text +
         "<joint name=\"flange_joint\" type=\"fixed\"><parent link=\"link7\"/><child link=\"flange\"/>"
         "<origin xyz=\"0 0 -0.107\"/></joint><link name=\"flange\"/></robot>";
}

Robot robot_of(const std::string& urdf, Base base) {
  const test::TemporaryFolder folder;
  RobotProfile profile;
  profile.name = profile.title = "robot";
  profile.model = folder.path() / "robot.urdf";
  profile.options.base = base;
  std::ofstream(profile.model) << urdf;
  return make_robot(std::move(profile));
}

/// A log at rest: \p wrench on the robot at each frame from step \p from on, and a little noise.
Episode at_rest(const Robot& robot, const VectorX& q, const std::vector<std::string>& frames,
                const std::vector<Vector6>& wrench, Eigen::Index from) {
  const Eigen::Index steps = 60, motors = robot.model.motor_count();
  InstantReader reader(robot, frames);
  test::RandomStates noise(11);
  Observation sample;
  sample.q = q;
  sample.tau = VectorX::Zero(motors);
  const Instant& now = reader.at(sample);
  Episode log;
  log.name = "log";
  log.q = q.transpose().replicate(steps, 1);
  log.target = log.q;
  log.v = SampleMatrix::Zero(steps, motors);
  log.tau.resize(steps, motors);
  log.time = VectorX::LinSpaced(steps, 0.0, 0.02 * static_cast<double>(steps - 1));
  for (Eigen::Index i = 0; i < steps; ++i) {
    VectorX tau = now.gravity_torque() + noise.vector(motors, 0.1);
    for (std::size_t k = 0; i >= from && k < frames.size(); ++k) {
      tau -= now.jacobian(static_cast<int>(k)).transpose() * wrench[k];
    }
    log.tau.row(i) = tau;
  }
  return log;
}

std::string statement(const Audit& audit, std::string_view id) {
  for (const Statement& s : audit.verdict) {
    if (to_string(s.id) == id) return s.text;
  }
  return {};
}

Vector6 force(double x, double y, double z) { return (Vector6() << x, y, z, 0, 0, 0).finished(); }

TEST(AnyRobot, FeetThatCarryTheRobotAreNoIncident) {
  const Robot robot = robot_of(quadruped(), Base::free_flyer);
  const std::vector<std::string> feet = {"FL_foot", "FR_foot", "RL_foot", "RR_foot"};
  for (const std::string& foot : feet) EXPECT_EQ(robot.kind_of(foot), EndpointKind::foot);
  VectorX q(12);
  for (int leg = 0; leg < 4; ++leg) {
    q[robot.model.motor(feet[leg].substr(0, 2) + "_roll")] = 0.05;
    q[robot.model.motor(feet[leg].substr(0, 2) + "_pitch")] = 0.8;
    q[robot.model.motor(feet[leg].substr(0, 2) + "_knee")] = -1.6;
  }
  const double share = robot.weight() / 4.0;
  ASSERT_GT(share, PublishedGuardOptions{}.watchdog_force) << "else the published limit would not be passed";
  AuditRequest request;
  request.endpoints = feet;
  const auto audit_of = [&](double part) {
    const Episode log = at_rest(robot, q, feet, std::vector<Vector6>(4, force(0, 0, part * share)), 0);
    return run_audit(robot, {log}, request, audit_options(robot, feet));
  };
  const Audit standing = audit_of(1.0);
  EXPECT_FALSE(standing.incident);
  EXPECT_EQ(standing.outcome, Outcome::no_incident);
  EXPECT_NE(statement(standing, "cause").find("A foot carries the robot"), std::string::npos)
      << statement(standing, "cause");
  EXPECT_GT(standing.audited.reconstruction.series[0].peak_force, PublishedGuardOptions{}.watchdog_force);
  EXPECT_TRUE(audit_of(32.0).incident) << "eight times the weight on each foot is no standing";

  // Beside a hand that the consumer reads, feet are not what it reads.
  const auto consumed = [&](const std::vector<std::string>& endpoints) {
    std::vector<bool> read;
    const Episode log = at_rest(robot, q, feet, std::vector<Vector6>(4, force(0, 0, share)), 0);
    for (const EstimateSeries& s : test::reconstruct(robot, log, endpoints, audit_options(robot, endpoints)).series) {
      if (s.estimator == EstimatorName::deployed) read.push_back(s.consumed);
    }
    return read;
  };
  EXPECT_EQ(consumed({"FL_foot", "trunk"}), (std::vector<bool>{false, true}));
  EXPECT_EQ(consumed({"FL_foot", "RR_foot"}), (std::vector<bool>{true, true}));
}

/// The guard of a loop at feet: weight is no refusal, and what no foot carries is.
TEST(AnyRobot, TheGuardOfAFootKnowsTheWeight) {
  const Robot robot = robot_of(quadruped(), Base::free_flyer);
  VectorX q = VectorX::Zero(12);
  for (const std::string leg : {"FL", "FR", "RL", "RR"}) {
    q[robot.model.motor(leg + "_pitch")] = 0.8;
    q[robot.model.motor(leg + "_knee")] = -1.6;
  }
  const auto reasons = [&](double part) {
    const Episode log = at_rest(robot, q, {"FL_foot"}, {force(0, 0, part * robot.weight())}, 0);
    GuardedEstimator guard(robot, {"FL_foot"});
    Observation sample;
    log.observe(0, sample);
    return guard.update(sample)[0].reasons;
  };
  EXPECT_FALSE(reasons(0.5).has(Reason::force_limit)) << reasons(0.5).text();
  EXPECT_FALSE(reasons(1.0).has(Reason::force_limit));
  EXPECT_TRUE(reasons(4.0).has(Reason::force_limit));
}

void expect_contact_beyond(const Audit& audit, double push, const std::string& label) {
  EXPECT_TRUE(audit.contact.found);
  EXPECT_TRUE(audit.contact.beyond());
  EXPECT_NEAR(audit.contact.size, push, 4.0 * audit.contact.size_sd);
  const std::string cause = statement(audit, "cause");
  EXPECT_NE(cause.find("fit a contact at the " + label), std::string::npos) << cause;
  EXPECT_NE(cause.find("beyond the"), std::string::npos) << cause;
  EXPECT_EQ(cause.find("alone makes"), std::string::npos) << cause;
  EXPECT_EQ(statement(audit, "pose"), "");
}

TEST(AnyRobot, AHardPushIsAContactAndNotAJointsFault) {
  Robot robot = robot_of(arm(), Base::fixed);
  VectorX q(7);
  q << 0.2, 0.4, -0.1, -1.8, 0.1, 1.2, 0.3;
  AuditRequest request;
  request.endpoints = {"flange"};
  const auto options = [&] { return audit_options(robot, {"flange"}); };
  ASSERT_LT(options().guarded.force_limit, 80.0);
  const Vector6 push = force(30, 40, -62);  // 80 N
  expect_contact_beyond(run_audit(robot, {at_rest(robot, q, {"flange"}, {push}, 30)}, request, options()), 80.0,
                        "flange");
  const Audit soft = run_audit(robot, {at_rest(robot, q, {"flange"}, {Vector6(0.25 * push)}, 30)}, request, options());
  EXPECT_FALSE(soft.contact.beyond());

  // A torque of one joint alone is no contact, whatever the estimator makes of it.
  Episode fault = at_rest(robot, q, {"flange"}, {force(0, 0, 0)}, 0);
  fault.tau.col(1).tail(30).array() += 40.0;
  const Audit blamed = run_audit(robot, {fault}, request, options());
  EXPECT_FALSE(blamed.contact.found);
  EXPECT_NE(statement(blamed, "cause").find("joint2 alone makes"), std::string::npos) << statement(blamed, "cause");
}

std::string one_bar() {
  return "<robot name=\"bar\">" + link("base", 1.0, 0.1) + joint("swing", "base", "bar", "0 0 1", "0 1 0", 50.0) +
         link("bar", 1.0, 0.5) +
         "<joint name=\"end_joint\" type=\"fixed\"><parent link=\"bar\"/><child link=\"end\"/>"
         "<origin xyz=\"0 0 -0.5\"/></joint><link name=\"end\"/></robot>";
}

/// A robot has the graph of what it has: no start errors without joints whose start is checked, no reference joint.
void expect_graph_of_a_plain_robot(const Audit& audit, const std::string& joint) {
  const CausalGraph& graph = audit.causal_graph;
  EXPECT_EQ(graph.joint, joint);
  EXPECT_EQ(graph.find(CausalNode::start_error), nullptr);
  EXPECT_EQ(graph.find(CausalNode::commanded_torque), nullptr);
  for (const CausalNode node : {CausalNode::pose, CausalNode::gain, CausalNode::reference_residual, CausalNode::force,
                                CausalNode::targets, CausalNode::torque}) {
    EXPECT_NE(graph.find(node), nullptr) << to_string(node);
  }
  for (const CausalEdge& edge : graph.edges) {
    EXPECT_NE(graph.find(edge.from), nullptr);
    EXPECT_NE(graph.find(edge.to), nullptr);
    EXPECT_EQ(edge.text.find("torso"), std::string::npos);
    EXPECT_EQ(edge.text.find("policy"), std::string::npos);
    if (edge.to == CausalNode::targets || edge.to == CausalNode::torque) {
      EXPECT_EQ(edge.evidence, CausalEvidence::absent) << "nothing moved in this log: " << edge.text;
    }
    if (edge.from == CausalNode::gain) {
      EXPECT_EQ(edge.evidence, CausalEvidence::computed);
      const double residual = graph.find(CausalNode::reference_residual)->value;
      const auto part = std::find_if(graph.edges.begin(), graph.edges.end(), [](const CausalEdge& e) {
        return e.from == CausalNode::reference_residual && e.to == CausalNode::force;
      });
      ASSERT_NE(part, graph.edges.end());
      EXPECT_NEAR(edge.number * residual, part->number, 1e-9 * std::abs(part->number));
    }
  }
}

TEST(AnyRobot, TheCausalGraphHasWhatTheRobotHas) {
  const Robot seven = robot_of(arm(), Base::fixed);
  VectorX q(7);
  q << 0.2, 0.4, -0.1, -1.8, 0.1, 1.2, 0.3;
  AuditRequest request;
  request.endpoints = {"flange"};
  Episode fault = at_rest(seven, q, {"flange"}, {force(0, 0, 0)}, 0);
  fault.tau.col(1).tail(30).array() += 40.0;
  expect_graph_of_a_plain_robot(run_audit(seven, {fault}, request, audit_options(seven, {"flange"})), "joint2");

  const Robot bar = robot_of(one_bar(), Base::fixed);
  request.endpoints = {"end"};
  fault = at_rest(bar, VectorX::Constant(1, 0.3), {"end"}, {force(0, 0, 0)}, 0);
  fault.tau.col(0).tail(30).array() += 20.0;
  expect_graph_of_a_plain_robot(run_audit(bar, {fault}, request, audit_options(bar, {"end"})), "swing");
}

TEST(AnyRobot, AHardPushOnTheH1IsAContactToo) {
  const Robot robot = test::own_robot("h1_2");
  AuditRequest request;
  const Vector6 push = force(50, -30, 55);  // 80 N
  const Episode log = at_rest(robot, robot.pose("zero"), {"left_wrist_yaw_link"}, {push}, 30);
  expect_contact_beyond(run_audit(robot, {log}, request, audit_options(robot)), push.norm(), "left wrist");
}

}  // namespace
}  // namespace antaeus
