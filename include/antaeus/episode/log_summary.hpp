#pragma once
/// \file
/// The numbers of a log as JSON.

#include "antaeus/core/api.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus {

/// Schema "antaeus.show/1": docs/reference/cli.md#show-audit-demo-tour. \param robot  null: joints are named as the
/// log's columns
ANTAEUS_API Json log_summary(const RawLog& log, const Robot* robot = nullptr);

}  // namespace antaeus
