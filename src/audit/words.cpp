// Numbers, names and signs as people read them.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus {

std::string sign_in_words(Sign sign) {
  return sign == Sign::on_robot ? "the surroundings' force on the robot" : "the robot's force on its surroundings";
}

std::string axis_name(int axis) { return std::string("F") + static_cast<char>('x' + axis); }

namespace detail {

std::string number_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  if (std::abs(value) >= 1e63) return shortest_text(value);  // longer than a line
  const std::string text = without_end_zeros(fixed_text(value, display_digits(value)));
  return text == "-0" ? "0" : text;
}

std::string step_text(const Audit& audit, Eigen::Index step) {
  std::string text = "step " + std::to_string(step);
  const VectorX& time = audit.audited.reconstruction.time;
  const Eigen::Index row = row_of(audit, step);
  if (row >= 0 && row < time.size() && std::isfinite(time[row])) {
    text += " (" + fixed_text(time[row], 3) + " s)";
  }
  return text;
}

std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string reasons_in_words(Reasons reasons) {
  std::string words;
  for (const char c : reasons.text()) words += c == ' ' ? ", " : c == '_' ? " " : std::string(1, c);
  return words;
}

std::string guard_title(SingleGuard guard) {
  switch (guard) {
    case SingleGuard::watchdog: return "watchdog";
    case SingleGuard::condition: return "condition number";
    case SingleGuard::reference_dominance: return "reference dominance, per joint (the report's code)";
    case SingleGuard::reference_dominance_formula: return "reference dominance, formula";
    case SingleGuard::clamp: return "clamp of each component";
    case SingleGuard::norm_clamp: break;
  }
  return "clamp of the norm";
}

std::string estimator_word(const Audit& audit) { return audit.has_deployed ? "deployed estimator" : "plain estimator"; }
std::string as_deployed(const Audit& audit) { return audit.has_deployed ? "as deployed" : "by the plain estimator"; }
std::string deployed_word(const Audit& audit) { return audit.has_deployed ? "deployed" : "plain"; }
std::string reader_word(const Audit& audit) { return audit.has_deployed ? "consumer" : "controller"; }

int largest_component(const EstimateSeries& series, Eigen::Index row) {
  int axis = kFz;
  for (int c = 0; c < 3 && row >= 0 && row < series.wrench.rows(); ++c) {
    if (std::abs(series.wrench(row, c)) > std::abs(series.wrench(row, axis))) axis = c;
  }
  return axis;
}

}  // namespace detail

}  // namespace antaeus
