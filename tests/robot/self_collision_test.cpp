#include "antaeus/robot/self_collision.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>

#include "antaeus/core/error.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"
#include "support/allocation_counter.hpp"
#include "support/segment_distance.hpp"

namespace antaeus {
namespace {

using test::RandomStates;
using test::segment_distance;

/// Two shapes on sticks that swing about parallel axes: what is near whom is known by hand.
RobotModel two_shapes(const std::string& first, const std::string& second, const std::filesystem::path& folder = ".") {
  const std::string inertial =
      R"(<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>)";
  const auto link = [&](const std::string& name, const std::string& shape) {
    return "<link name=\"" + name + "\">" + inertial +
           (shape.empty() ? "" : "<collision><geometry>" + shape + "</geometry></collision>") + "</link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& origin, const std::string& axis) {
    return "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" + axis +
           "\"/><limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint>";
  };
  const std::string text = "<robot name=\"two\">" + link("root", "") + link("a_arm", "") + link("a", first) +
                           link("b_arm", "") + link("b", second) + joint("a1", "root", "a_arm", "0 0.5 0", "0 0 1") +
                           joint("a2", "a_arm", "a", "0.8 0 0", "1 2 0.5") +
                           joint("b1", "root", "b_arm", "0 -0.5 0", "0 0 1") +
                           joint("b2", "b_arm", "b", "0.7 0 0.1", "0.3 -1 1") + "</robot>";
  ModelOptions options;
  options.base = Base::fixed;
  return RobotModel(parse_urdf(text, "two.urdf", folder, MeshPolicy::ignored), options);
}

Pose pose(const PositionTerms& terms, const RobotModel& model, const std::string& link) {
  Pose X;
  EXPECT_EQ(terms.frame_pose(model.frame(link), X), Status::ok);
  return X;
}

TEST(SelfCollision, DistancesAreThoseOfGeometry) {
  RandomStates random(1340);
  const double r1 = 0.08, r2 = 0.05, l1 = 0.4, l2 = 0.3;
  const RobotModel spheres = two_shapes("<sphere radius=\"0.08\"/>", "<sphere radius=\"0.05\"/>");
  const RobotModel capsules =
      two_shapes("<capsule radius=\"0.08\" length=\"0.4\"/>", "<capsule radius=\"0.05\" length=\"0.3\"/>");
  for (const bool round : {true, false}) {
    const RobotModel& model = round ? spheres : capsules;
    SelfCollision near{SelfCollisionModel(model)};
    ASSERT_EQ(near.model().pairs().size(), 1u);
    Dynamics dynamics(model);
    for (int i = 0; i < 50; ++i) {
      const PositionTerms terms = dynamics.at(random.vector(4, 2.0));
      const Pose a = pose(terms, model, "a"), b = pose(terms, model, "b");
      const Vector3 za = a.rotation.col(2), zb = b.rotation.col(2);
      const double apart = round ? (a.translation - b.translation).norm()
                                 : segment_distance(a.translation - 0.5 * l1 * za, a.translation + 0.5 * l1 * za,
                                                    b.translation - 0.5 * l2 * zb, b.translation + 0.5 * l2 * zb);
      ASSERT_EQ(near.compute(terms, 10.0), Status::ok);
      ASSERT_EQ(near.count(), 1);
      EXPECT_LE(std::abs(near.near(0).distance - (apart - r1 - r2)), tolerance::kGjkDistance);
      const NearPair& pair = near.near(0);
      EXPECT_LE((pair.on_second - pair.on_first - pair.distance * pair.normal).norm(), tolerance::kGjkDistance);
      // Farther than asked: none, and said so.
      ASSERT_EQ(near.compute(terms, pair.distance - 0.01), Status::ok);
      EXPECT_EQ(near.count(), 0);
      EXPECT_EQ(near.smallest(), kInfinity);
    }
  }
}

TEST(SelfCollision, PenetrationIsTheWayOut) {
  const RobotModel model = two_shapes("<box size=\"0.6 0.6 0.6\"/>", "<sphere radius=\"0.05\"/>");
  SelfCollision near{SelfCollisionModel(model)};
  Dynamics dynamics(model);
  RandomStates random(1344);
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const PositionTerms terms = dynamics.at(random.vector(4, 2.0));
    const Pose X = pose(terms, model, "a").inverse() * pose(terms, model, "b");
    const double depth = 0.3 - X.translation.cwiseAbs().maxCoeff();
    if (depth < 0.0) continue;
    ++inside;
    ASSERT_EQ(near.compute(terms, 0.0), Status::ok);
    ASSERT_EQ(near.count(), 1);
    EXPECT_LE(std::abs(near.smallest() + depth + 0.05), tolerance::kGjkDistance);
  }
  EXPECT_GT(inside, 10);
}

TEST(SelfCollision, GradientsAreTheDistancesDerivatives) {
  RandomStates random(1341);
  for (const auto& [first, second] :
       {std::pair{"<sphere radius=\"0.08\"/>", "<box size=\"0.2 0.3 0.1\"/>"},
        {"<capsule radius=\"0.08\" length=\"0.4\"/>", "<cylinder radius=\"0.1\" length=\"0.3\"/>"},
        {"<sphere radius=\"0.08\"/>", "<sphere radius=\"0.05\"/>"}}) {
    SCOPED_TRACE(std::string(first) + second + random.text());
    const RobotModel model = two_shapes(first, second);
    SelfCollision near{SelfCollisionModel(model)};
    Dynamics dynamics(model);
    for (int i = 0; i < 20; ++i) {
      const VectorX q = random.vector(4, 1.5);
      const auto distance = [&](const VectorX& at) {
        EXPECT_EQ(near.compute(dynamics.at(at), 10.0), Status::ok);
        return near.near(0).distance;
      };
      constexpr double kStep = 1e-5;
      VectorX slope(4), gradient(4);
      for (int j = 0; j < 4; ++j) {
        slope[j] =
            (distance(q + kStep * VectorX::Unit(4, j)) - distance(q - kStep * VectorX::Unit(4, j))) / (2.0 * kStep);
      }
      if (distance(q) < 0.01) continue;
      const PositionTerms terms = dynamics.at(q);
      ASSERT_EQ(near.compute(terms, 10.0), Status::ok);
      ASSERT_EQ(near.gradient(terms, 0, gradient), Status::ok);
      EXPECT_LE((gradient - slope).cwiseAbs().maxCoeff(), tolerance::kGjkSlope);
    }
  }
}

TEST(SelfCollision, SaysWhatIsLeftOutAndWhy) {
  const RobotModel model = test::own_robot("h1_2").model;
  const SelfCollisionModel shapes(model, {.ignored = {{"left_knee_link", "right_knee_link"}}});
  ASSERT_FALSE(shapes.pairs().empty());
  int count[4] = {};
  for (const ExcludedPair& pair : shapes.excluded()) ++count[static_cast<int>(pair.reason)];
  EXPECT_EQ(count[static_cast<int>(ExclusionReason::neighbours)], 19);
  EXPECT_EQ(count[static_cast<int>(ExclusionReason::by_caller)], 1);
  // In the neutral configuration nothing that is compared touches.
  SelfCollision near(shapes);
  Dynamics dynamics(model);
  ASSERT_EQ(near.compute(dynamics.at(model.neutral()), 1.0), Status::ok);
  EXPECT_GT(near.smallest(), 0.02);
  EXPECT_GT(near.left_out(), 0);  // 128 are kept, nearest first
  for (int i = 1; i < near.count(); ++i) EXPECT_LE(near.near(i - 1).distance, near.near(i).distance);
  std::printf("%zu pairs of shapes, %zu pairs of links left out (%d touching), smallest distance %.4f m: %s\n",
              shapes.pairs().size(), shapes.excluded().size(), count[static_cast<int>(ExclusionReason::touching)],
              near.smallest(), shapes.pair_text(near.near(0).pair).c_str());
  EXPECT_THROW(SelfCollisionModel(model, {.ignored = {{"left_knee_lin", "torso_link"}}}), ModelError);
  EXPECT_THROW(SelfCollisionModel(model, {.reference = VectorX::Zero(3)}), OptionsError);
}

TEST(SelfCollision, MeshesCountAsTheirHulls) {
  const ScratchFolder folder(std::filesystem::temp_directory_path());
  // A box of 0.2 m with a dent: the middle of its upper side pushed in, which the hull fills.
  std::ofstream file(folder.path() / "dent.obj");
  for (const double z : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      for (const double x : {-0.1, 0.1}) file << "v " << x << ' ' << y << ' ' << z << '\n';
    }
  }
  file << "v 0 0 0\nf 1 2 4\nf 1 4 3\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n";
  file << "f 5 9 6\nf 6 9 8\nf 8 9 7\nf 7 9 5\n";
  file.close();
  const RobotModel hull =
      two_shapes("<mesh filename=\"dent.obj\" scale=\"1 2 1\"/>", "<sphere radius=\"0.05\"/>", folder.path());
  const RobotModel box = two_shapes("<box size=\"0.2 0.4 0.2\"/>", "<sphere radius=\"0.05\"/>");
  const SelfCollisionModel model(hull);
  ASSERT_EQ(model.notes().size(), 1u);
  EXPECT_NE(model.notes()[0].find("convex hull"), std::string::npos);
  SelfCollision one(model), two{SelfCollisionModel(box)};
  Dynamics first(hull), second(box);
  RandomStates random(1342);
  for (int i = 0; i < 20; ++i) {
    const VectorX q = random.vector(4, 1.5);
    ASSERT_EQ(one.compute(first.at(q), 10.0), Status::ok);
    ASSERT_EQ(two.compute(second.at(q), 10.0), Status::ok);
    EXPECT_LE(std::abs(one.smallest() - two.smallest()), tolerance::kHullDistance);
  }
}

TEST(SelfCollision, DoesNotAllocate) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    const RobotModel model = test::own_robot(name).model;
    SelfCollision near{SelfCollisionModel(model)};
    Dynamics dynamics(model);
    RandomStates random(1343);
    VectorX gradient(model.nv());
    for (int i = 0; i < 30; ++i) {
      const VectorX q = random.configuration(model, 1.0);
      const PositionTerms terms = dynamics.at(q);
      test::AllocationCounter counter;
      near.compute(terms, 0.1);
      for (int k = 0; k < near.count(); ++k) near.gradient(terms, k, gradient);
      ASSERT_EQ(counter.count(), 0) << name << ' ' << i << ", smallest " << near.smallest();
    }
  }
}

}  // namespace
}  // namespace antaeus
