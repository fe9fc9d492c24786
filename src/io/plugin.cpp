#include "io/plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

std::filesystem::path own_folder() {
  Dl_info info{};
  const bool is_found = ::dladdr(reinterpret_cast<const void*>(&own_folder), &info) != 0 && info.dli_fname;
  return is_found ? std::filesystem::path(info.dli_fname).parent_path() : std::filesystem::path();
}

std::string last_loader_message() {
  const char* const message = ::dlerror();
  return message ? message : "unknown reason";
}

}  // namespace

void* open_plugin(const char* file, const std::string& subject, const char* remedy) {
  const std::filesystem::path folder = own_folder();
  void* library = nullptr;
  std::string reason;
  for (const std::filesystem::path& beside : {folder / file, folder.parent_path() / "lib" / file}) {
    std::error_code absent;
    if (library || folder.empty() || !std::filesystem::exists(beside, absent)) continue;
    library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library && reason.empty()) reason = last_loader_message();
  }
  if (!library) library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    if (reason.empty()) reason = last_loader_message();
    throw Error(file, subject + " cannot be loaded (" + reason + ")", remedy);
  }
  return library;
}

void* plugin_function(void* plugin, const char* name) noexcept { return ::dlsym(plugin, name); }

}  // namespace antaeus
