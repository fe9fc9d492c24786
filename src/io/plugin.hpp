#pragma once
// Libraries of our own that are loaded when they are first needed, because of the weight of what they link.
#include <string>

namespace antaeus {

/// Opens a plugin: beside libantaeus.so first, so that an installation never picks up the plugin of another one. It is
/// never closed. \throws Error that says why \p subject cannot be loaded
void* open_plugin(const char* file, const std::string& subject, const char* remedy);
/// A function of it; null where the plugin is of another version.
void* plugin_function(void* plugin, const char* name) noexcept;

}  // namespace antaeus
