#pragma once
/// \file
/// A run of inverse kinematics in words: questions and their answers, for a page and a terminal.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/ik/ik_run.hpp"

namespace antaeus {

struct IkStatement {
  std::string lead;    ///< the words that matter; may be empty
  std::string text;    ///< what follows them
  int target = -1;     ///< that it is about; negative: about all
  bool quiet = false;  ///< a note
};
struct IkAnswer {
  std::string question;
  std::vector<IkStatement> statements;
};

/// "1000 targets, each for itself; position and orientation; default method; 7 joints."
ANTAEUS_API std::string ik_subtitle(const IkResult& result);
/// Are the targets reached, why not the others, does the path jump, and what a reader must know.
ANTAEUS_API std::vector<IkAnswer> ik_story(const IkResult& result);
/// "blocked by limits".
ANTAEUS_API std::string in_words(ReachStatus status);

}  // namespace antaeus
