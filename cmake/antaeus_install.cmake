# What `cmake --install` lays down, and what find_package(antaeus) reads. Components of the installation:
#   runtime       lib/libantaeus*.so, bin/antaeus, share/antaeus/robots
#   development   include/antaeus, lib/cmake/antaeus
#   python        the package antaeus (cmake/antaeus_python.cmake)
#   reference     share/antaeus/docs: the pages that messages, options and files point to as docs/…
# A wheel is this tree in the package's folder site-packages/antaeus; there, and wherever else ANTAEUS_BESIDE_WHEELS is ON,
# libraries of other wheels are found by their place beside it, and nothing of them is copied.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Folder of the libraries below the prefix; share/ is found beside it")
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
option(ANTAEUS_BESIDE_WHEELS "Installed libraries find Pinocchio in a cmeel.prefix beside the prefix" ${SKBUILD})

# antaeus_rpath(<target> [<folder in site-packages>...]): where the target's libraries are found once it is installed.
function(antaeus_rpath target)
  set(others cmeel.prefix/lib ${ARGN})
  if(ANTAEUS_BESIDE_WHEELS)
    list(TRANSFORM others PREPEND "$ORIGIN/../../")
    # Pinocchio's and Coal's libraries carry no version in their names: LD_LIBRARY_PATH, as a sourced ROS workspace sets
    # it, must not bring older ones. A RUNPATH is looked at after it, an RPATH before.
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
  else()
    # Wheels in build/venv count as part of the project, which INSTALL_RPATH_USE_LINK_PATH passes over.
    list(TRANSFORM others PREPEND "${ANTAEUS_SITE_PACKAGES}/")
    if(NOT ANTAEUS_SITE_PACKAGES)
      set(others "")
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${others}")
endfunction()

function(antaeus_install_rules)
  if(NOT ANTAEUS_INSTALL)
    return()
  endif()
  set(config ${CMAKE_INSTALL_LIBDIR}/cmake/antaeus)
  install(TARGETS antaeus antaeus_motion antaeus_sim EXPORT antaeusTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_SKIP)  # a wheel has no links
  install(TARGETS antaeus_studies LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_SKIP)
  foreach(plugin antaeus_parquet antaeus_meshes antaeus_mujoco antaeus_motion_verbs antaeus_studies_verbs)
    if(TARGET ${plugin})
      install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
    endif()
  endforeach()
  if(TARGET antaeus_cli)
    install(TARGETS antaeus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/robots DESTINATION ${CMAKE_INSTALL_DATADIR}/antaeus COMPONENT runtime
    FILES_MATCHING PATTERN "*.toml" PATTERN "*.urdf" PATTERN "*.xml")

  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/antaeus COMPONENT reference
    FILES_MATCHING PATTERN "*.md" PATTERN "decisions" EXCLUDE PATTERN "figures" EXCLUDE)

  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/antaeus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(EXPORT antaeusTargets NAMESPACE antaeus:: DESTINATION ${config} COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/antaeusConfig.cmake.in ${PROJECT_BINARY_DIR}/antaeusConfig.cmake
    INSTALL_DESTINATION ${config} NO_SET_AND_CHECK_MACRO)
  # Before 1.0 a minor version may take names away (CONTRIBUTING.md, "Renaming and deprecation").
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/antaeusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/antaeusConfig.cmake ${PROJECT_BINARY_DIR}/antaeusConfigVersion.cmake
    DESTINATION ${config} COMPONENT development)
  # Ours, and those of what is compiled or bundled into the libraries, as they lie on this machine.
  set(licences ${CMAKE_INSTALL_DATADIR}/antaeus/licences)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${licences} RENAME antaeus.txt COMPONENT runtime)
  foreach(pair CLI11=/usr/share/doc/libcli11-dev/copyright tomlplusplus=/usr/share/doc/libtomlplusplus-dev/copyright
      three=${PROJECT_SOURCE_DIR}/build/viewer/node_modules/three/LICENSE
      uplot=${PROJECT_SOURCE_DIR}/build/viewer/node_modules/uplot/LICENSE)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 file)
    install(FILES ${file} DESTINATION ${licences} RENAME ${name}.txt COMPONENT runtime OPTIONAL)
  endforeach()
  file(GLOB nanobind_licence ${ANTAEUS_SITE_PACKAGES}/nanobind-*.dist-info/licenses/LICENSE ${ANTAEUS_SITE_PACKAGES}/nanobind-*.dist-info/LICENSE)
  # That of its table stands at the head of a header.
  set(map_header ${ANTAEUS_NANOBIND}/../ext/robin_map/include/tsl/robin_map.h)
  if(EXISTS ${map_header})
    file(STRINGS ${map_header} map_licence LIMIT_COUNT 23)
    list(JOIN map_licence "\n" map_licence)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/robin_map.txt CONTENT "${map_licence}\n" @ONLY)
  endif()
  install(FILES ${nanobind_licence} DESTINATION ${licences} RENAME nanobind.txt COMPONENT python OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/robin_map.txt DESTINATION ${licences} COMPONENT python OPTIONAL)
endfunction()

# antaeus_package_over(<prefix>): the Python package of another interpreter, over an installed tree.
function(antaeus_package_over prefix)
  find_package(antaeus CONFIG REQUIRED COMPONENTS motion sim PATHS ${prefix} NO_DEFAULT_PATH)
  add_library(antaeus_all INTERFACE)
  target_include_directories(antaeus_all INTERFACE ${PROJECT_SOURCE_DIR})
  target_link_libraries(antaeus_all INTERFACE antaeus::antaeus antaeus::motion antaeus::sim
    ${prefix}/${CMAKE_INSTALL_LIBDIR}/libantaeus_studies.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  include(antaeus_compiler)
  antaeus_python_extension()
  install(DIRECTORY ${prefix}/ DESTINATION . COMPONENT runtime USE_SOURCE_PERMISSIONS PATTERN "_antaeus.*" EXCLUDE)
endfunction()
