# The header of nlohmann-json out of its wheel, which brings no CMake configuration.
#   input   ANTAEUS_SITE_PACKAGES   site-packages of the environment that holds nlohmann-json
#   target  antaeus::nlohmann_json
find_path(ANTAEUS_NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp
  PATHS "${ANTAEUS_SITE_PACKAGES}/nlohmann_json/include" NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NlohmannJsonWheel
  REQUIRED_VARS ANTAEUS_NLOHMANN_JSON_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "ANTAEUS_SITE_PACKAGES must name a site-packages folder with the nlohmann-json wheel")
mark_as_advanced(ANTAEUS_NLOHMANN_JSON_INCLUDE_DIR)

if(NlohmannJsonWheel_FOUND AND NOT TARGET antaeus::nlohmann_json)
  add_library(antaeus::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(antaeus::nlohmann_json SYSTEM INTERFACE "${ANTAEUS_NLOHMANN_JSON_INCLUDE_DIR}")
endif()
