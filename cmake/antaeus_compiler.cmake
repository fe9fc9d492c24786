# Flags that every file shares, and how files are compiled together (docs/build.md).
# Never -march=native: the wheels are built for 16-byte alignment and share Eigen types.
#   antaeus_flags                        warnings; an interface that every target of ours links
#   antaeus_paces(<target> [LOOPS] [HIDDEN] [PREFIX <headers> | PREFIX_FROM <target>])
#                                        how hard the compiler optimises, and the precompiled headers
#   antaeus_batches(<target> <files>)    so many source files in one run of the compiler (preset release)
option(ANTAEUS_BATCHES "Compile several source files in one run of the compiler" ON)

find_program(ANTAEUS_CCACHE ccache)
if(ANTAEUS_CCACHE)
  # Without the two, ccache passes every file with precompiled headers on to the compiler.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${ANTAEUS_CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
# -Wrestrict: GCC 12 reports std::string concatenation in its own header (bug 105651).
add_library(antaeus_flags INTERFACE)
target_compile_options(antaeus_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${ANTAEUS_WARNINGS_AS_ERRORS}>:-Werror>)
if(ANTAEUS_SANITIZE)
  # Pinocchio's ~Model frees with Eigen's aligned allocator: without this definition the sanitizer sees a mismatch.
  add_compile_definitions(EIGEN_MALLOC_ALREADY_ALIGNED=1 ANTAEUS_SANITIZED=1)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

# tinyxml2 asks for it, and a precompiled header fits only files with the same definitions. No change on 64 bits.
add_compile_definitions(_FILE_OFFSET_BITS=64)

# What most files read: 1.5 of the 2 to 4 s that a small file took.
set(ANTAEUS_PREFIX <Eigen/Core> <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <functional> <map> <memory>
  <optional> <span> <string> <string_view> <utility> <vector>)

# LOOPS: code that runs in loops, -O3. All else tells, loads or prints: -O1, which compiles in two thirds of the time.
# A precompiled header brings the optimisation that it was made with (GCC 12), so each pace has its own.
function(antaeus_paces target)
  cmake_parse_arguments(arg "LOOPS;HIDDEN" "PREFIX_FROM" "PREFIX" ${ARGN})
  # Programs are compiled as libraries are: one set of flags, one precompiled header.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(arg_HIDDEN)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  if(NOT arg_LOOPS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(arg_PREFIX_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_PREFIX_FROM})
  elseif(arg_PREFIX)
    target_precompile_headers(${target} PRIVATE ${arg_PREFIX})
  endif()
endfunction()

function(antaeus_batches target files)
  if(ANTAEUS_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    # GCC takes a source in a batch for a header, and warns of what its private types are part of.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
