# MuJoCo out of the mujoco wheel, which brings headers and the library but no CMake configuration; where there is no such
# wheel (conda, a build of one's own), by MuJoCo's own CMake package.
#   input    ANTAEUS_SITE_PACKAGES       site-packages of the environment that holds mujoco
#   targets  antaeus::mujoco_wheel       headers and library
#   output   ANTAEUS_MUJOCO_LIBRARY_DIR  folder of the library, for an RPATH; MujocoWheel_VERSION
set(mujoco_wheel_root "${ANTAEUS_SITE_PACKAGES}/mujoco")
find_path(ANTAEUS_MUJOCO_INCLUDE_DIR mujoco/mujoco.h PATHS "${mujoco_wheel_root}/include" NO_DEFAULT_PATH)
unset(MujocoWheel_VERSION)
if(ANTAEUS_MUJOCO_INCLUDE_DIR)
  file(STRINGS "${ANTAEUS_MUJOCO_INCLUDE_DIR}/mujoco/mujoco.h" mujoco_wheel_header REGEX "#define mjVERSION_HEADER")
  string(REGEX REPLACE ".* ([0-9]+).*" "\\1" mujoco_wheel_header "${mujoco_wheel_header}")  # 4001002 is 4.1.2
  math(EXPR mujoco_wheel_major "${mujoco_wheel_header} / 1000000")
  math(EXPR mujoco_wheel_minor "${mujoco_wheel_header} / 1000 % 1000")
  math(EXPR mujoco_wheel_patch "${mujoco_wheel_header} % 1000")
  set(MujocoWheel_VERSION ${mujoco_wheel_major}.${mujoco_wheel_minor}.${mujoco_wheel_patch})
  # The wheel has no unversioned link: the name with the version is the only one.
  find_file(ANTAEUS_MUJOCO_LIBRARY libmujoco.so.${MujocoWheel_VERSION} PATHS "${mujoco_wheel_root}" NO_DEFAULT_PATH)
endif()

if(NOT ANTAEUS_MUJOCO_INCLUDE_DIR)
  find_package(mujoco ${MujocoWheel_FIND_VERSION} CONFIG QUIET)
  if(TARGET mujoco::mujoco)
    if(NOT TARGET antaeus::mujoco_wheel)
      add_library(antaeus::mujoco_wheel INTERFACE IMPORTED)
      target_link_libraries(antaeus::mujoco_wheel INTERFACE mujoco::mujoco)
    endif()
    set(MujocoWheel_VERSION ${mujoco_VERSION})
    set(MujocoWheel_FOUND TRUE)
    return()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MujocoWheel
  REQUIRED_VARS ANTAEUS_MUJOCO_LIBRARY ANTAEUS_MUJOCO_INCLUDE_DIR
  VERSION_VAR MujocoWheel_VERSION
  REASON_FAILURE_MESSAGE "ANTAEUS_SITE_PACKAGES must name a site-packages folder with the mujoco wheel")
mark_as_advanced(ANTAEUS_MUJOCO_INCLUDE_DIR ANTAEUS_MUJOCO_LIBRARY)

if(MujocoWheel_FOUND)
  get_filename_component(ANTAEUS_MUJOCO_LIBRARY_DIR "${ANTAEUS_MUJOCO_LIBRARY}" DIRECTORY)
  if(NOT TARGET antaeus::mujoco_wheel)
    add_library(antaeus::mujoco_wheel SHARED IMPORTED)
    set_target_properties(antaeus::mujoco_wheel PROPERTIES IMPORTED_LOCATION "${ANTAEUS_MUJOCO_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${ANTAEUS_MUJOCO_INCLUDE_DIR}")
  endif()
endif()
