# antaeus_discover_suites(<target> <label>): one entry of ctest a suite of a test program, so that what the tests of a suite
# share is made once. Suites are listed after each link; a failure names its test in the entry's output.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ANTAEUS_SUITES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  # Every test program, and what the command line's tests run.
  add_custom_target(cpp_tests)
  add_dependencies(cpp_tests antaeus_cli antaeus_motion_verbs antaeus_studies_verbs antaeus_parquet antaeus_meshes
    antaeus_mujoco)
  function(antaeus_discover_suites target label)
    add_dependencies(cpp_tests ${target})
    # A library that was linked anew is no reason to link its tests anew.
    set_target_properties(${target} PROPERTIES LINK_DEPENDS_NO_SHARED ON)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
    set(environment "ANTAEUS_CLI=$<TARGET_FILE:antaeus_cli>,ANTAEUS_PYTHON=${ANTAEUS_PYTHON}")
    add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${list} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DLABEL=${label} -DLIST=${list}
        -DENVIRONMENT=${environment} -DFOLDER=${PROJECT_SOURCE_DIR} -P ${ANTAEUS_SUITES_SCRIPT})
    set(guard ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
    file(CONFIGURE OUTPUT ${guard} @ONLY CONTENT "if(EXISTS \"@list@\")
  include(\"@list@\")
else()
  add_test(@target@_NOT_BUILT @target@_NOT_BUILT)
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${guard})
  endfunction()
  return()
endif()

# After a link: runs the program and writes its list.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE output
  RESULT_VARIABLE failed TIMEOUT 60)
if(failed)
  message(FATAL_ERROR "${PROGRAM} does not list its tests: ${failed}\n${output}")
endif()
string(REPLACE "," ";" variables "${ENVIRONMENT}")
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "\n${output}")
set(entries "")
foreach(suite ${suites})
  string(REGEX REPLACE "\n|\\.$" "" suite "${suite}")
  string(APPEND entries "add_test([=[${suite}]=] \"${PROGRAM}\" \"--gtest_filter=${suite}.*\" --gtest_brief=0)\n"
    "set_tests_properties([=[${suite}]=] PROPERTIES LABELS ${LABEL} TIMEOUT 600 WORKING_DIRECTORY \"${FOLDER}\" "
    "ENVIRONMENT [=[${variables}]=])\n")
endforeach()
file(WRITE ${LIST} "${entries}")
