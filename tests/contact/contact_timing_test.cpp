#include "antaeus/contact/contact_timing.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "antaeus/core/error.hpp"
#include "contact/tolerances.hpp"

namespace antaeus {
namespace {

/// One point that stands, is lifted by `height` from 1 s to 1 s + `swing`, moves `forward` and stands again.
ContactPoints stepping(const VectorX& time, double height, double forward, double swing = 0.5) {
  ContactPoints foot{"foot", {MatrixX::Zero(time.size(), 3)}};
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double s = std::clamp((time[i] - 1.0) / swing, 0.0, 1.0);
    foot.points[0](i, 0) = forward * s * s * (3 - 2 * s);
    foot.points[0](i, 2) = 0.2 + height * std::pow(std::sin(std::numbers::pi * s), 2);
  }
  return foot;
}

const VectorX kTime = VectorX::LinSpaced(301, 0.0, 3.0);

TEST(ContactTiming, AStepEndsOneContactAndBeginsAnother) {
  const std::vector<ContactPoints> feet{stepping(kTime, 0.1, 0.6)};
  const ContactTiming timing = detect_contacts(kTime, 2, feet);
  ASSERT_EQ(timing.intervals.size(), 2U);
  EXPECT_EQ(timing.intervals[0].from, 0.0);
  EXPECT_NEAR(timing.intervals[0].to, 1.0, tolerance::kSyntheticStep);
  EXPECT_NEAR(timing.intervals[1].from, 1.5, tolerance::kSyntheticStep);
  EXPECT_EQ(timing.intervals[1].to, 3.0);
  EXPECT_GT(timing.intervals[0].probability, 0.95);
  EXPECT_LT(timing.probability(125, 0), 0.01);
}

TEST(ContactTiming, DoesNotDependOnTheSamplingRate) {
  const VectorX slow = VectorX::LinSpaced(151, 0.0, 3.0), fast = VectorX::LinSpaced(3001, 0.0, 3.0);
  const std::vector<ContactPoints> few{stepping(slow, 0.1, 0.6)}, many{stepping(fast, 0.1, 0.6)};
  const ContactTiming a = detect_contacts(slow, 2, few), b = detect_contacts(fast, 2, many);
  ASSERT_EQ(a.intervals.size(), b.intervals.size());
  for (std::size_t i = 0; i < a.intervals.size(); ++i) {
    EXPECT_NEAR(a.intervals[i].from, b.intervals[i].from, tolerance::kTimingRate);
    EXPECT_NEAR(a.intervals[i].to, b.intervals[i].to, tolerance::kTimingRate);
  }
}

TEST(ContactTiming, HeightAloneAndSpeedAloneAreNotEnough) {
  // Sliding fast at ground level, and held still in the air.
  ContactPoints sliding{"sliding", {MatrixX::Zero(301, 3)}}, held = sliding;
  sliding.points[0].col(0) = 2.0 * kTime;
  held.points[0].block(100, 2, 150, 1).setConstant(0.12);
  const std::vector<ContactPoints> feet{sliding, held};
  const ContactTiming timing = detect_contacts(kTime, 2, feet);
  EXPECT_LT(timing.probability.col(0).maxCoeff(), 0.01);
  EXPECT_LT(timing.probability.col(1).segment(110, 130).maxCoeff(), 0.01);
}

TEST(ContactTiming, TheTurnOfASmallStepIsNoContact) {
  // At its top, 5 cm up, a marching foot is as slow as a planted one; its acceleration tells.
  const std::vector<ContactPoints> feet{stepping(kTime, 0.05, 0.0, 0.3)};
  const ContactTiming timing = detect_contacts(kTime, 2, feet);
  EXPECT_EQ(timing.intervals.size(), 2U);
  TimingOptions blind;
  blind.planted_acceleration = 1e6;
  EXPECT_GT(detect_contacts(kTime, 2, feet, blind).probability(115, 0), timing.probability(115, 0) + 0.3);
}

TEST(ContactTiming, AFootThatIsNeverDownDoesNotTouch) {
  ContactPoints standing{"standing", {MatrixX::Zero(301, 3)}}, raised{"raised", {MatrixX::Zero(301, 3)}};
  raised.points[0].col(2).setConstant(0.2);
  const std::vector<ContactPoints> feet{standing, raised};
  const ContactTiming timing = detect_contacts(kTime, 2, feet);
  EXPECT_GT(timing.probability.col(0).minCoeff(), 0.99);
  EXPECT_LT(timing.probability.col(1).maxCoeff(), 0.01);
  TimingOptions stairs;
  stairs.same_level = 0.3;
  EXPECT_GT(detect_contacts(kTime, 2, feet, stairs).probability.col(1).minCoeff(), 0.99);
}

TEST(ContactTiming, RefusesWhatIsNoMotion) {
  std::vector<ContactPoints> feet{stepping(kTime, 0.1, 0.6)};
  VectorX back = kTime;
  back[10] = back[9];
  EXPECT_THROW(detect_contacts(back, 2, feet), Error);
  EXPECT_THROW(detect_contacts(kTime, 3, feet), Error);
  feet[0].points[0](3, 1) = kNaN;
  EXPECT_THROW(detect_contacts(kTime, 2, feet), Error);
  TimingOptions options;
  options.end = 0.9;
  EXPECT_THROW(detect_contacts(kTime, 2, std::vector<ContactPoints>{stepping(kTime, 0.1, 0.6)}, options), OptionsError);
}

}  // namespace
}  // namespace antaeus
