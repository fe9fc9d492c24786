#pragma once
// How the verb ik, of the component motion, asks the component studies for a clip.
#include <string>

namespace antaeus {
class Settings;
struct IkResult;
struct IkTrace;
}  // namespace antaeus

namespace antaeus::cli {

/// Without a result: whether this machine can make a clip, told by what is thrown.
struct IkClipCall {
  const Settings* settings = nullptr;
  const IkResult* result = nullptr;
  const IkTrace* trace = nullptr;  ///< null: the answers are shown
  std::string* mp4 = nullptr;
  std::string* told = nullptr;
};
/// What libantaeus_studies_verbs.so exports as antaeus_ik_clip_1.
using IkClipFunction = void(const IkClipCall& call);

}  // namespace antaeus::cli
