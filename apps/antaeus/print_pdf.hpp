#pragma once
// A page printed by the Chromium of this machine.
#include <string>
#include <string_view>

namespace antaeus::cli {

/// Path of the browser: CHROMIUM, else the first of chromium, chromium-browser, google-chrome on the PATH.
/// \throws OptionsError when there is none
std::string find_chromium();
/// The page as PDF bytes; the date in them is fixed. \throws Error when the browser fails or takes over two minutes
std::string print_pdf(const std::string& chromium, std::string_view html);

}  // namespace antaeus::cli
