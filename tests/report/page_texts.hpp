#pragma once
/// What a page says and draws, for tests to look at.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "antaeus/report/page.hpp"

namespace antaeus::test {

inline std::string answers(const Page& page) {
  std::string text;
  for (const Answer& answer : page.answers) {
    for (const Paragraph& paragraph : answer.paragraphs) text += plain_text(paragraph.text) + "\n";
  }
  return text;
}
inline bool says(const Page& page, const std::string& words) { return answers(page).find(words) != std::string::npos; }

/// Null where there is none.
inline const ViewPanel* panel(const Page& page, const std::string& id) {
  for (const ViewPanel& one : page.views.panels) {
    if (one.id == id) return &one;
  }
  return nullptr;
}
inline double at(const Page& page, ChannelId channel, Eigen::Index row) {
  return page.views.channels.at(static_cast<std::size_t>(channel)).value(row);
}

/// Every panel has something to draw, every line a finite number, and each choice exists.
inline void expect_drawn(const Page& page) {
  for (const ViewPanel& one : page.views.panels) {
    EXPECT_TRUE(!one.lines.empty() || !one.lanes.empty()) << one.id;
    for (const Line& line : one.lines) {
      bool finite = false;
      for (Eigen::Index t = 0; t < page.views.runs.front().rows; ++t) {
        finite = finite || std::isfinite(at(page, line.channel, t));
      }
      EXPECT_TRUE(finite) << one.id << ": " << line.name;
      for (const When& when : line.when) {
        EXPECT_LT(static_cast<std::size_t>(when.option),
                  page.views.selectors.at(static_cast<std::size_t>(when.selector)).options.size());
      }
    }
  }
}

inline std::size_t count_of(const std::string& page, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++count;
  return count;
}

}  // namespace antaeus::test
