# antaeus_python_package(): the Python package of python/, ready to import from <output>/python, and its installation.
#   input    ANTAEUS_SITE_PACKAGES       site-packages of the environment that holds nanobind
#            Python_EXECUTABLE           the interpreter it is for; default: that environment's
#   output   <output>/python/antaeus/    the package, its extension module and its typed stubs
#            ANTAEUS_PYTHON              the interpreter
#            ANTAEUS_PYTHON_PATH         what goes on its path
# antaeus_python_extension(): its extension module alone, and the installation of that.
# From Python 3.12 on the module keeps to the stable ABI: one file for all later ones.
set(ANTAEUS_PYTHON ${ANTAEUS_SITE_PACKAGES}/../../../bin/python)
if(SKBUILD OR (Python_EXECUTABLE AND NOT ANTAEUS_SITE_PACKAGES))
  set(ANTAEUS_PYTHON ${Python_EXECUTABLE})
endif()
set(ANTAEUS_PYTHON_PATH ${ANTAEUS_OUTPUT_DIR}/python)

macro(antaeus_python_extension)
  set(Python_EXECUTABLE ${ANTAEUS_PYTHON})
  # Without SABIModule nanobind drops STABLE_ABI and says nothing.
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
  find_package(nanobind 3.1 CONFIG REQUIRED PATHS ${ANTAEUS_NANOBIND} NO_DEFAULT_PATH)
  if(Python_VERSION VERSION_GREATER_EQUAL 3.12 AND NOT TARGET Python::SABIModule)
    message(FATAL_ERROR "the headers of ${Python_EXECUTABLE} do not serve the stable ABI; install its development package")
  endif()
  file(GLOB bindings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp)
  nanobind_add_module(antaeus_extension STABLE_ABI NB_SUPPRESS_WARNINGS ${bindings})
  target_link_libraries(antaeus_extension PRIVATE antaeus_all antaeus_flags)
  antaeus_paces(antaeus_extension HIDDEN PREFIX ${ANTAEUS_PREFIX} <nanobind/nanobind.h> <nanobind/ndarray.h>
    <nanobind/stl/filesystem.h> <nanobind/stl/optional.h> <nanobind/stl/string.h> <nanobind/stl/string_view.h>
    <nanobind/stl/vector.h>)
  antaeus_batches(antaeus_extension 6)
  target_compile_definitions(antaeus_extension PRIVATE ANTAEUS_VERSION="${PROJECT_VERSION}")
  # In a wheel the libraries lie within the package; below a prefix the package lies in theirs.
  if(SKBUILD)
    set(ANTAEUS_PACKAGE_FOLDER .)
    set_target_properties(antaeus_extension PROPERTIES INSTALL_RPATH "$ORIGIN/${CMAKE_INSTALL_LIBDIR}")
  else()
    set(ANTAEUS_PACKAGE_FOLDER
      ${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages/antaeus)
    set_target_properties(antaeus_extension PROPERTIES INSTALL_RPATH "$ORIGIN/../../.." INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set_target_properties(antaeus_extension PROPERTIES OUTPUT_NAME _antaeus)
  if(ANTAEUS_INSTALL)
    install(TARGETS antaeus_extension LIBRARY DESTINATION ${ANTAEUS_PACKAGE_FOLDER} COMPONENT python)
  endif()
endmacro()

function(antaeus_python_package)
  antaeus_python_extension()
  set(source ${PROJECT_SOURCE_DIR}/python)
  set(package ${ANTAEUS_PYTHON_PATH}/antaeus)
  # Beside bin/ and lib/: the tree can be moved as a whole.
  set_target_properties(antaeus_extension PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package} BUILD_RPATH "$ORIGIN/../../lib")

  file(GLOB files RELATIVE ${source} CONFIGURE_DEPENDS ${source}/antaeus/*.py ${source}/antaeus/formats/*.py
    ${source}/antaeus/fleet/*.py ${source}/antaeus/fleet/engines/*.py
    ${source}/antaeus/live/*.py ${source}/antaeus/live/sources/*.py ${source}/antaeus/live/sinks/*.py
    ${source}/antaeus/py.typed)
  set(copies "")
  foreach(file ${files})
    add_custom_command(OUTPUT ${ANTAEUS_PYTHON_PATH}/${file} DEPENDS ${source}/${file}
      COMMAND ${CMAKE_COMMAND} -E copy ${source}/${file} ${ANTAEUS_PYTHON_PATH}/${file} VERBATIM)
    list(APPEND copies ${ANTAEUS_PYTHON_PATH}/${file})
  endforeach()
  # The live page's script and style, bundled with the report's viewer.
  set(web "")
  foreach(file ${ANTAEUS_LIVE_VIEWER})
    cmake_path(GET file FILENAME name)
    list(APPEND web ${package}/live/web/${name})
    add_custom_command(OUTPUT ${package}/live/web/${name} DEPENDS ${file}
      COMMAND ${CMAKE_COMMAND} -E copy ${file} ${package}/live/web/${name} VERBATIM)
  endforeach()
  list(APPEND copies ${web})
  # The package's stub has all names; those of its submodules, one a room that antaeus.cpp names, import from it. What
  # stands in a file of its own has its types in its text.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/bindings/antaeus.cpp)
  file(READ ${source}/bindings/antaeus.cpp rooms)
  string(REGEX MATCHALL "bind_room\\([ \n]*\"[a-z]+\"" rooms "${rooms}")
  list(TRANSFORM rooms REPLACE "^.*\"([a-z]+)\"$" "${package}/\\1.pyi")
  set(stubs ${package}/__init__.pyi ${rooms})
  nanobind_add_stub(antaeus_stub MODULE antaeus RECURSIVE PYTHON_PATH ${ANTAEUS_PYTHON_PATH} OUTPUT ${stubs}
    OUTPUT_PATH ${package} PATTERN_FILE ${source}/stub_patterns.txt DEPENDS antaeus_extension ${copies})
  add_custom_target(antaeus_python ALL DEPENDS antaeus_stub)
  if(ANTAEUS_INSTALL)
    install(FILES ${stubs} DESTINATION ${ANTAEUS_PACKAGE_FOLDER} COMPONENT python)
    install(FILES ${web} DESTINATION ${ANTAEUS_PACKAGE_FOLDER}/live/web COMPONENT python)
    foreach(file ${files})
      cmake_path(GET file PARENT_PATH folder)
      string(REGEX REPLACE "^antaeus" "${ANTAEUS_PACKAGE_FOLDER}" folder "${folder}")
      install(FILES ${ANTAEUS_PYTHON_PATH}/${file} DESTINATION ${folder} COMPONENT python)
    endforeach()
  endif()
endfunction()
