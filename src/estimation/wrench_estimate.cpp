#include "antaeus/estimation/wrench_estimate.hpp"

namespace antaeus {

std::string reasons_text(std::uint32_t reasons) {
  std::string text;
  for (int bit = 0; bit < kReasonCount; ++bit) {
    const std::uint32_t reason = 1u << bit;
    if (!(reasons & reason)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(static_cast<Reason>(reason));
  }
  return text;
}

}  // namespace antaeus
