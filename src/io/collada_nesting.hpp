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
/// a node that holds itself, overruns the stack (its issue 6509); it believes counts, and reads a list of indices with
/// a letter in it for ever. Refused are: elements nested deeper than 100; nodes that hold themselves, or more than 100
/// 000 with all instances followed; counts that the bytes cannot hold; lists of indices with anything but numbers, or
/// before the <input> and <vcount> that they need. What tinyxml2 takes for no XML, and document types, are refused as
/// well: pugixml, which assimp reads with, might read them otherwise.
ColladaFault fault_of_collada(std::string_view text);

}  // namespace antaeus
