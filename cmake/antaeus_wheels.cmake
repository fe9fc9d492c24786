# Third parties: wheels under ANTAEUS_SITE_PACKAGES, and Debian's packages.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(ZLIB REQUIRED)
find_package(tinyxml2 REQUIRED NO_MODULE)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pinocchio 4.1 REQUIRED NO_MODULE)
find_package(coal 3.0 REQUIRED NO_MODULE)
find_package(NlohmannJsonWheel REQUIRED)
find_package(ArrowWheel REQUIRED)
find_package(MujocoWheel 4.0 QUIET)  # of the extra `all`
find_package(assimp 6.0 REQUIRED NO_MODULE)

# Third-party headers are not ours to warn about.
foreach(target pinocchio::pinocchio_headers pinocchio::pinocchio_default Eigen3::Eigen assimp::assimp coal::coal)
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(directories)
    set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
  endif()
endforeach()
