#include "log_files.hpp"

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace fs = std::filesystem;

bool is_log_folder(const fs::path& path, const std::string& forms) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (error && status.type() != fs::file_type::not_found) {
    throw EpisodeError(path.string(), "cannot be read (" + error.message() + ")", "check its permissions");
  }
  if (status.type() == fs::file_type::not_found) {
    std::vector<std::string> beside;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      beside.push_back(entry->path().filename().string());
    }
    const std::string nearest = nearest_name(path.filename().string(), beside);
    throw EpisodeError(path.string(), "no such episode",
                       nearest.empty() ? "give " + forms : "did you mean '" + nearest + "'?");
  }
  return status.type() == fs::file_type::directory;
}

std::string log_name(const fs::path& path) {
  std::error_code no_working_directory;
  fs::path clean = fs::absolute(path, no_working_directory).lexically_normal();
  if (no_working_directory) clean = path.lexically_normal();
  return printable((clean.has_filename() ? clean : clean.parent_path()).filename().string());
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace antaeus
