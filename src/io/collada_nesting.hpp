#pragma once
// What assimp does not check in a Collada file, and would end the process on.
#include <cstddef>
#include <string>
#include <string_view>

namespace antaeus {

/// A fault of the file: where, and what.
struct ColladaFault {
  int line = 0;         ///< 0: of the file as a whole
  std::string problem;  ///< empty: none was found
  std::string remedy;
};

/// assimp 6.0.5 walks elements and nodes by recursion and follows every <instance_node>, so that a file deep enough, or
/// a node that holds itself, overruns the stack (its issue 6509), and it believes counts. Looks for elements nested
/// deeper than 100, nodes that hold themselves, more than 100 000 nodes once all instances are followed, and counts
/// that the bytes cannot hold. Strict where pugixml is: what it could read otherwise than this is refused.
ColladaFault fault_of_collada(std::string_view text);

}  // namespace antaeus
