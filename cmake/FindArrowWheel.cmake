# Arrow and Parquet C++ out of the pyarrow wheel, which brings headers and libraries but no CMake configuration; where
# there is no such wheel (conda, a distribution), by Arrow's own CMake packages.
#   input    ANTAEUS_SITE_PACKAGES      site-packages of the environment that holds pyarrow
#   targets  antaeus::arrow_wheel       headers and both libraries; also antaeus::arrow, antaeus::parquet
#   output   ANTAEUS_ARROW_LIBRARY_DIR  folder of the libraries, for an RPATH; ArrowWheel_VERSION
set(arrow_wheel_root "${ANTAEUS_SITE_PACKAGES}/pyarrow")
find_path(ANTAEUS_ARROW_INCLUDE_DIR arrow/api.h PATHS "${arrow_wheel_root}/include" NO_DEFAULT_PATH)
unset(ArrowWheel_VERSION)
if(ANTAEUS_ARROW_INCLUDE_DIR)
  file(STRINGS "${ANTAEUS_ARROW_INCLUDE_DIR}/arrow/util/config.h" arrow_wheel_version REGEX "ARROW_VERSION_STRING")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" ArrowWheel_VERSION "${arrow_wheel_version}")
  file(STRINGS "${ANTAEUS_ARROW_INCLUDE_DIR}/arrow/util/config.h" arrow_wheel_abi REGEX "ARROW_SO_VERSION")
  string(REGEX REPLACE ".*\"([0-9]+)\".*" "\\1" arrow_wheel_abi "${arrow_wheel_abi}")
  # The wheel has no unversioned links: the name with the version is the only one.
  foreach(stem arrow parquet)
    string(TOUPPER ${stem} upper)
    find_file(ANTAEUS_${upper}_LIBRARY lib${stem}.so.${arrow_wheel_abi} PATHS "${arrow_wheel_root}" NO_DEFAULT_PATH)
  endforeach()
endif()

if(NOT ANTAEUS_ARROW_INCLUDE_DIR)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
    if(NOT TARGET antaeus::arrow_wheel)
      add_library(antaeus::arrow_wheel INTERFACE IMPORTED)
      target_link_libraries(antaeus::arrow_wheel INTERFACE Parquet::parquet_shared Arrow::arrow_shared)
    endif()
    set(ArrowWheel_VERSION ${Arrow_VERSION})
    set(ArrowWheel_FOUND TRUE)
    return()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel
  REQUIRED_VARS ANTAEUS_ARROW_LIBRARY ANTAEUS_PARQUET_LIBRARY ANTAEUS_ARROW_INCLUDE_DIR
  VERSION_VAR ArrowWheel_VERSION
  REASON_FAILURE_MESSAGE "ANTAEUS_SITE_PACKAGES must name a site-packages folder with the pyarrow wheel")
mark_as_advanced(ANTAEUS_ARROW_INCLUDE_DIR ANTAEUS_ARROW_LIBRARY ANTAEUS_PARQUET_LIBRARY)

if(ArrowWheel_FOUND)
  get_filename_component(ANTAEUS_ARROW_LIBRARY_DIR "${ANTAEUS_ARROW_LIBRARY}" DIRECTORY)
  if(NOT TARGET antaeus::arrow_wheel)
    foreach(stem arrow parquet)
      string(TOUPPER ${stem} upper)
      add_library(antaeus::${stem} SHARED IMPORTED)
      set_target_properties(antaeus::${stem} PROPERTIES IMPORTED_LOCATION "${ANTAEUS_${upper}_LIBRARY}")
    endforeach()
    add_library(antaeus::arrow_wheel INTERFACE IMPORTED)
    target_include_directories(antaeus::arrow_wheel SYSTEM INTERFACE "${ANTAEUS_ARROW_INCLUDE_DIR}")
    target_link_libraries(antaeus::arrow_wheel INTERFACE antaeus::parquet antaeus::arrow)
  endif()
endif()
