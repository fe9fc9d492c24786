// What a total wrench becomes as a result: feet, a hidden contact where it is seen, and what nobody explains.
#include <gtest/gtest.h>

#include <array>

#include "antaeus/contact/contact_result.hpp"
#include "support/shared.hpp"
#include "support/tolerances.hpp"

namespace antaeus {

namespace {

/// A contact that may be there but is not seen must take no weight from the feet.
TEST(ContactSplit, APossibleContactThatIsNotSeenChangesNothing) {
  ANTAEUS_REQUIRE_SHARED("measured/human_plates");
  const TotalMotion motion = read_total_motion(test::shared_folder() / "measured/human_plates/static1.csv");
  const ContactResult plain = contact_split(motion, {});
  SplitOptions possible;
  possible.hidden_contact = true;
  const ContactResult with = contact_split(motion, {}, {}, possible);
  ASSERT_TRUE(with.posterior->hidden.seen.empty());
  EXPECT_GT(with.posterior->hidden.resolution, 0.0) << "it says how large a touch would have to be";
  EXPECT_TRUE(with.solution.wrench == plain.solution.wrench);
  EXPECT_EQ(with.residual_share, plain.residual_share);
}

/// The file's column says which foot touches, as the intervals do.
TEST(ContactSplit, SaysWhichFootTouches) {
  ANTAEUS_REQUIRE_SHARED("measured/human_plates");
  const TotalMotion motion = read_total_motion(test::shared_folder() / "measured/human_plates/walking1.csv");
  const ContactResult result = contact_split(motion, {});
  const std::vector<double> active = wrenches_table(result).numbers("active");
  ASSERT_EQ(std::ssize(active), 2 * motion.rows());
  std::array<double, 2> share{};
  for (Eigen::Index t = 0; t < motion.rows(); ++t) {
    for (std::size_t c = 0; c < 2; ++c) {
      const double touches = active[2 * static_cast<std::size_t>(t) + c];
      share[c] += touches / static_cast<double>(motion.rows());
      // A foot in the air carries next to nothing.
      if (touches == 0.0 && t > 20 && t + 20 < motion.rows()) {
        EXPECT_LT(result.solution.wrench(kFy, 2 * t + static_cast<Eigen::Index>(c)), 0.25 * motion.weight()) << t;
      }
    }
  }
  for (const double part : share) EXPECT_TRUE(part > 0.4 && part < 0.8) << part;
}

}  // namespace

}  // namespace antaeus
