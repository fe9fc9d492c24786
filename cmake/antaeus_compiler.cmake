# Flags that every file shares. Never -march=native: the wheels are built for 16-byte alignment and share Eigen types.
find_program(ANTAEUS_CCACHE ccache)
if(ANTAEUS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ANTAEUS_CCACHE})
endif()
# -Wrestrict: GCC 12 reports std::string concatenation in its own header (bug 105651).
add_library(antaeus_flags INTERFACE)
target_compile_options(antaeus_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion -Wno-restrict
  $<$<BOOL:${ANTAEUS_WARNINGS_AS_ERRORS}>:-Werror>)
if(ANTAEUS_SANITIZE)
  # Pinocchio's ~Model frees with Eigen's aligned allocator: without this definition the sanitizer sees a mismatch.
  add_compile_definitions(EIGEN_MALLOC_ALREADY_ALIGNED=1 ANTAEUS_SANITIZED=1)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
