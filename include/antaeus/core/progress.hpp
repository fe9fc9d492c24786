#pragma once
/// \file
/// How long work tells how far it is.

#include <functional>

namespace antaeus {

/// Called by set-up and log code with the share of the work that is done, 0 … 1, about a hundred times.
using Progress = std::function<void(double)>;

}  // namespace antaeus
