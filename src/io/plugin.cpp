#include "io/plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

std::filesystem::path own_folder() {
  Dl_info info{};
  const bool is_found = ::dladdr(reinterpret_cast<const void*>(&own_folder), &info) != 0 && info.dli_fname;
  return is_found ? std::filesystem::path(info.dli_fname).parent_path() : std::filesystem::path();
}

/// Where a plugin may lie: beside the library, and in lib/ beside bin/.
std::array<std::filesystem::path, 2> places_of(const char* file) {
  const std::filesystem::path folder = own_folder();
  if (folder.empty()) return {};
  return {folder / file, folder.parent_path() / "lib" / file};
}

bool is_file(const std::filesystem::path& path) {
  std::error_code absent;
  return !path.empty() && std::filesystem::exists(path, absent);
}

std::string last_loader_message() {
  const char* const message = ::dlerror();
  return message ? message : "unknown reason";
}

}  // namespace

void* open_plugin(const char* file, const std::string& subject, const char* remedy, const char* extra) {
  void* library = nullptr;
  std::string reason;
  for (const std::filesystem::path& beside : places_of(file)) {
    if (library || !is_file(beside)) continue;
    library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library && reason.empty()) reason = last_loader_message();
  }
  if (!library) library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const bool lacks_others = extra && !reason.empty();  // the plugin is there, what it stands on is not
    if (reason.empty()) reason = last_loader_message();
    throw Error(file, subject + " cannot be loaded (" + reason + ")",
                lacks_others ? std::string("install its dependencies: pip install 'antaeus[") + extra + "]'" : remedy);
  }
  return library;
}

bool plugin_is_built(const char* file) { return std::ranges::any_of(places_of(file), is_file); }

void* plugin_function(void* plugin, const char* name) noexcept { return ::dlsym(plugin, name); }

}  // namespace antaeus
