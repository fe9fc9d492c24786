// Wrenches as messages for others.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/live/live_estimator.hpp"
#include "antaeus/trust/consumer_guard.hpp"

namespace antaeus {

namespace {

using L = LiveColumns;
using SampleRow = Eigen::Ref<const Eigen::RowVectorXd>;  ///< of a block, in its place

/// What a consumer may use of one endpoint in one sample.
struct Said {
  Verdict verdict, state;
  ConsumerAction action;
  Reasons reasons;
  bool is_refused_here;  ///< by the stream: late, or held off
  std::array<double, 6> wrench;
};

Said said_of(const SampleRow& row, const LiveColumns& columns, Eigen::Index k, double late) {
  const auto at = row.segment<L::kOfEndpoint>(columns.endpoint(k));
  Said said{.verdict = static_cast<Verdict>(at[L::kVerdict]),
            .state = static_cast<Verdict>(at[L::kState]),
            .action = static_cast<ConsumerAction>(at[L::kAction]),
            .reasons = Reasons::from_bits(static_cast<std::uint64_t>(at[L::kReasons])),
            .is_refused_here = false,
            .wrench = {}};
  const bool is_late = row[L::kLateBy] > late, is_held = row[L::kHeldOff] != 0.0;
  if (is_late) said.reasons.add(Reason::stale);
  if (is_held) said.reasons.add(Reason::gap);
  said.is_refused_here = is_late || is_held;
  if (said.is_refused_here) {
    said.state = Verdict::refused;
    said.action = ConsumerAction::zero;
  }
  for (Eigen::Index i = 0; i < 6; ++i) {
    said.wrench[static_cast<std::size_t>(i)] = said.is_refused_here ? 0.0 : at[L::kConsumer + i];
  }
  return said;
}

void append_number(std::string& text, double value) {
  std::isfinite(value) ? append_shortest(text, value) : static_cast<void>(text += "null");
}

template <class Numbers>
void append_list(std::string& text, const char* key, const Numbers& numbers, Eigen::Index first, Eigen::Index count) {
  text += std::string(",\"") + key + "\":[";
  for (Eigen::Index i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    append_number(text, numbers[static_cast<std::size_t>(first + i)]);
  }
  text += ']';
}

void append_text(std::string& text, const char* key, std::string_view value) {
  text += std::string(",\"") + key + "\":\"";
  text += value;  // names of enumerations, and frames that Json quoted
  text += '"';
}

class CdrText {
 public:
  CdrText() : bytes_({'\0', '\1', '\0', '\0'}) {}
  void align(std::size_t size) {
    while ((bytes_.size() - 4) % size != 0) bytes_ += '\0';
  }
  template <class Number>
  void number(Number value) {
    align(sizeof(value));
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(value));
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size() + 1));
    bytes_ += value;
    bytes_ += '\0';
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::vector<WrenchMessage> LiveEstimator::messages(const LiveBlock& block, WrenchEncoding encoding, bool silent) const {
  const LiveColumns& columns = this->columns();
  const double late = silent ? -kInfinity : options().late;
  const std::string_view sign = to_string(block.sign);
  std::vector<WrenchMessage> messages;
  for (Eigen::Index i = 0; i < block.columns.rows(); ++i) {
    const SampleRow row = block.columns.row(i);
    std::string text;
    bool stop = false;
    if (encoding == WrenchEncoding::json) {
      text = "{\"index\":" + std::to_string(block.first + i) + ",\"time\":";
      append_number(text, row[L::kTime]);
      text += ",\"received\":";
      append_number(text, row[L::kReceived]);
      text += ",\"held_off\":" + std::string(row[L::kHeldOff] != 0.0 ? "true" : "false") + ",\"late_by\":";
      append_number(text, row[L::kLateBy]);
      text += ",\"endpoints\":[";
    }
    for (Eigen::Index k = 0; k < columns.endpoints; ++k) {
      const Said said = said_of(row, columns, k, late);
      const std::string& frame = endpoints()[static_cast<std::size_t>(k)];
      const auto at = row.segment<L::kOfEndpoint>(columns.endpoint(k));
      stop = stop || at[L::kStop] != 0.0;
      if (encoding == WrenchEncoding::wrench_stamped) {
        CdrText cdr;
        const double time = std::isfinite(row[L::kTime]) ? row[L::kTime] : 0.0, whole = std::floor(time);
        cdr.number(static_cast<std::int32_t>(std::clamp(whole, -2147483648.0, 2147483647.0)));
        cdr.number(static_cast<std::uint32_t>(std::clamp(std::round(1e9 * (time - whole)), 0.0, 999999999.0)));
        cdr.text(frame + " world_aligned " + std::string(sign) + " " + std::string(to_string(said.state)));
        for (const double number : said.wrench) cdr.number(number);
        messages.push_back({"wrench/" + frame, cdr.take()});
        continue;
      }
      if (k > 0) text += ',';
      text += "{\"endpoint\":" + Json(frame).dump(-1);
      append_text(text, "frame", "world_aligned");
      append_text(text, "sign", sign);
      append_text(text, "state", to_string(said.state));
      append_text(text, "verdict", to_string(said.verdict));
      append_text(text, "action", to_string(said.action));
      append_text(text, "reasons", said.reasons.text());
      append_list(text, "force", said.wrench, 0, 3);
      append_list(text, "torque", said.wrench, 3, 3);
      append_list(text, "estimated_force", at, L::kWrench, 3);
      append_list(text, "estimated_torque", at, L::kWrench + 3, 3);
      append_list(text, "sd", at, L::kSd, 6);
      text += '}';
    }
    if (encoding != WrenchEncoding::json) continue;
    text += "],\"stop_requested\":" + std::string(stop ? "true" : "false") + "}";
    messages.push_back({"wrench", std::move(text)});
  }
  return messages;
}

}  // namespace antaeus
