#pragma once

/// \file
/// What libantaeus.so exports. Nothing else in it can be linked against.

/// Before the name of a class, or before a function's or a constant's declaration: users may call it.
#define ANTAEUS_API __attribute__((visibility("default")))
