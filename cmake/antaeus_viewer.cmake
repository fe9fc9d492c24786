# antaeus_embed_viewer(<target>): bundles viewer/ with the machine's Node.js and compiles the result into the target. Inside
# another project without Node.js the pages say that they have no views.
#   input    viewer/**   package-lock.json pins every package; nothing is written into the source tree
#   output   build/viewer/dist/viewer_bundle.cpp, made again when a source of the viewer changes
#            ANTAEUS_LIVE_VIEWER   files of the live page, made with it, which the Python package serves; empty without Node.js
function(antaeus_embed_viewer target)
  find_program(ANTAEUS_NPM npm)
  if(NOT ANTAEUS_NPM AND PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "npm is not on the PATH; it bundles the report's viewer. `make demo` and `make test` bring it when it is missing")
  elseif(NOT ANTAEUS_NPM)
    message(STATUS "antaeus: npm is not on the PATH, so pages are built without their views")
    set(bundle ${PROJECT_BINARY_DIR}/no_viewer.cpp)
    file(CONFIGURE OUTPUT ${bundle} CONTENT "#include \"report/viewer_bundle.hpp\"
namespace antaeus {
const std::string_view kViewerScript =
    \"document.body.prepend('Built without Node.js: this page has no views. Its numbers are in the files beside it.')\";
const std::string_view kViewerStyle;
}  // namespace antaeus
")
    target_sources(${target} PRIVATE ${bundle})
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/viewer)
  set(work ${PROJECT_SOURCE_DIR}/build/viewer)  # one for all presets
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(work ${PROJECT_BINARY_DIR}/viewer)
  endif()
  set(bundle ${work}/dist/viewer_bundle.cpp)
  set(live ${work}/dist/live.js ${work}/dist/live.css)
  set(ANTAEUS_LIVE_VIEWER ${live} PARENT_SCOPE)
  set(packages package.json package-lock.json .npmrc)
  set(settings tsconfig.json build.mjs)
  file(GLOB sources RELATIVE ${source} CONFIGURE_DEPENDS ${source}/src/*.ts ${source}/src/*.css)

  set(copies "")
  foreach(file ${packages})
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${source}/${file} ${work}/${file})
  endforeach()
  list(TRANSFORM packages PREPEND ${source}/)
  add_custom_command(OUTPUT ${work}/.installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
    ${copies}
    COMMAND ${CMAKE_COMMAND} -E chdir ${work} ${ANTAEUS_NPM} ci --ignore-scripts --silent --no-audit --no-fund
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/.installed
    DEPENDS ${packages} COMMENT "Installing the viewer's pinned packages" VERBATIM)
  list(TRANSFORM sources PREPEND ${source}/)
  list(TRANSFORM settings PREPEND ${source}/)
  add_custom_command(OUTPUT ${bundle} ${live}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${work}/src
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${sources} ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${settings} ${work}
    COMMAND ${CMAKE_COMMAND} -E chdir ${work} ${ANTAEUS_NPM} run --silent build
    DEPENDS ${work}/.installed ${sources} ${settings} COMMENT "Bundling the report's viewer" VERBATIM)
  target_sources(${target} PRIVATE ${bundle})
endfunction()
