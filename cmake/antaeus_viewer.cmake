# antaeus_embed_viewer(<target>): bundles viewer/ with the machine's Node.js and compiles the result into the target.
#   input    viewer/**   package-lock.json pins every package; nothing is written into the source tree
#   output   build/viewer/dist/viewer_bundle.cpp, made again when a source of the viewer changes
function(antaeus_embed_viewer target)
  find_program(ANTAEUS_NPM npm)
  if(NOT ANTAEUS_NPM)
    message(FATAL_ERROR "npm is not on the PATH; it bundles the report's viewer. `make demo` and `make test` bring it when it is missing")
  endif()
  set(source ${CMAKE_SOURCE_DIR}/viewer)
  set(work ${CMAKE_SOURCE_DIR}/build/viewer)
  set(bundle ${work}/dist/viewer_bundle.cpp)
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
  add_custom_command(OUTPUT ${bundle}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${work}/src
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${sources} ${work}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${settings} ${work}
    COMMAND ${CMAKE_COMMAND} -E chdir ${work} ${ANTAEUS_NPM} run --silent build
    DEPENDS ${work}/.installed ${sources} ${settings} COMMENT "Bundling the report's viewer" VERBATIM)
  target_sources(${target} PRIVATE ${bundle})
endfunction()
