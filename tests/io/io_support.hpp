#pragma once
/// What the tests of this module share.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus::test {

/// The message of the Error that the work throws; the test fails when it throws none.
template <class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

inline bool contains(const std::string& message, const std::string& text) {
  return message.find(text) != std::string::npos;
}

}  // namespace antaeus::test

/// The statement throws an Error whose message contains the text.
#define EXPECT_ERROR(statement, text)                                                                     \
  EXPECT_PRED2(antaeus::test::contains, antaeus::test::message_of([&] { static_cast<void>(statement); }), \
               std::string(text))
