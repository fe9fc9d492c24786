#pragma once
// What the results of a whole motion and of a block of it are made of. Private.
#include "antaeus/contact/contact_result.hpp"
#include "contact/contact_limits.hpp"

namespace antaeus::detail {

/// All that is known before the first frame is looked at. \throws OptionsError, ModelError
ContactResult begin_result(const Robot& robot, const ContactMotion& motion, const ContactRequest& request,
                           const ContactOptions& options);
/// Inverse dynamics alone: what its dynamics say.
void answer_without_contacts(ContactResult& result);
LimitSource limit_source(const Robot& robot, const ContactResult& result);
/// Torques, residual, margins and broken limits of a solution.
void answer(const Robot& robot, const LimitSource& source, ContactResult& result);
/// Empty: soles and clock are such that the posterior can be asked.
std::string why_no_sd(const ContactResult& result, bool clock);
void tell_stopped(int stopped, bool over_time, std::vector<std::string>& remarks);
void tell_few_points(ContactResult& result);

}  // namespace antaeus::detail
