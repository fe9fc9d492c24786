#pragma once
// A bound on how deep a TOML text nests, before a parser that recurses sees it.

#include <string>
#include <string_view>

namespace antaeus {

/// Dotted names, tables, inline tables and lists count together. \throws ModelError "file:line: …" beyond 64 levels
void check_toml_nesting(std::string_view text, const std::string& file);

}  // namespace antaeus
