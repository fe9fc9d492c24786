#pragma once
/// \file
/// How long work asks whether it is still wanted.

#include <functional>

namespace antaeus {

/// Called by long set-up code many times a second, so that its caller can end it: what it throws comes through.
using Pulse = std::function<void()>;

}  // namespace antaeus
