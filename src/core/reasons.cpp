#include "antaeus/core/reasons.hpp"

namespace antaeus {

std::string Reasons::text() const {
  std::string text;
  for (std::size_t i = 0; i < enum_names(Reason{}).size(); ++i) {
    const auto reason = static_cast<Reason>(i);
    if (!has(reason)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(reason);
  }
  return text;
}

}  // namespace antaeus
