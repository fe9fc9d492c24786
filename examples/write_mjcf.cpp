// A robot's model as MJCF, for MuJoCo and its viewers. This wrote robots/spacecraft_*/spacecraft_*.xml.
// Usage: example_write_mjcf [robot [file]]
// prints: spacecraft_ur3: 8 bodies, 6 motors
#include <cstdio>
#include <string>

#include "antaeus/io/files.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"

namespace {

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "spacecraft_ur3";
  const antaeus::Mjcf mjcf = antaeus::mjcf_of(antaeus::load_robot(name).model);
  std::printf("%s: %d bodies, %d motors\n", name.c_str(), count(mjcf.text, "<body "), count(mjcf.text, "<motor "));
  if (argc > 2) {
    const std::string origin =
        "<!-- Written by examples/write_mjcf.cpp from this robot's URDF: change that, not this. -->\n";
    antaeus::write_file(argv[2], origin + mjcf.text);
  }
  return 0;
}
