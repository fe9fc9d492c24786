#pragma once
// Libraries of our own that are loaded when they are first needed, because of the weight of what they link.
#include <string>

#include "antaeus/core/api.hpp"

namespace antaeus {

// Exported for the components and the command line, which have plugins of their own.

/// Opens a plugin: beside libantaeus.so first, so that an installation never picks up the plugin of another one. It is
/// never closed. \throws Error that says why \p subject cannot be loaded
/// \param remedy  where the plugin is not there
/// \param extra   of the Python package, which brings what the plugin stands on; null: none does
ANTAEUS_API void* open_plugin(const char* file, const std::string& subject, const char* remedy,
                              const char* extra = nullptr);
/// Whether a plugin lies where it is opened from, so that a message can tell "not built" from "broken".
ANTAEUS_API bool plugin_is_built(const char* file);
/// A function of it; null where the plugin is of another version.
ANTAEUS_API void* plugin_function(void* plugin, const char* name) noexcept;

}  // namespace antaeus
