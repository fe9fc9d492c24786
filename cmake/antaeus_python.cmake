# antaeus_python_package(): the Python package of python/, ready to import from <output>/python.
#   input    ANTAEUS_SITE_PACKAGES       site-packages of the environment that holds nanobind
#   output   <output>/python/antaeus/    the package, its extension module and its typed stubs
#            ANTAEUS_PYTHON              the environment's interpreter
#            ANTAEUS_PYTHON_PATH         what goes on its path
set(ANTAEUS_PYTHON ${ANTAEUS_SITE_PACKAGES}/../../../bin/python)
set(ANTAEUS_PYTHON_PATH ${ANTAEUS_OUTPUT_DIR}/python)
function(antaeus_python_package)
  set(Python_EXECUTABLE ${ANTAEUS_PYTHON})
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module REQUIRED)
  find_package(nanobind 3.1 CONFIG REQUIRED PATHS ${ANTAEUS_SITE_PACKAGES}/nanobind/cmake NO_DEFAULT_PATH)
  set(source ${CMAKE_SOURCE_DIR}/python)
  set(package ${ANTAEUS_PYTHON_PATH}/antaeus)

  file(GLOB bindings CONFIGURE_DEPENDS ${source}/bindings/*.cpp)
  nanobind_add_module(antaeus_extension NB_SUPPRESS_WARNINGS ${bindings})
  target_link_libraries(antaeus_extension PRIVATE antaeus_all antaeus_flags)
  antaeus_paces(antaeus_extension HIDDEN PREFIX ${ANTAEUS_PREFIX} <nanobind/nanobind.h> <nanobind/ndarray.h>
    <nanobind/stl/filesystem.h> <nanobind/stl/optional.h> <nanobind/stl/string.h> <nanobind/stl/string_view.h>
    <nanobind/stl/vector.h>)
  antaeus_batches(antaeus_extension 6)
  target_compile_definitions(antaeus_extension PRIVATE ANTAEUS_VERSION="${PROJECT_VERSION}")
  # Beside bin/ and lib/: the tree can be moved as a whole.
  set_target_properties(antaeus_extension PROPERTIES OUTPUT_NAME _antaeus LIBRARY_OUTPUT_DIRECTORY ${package}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../../lib")

  file(GLOB files RELATIVE ${source} CONFIGURE_DEPENDS ${source}/antaeus/*.py ${source}/antaeus/py.typed)
  set(copies "")
  foreach(file ${files})
    add_custom_command(OUTPUT ${ANTAEUS_PYTHON_PATH}/${file} DEPENDS ${source}/${file}
      COMMAND ${CMAKE_COMMAND} -E copy ${source}/${file} ${ANTAEUS_PYTHON_PATH}/${file} VERBATIM)
    list(APPEND copies ${ANTAEUS_PYTHON_PATH}/${file})
  endforeach()
  # The package's stub has all names; those of its submodules, one a room that antaeus.cpp names, import from it. What
  # stands in a file of its own has its types in its text.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/bindings/antaeus.cpp)
  file(STRINGS ${source}/bindings/antaeus.cpp rooms REGEX "bind_room\\(\"[a-z]+\"")
  list(TRANSFORM rooms REPLACE "^.*bind_room\\(\"([a-z]+)\".*$" "${package}/\\1.pyi")
  set(stubs ${package}/__init__.pyi ${rooms})
  nanobind_add_stub(antaeus_stub MODULE antaeus RECURSIVE PYTHON_PATH ${ANTAEUS_PYTHON_PATH} OUTPUT ${stubs}
    OUTPUT_PATH ${package} PATTERN_FILE ${source}/stub_patterns.txt DEPENDS antaeus_extension ${copies})
  add_custom_target(antaeus_python ALL DEPENDS antaeus_stub)
endfunction()
