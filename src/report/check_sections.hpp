#pragma once
// What pages of other verbs say of a log's set-up.
#include <vector>

#include "antaeus/check/check_log.hpp"
#include "antaeus/report/page.hpp"

namespace antaeus::detail {

/// The answer that stands before all others: findings that a user must act on. None without any.
std::vector<Answer> set_up_answers(const CheckResult& result);

}  // namespace antaeus::detail
