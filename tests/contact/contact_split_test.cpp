// What a total wrench becomes as a result: feet, a hidden contact where it is seen, and what nobody explains.
#include <gtest/gtest.h>

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

}  // namespace

}  // namespace antaeus
