#pragma once
// What `antaeus simulate` and `antaeus space` tell and write of a run.
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/settings.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "studies/experiment.hpp"

namespace antaeus::cli {

/// The runs that a verb has, each with one sentence.
struct RunList {
  std::string verb;   ///< "simulate"
  std::string title;  ///< "Experiments"; in small letters the key of its JSON
  std::string head;   ///< of the sentences' column
  std::vector<std::string> names;
  std::string (*summary)(std::string_view name);

  std::string table() const;
  /// Prints it, as JSON where wanted.
  int print_list(bool json) const;
};

/// Prints the story of a run or its JSON, writes its files, and gives the exit code.
int deliver_experiment(const ExperimentResult& result, const Settings& settings, bool clip, const Delivery& delivery);

}  // namespace antaeus::cli
