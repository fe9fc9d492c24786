/// \file
/// Arbitrary bytes as a CSV file; what was read once reads back the same.

#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/table.hpp"
#include "fuzz/fuzz_target.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"time,q0,q1\n0,1,2\n0.02,,-1e-3\n",
          "a,\"b \"\"x\"\", y\"\r\n\"1\r\n2\",nan\r\n,inf\r\n",
          "\xEF\xBB\xBFname\n\"\"\n x \n",
          "sign,frame\non_robot,world\non_environment,\n",
          "\xFF\xFE"
          "a",
          "time;q0;\"a;b\"\n0,5;1;x,y\n1,25;,5;z\n",
          "t\tq\n1\t2,0\n",
          "\"a;b\"\n1\n",
          "a\n\n\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  antaeus::Table table;
  try {
    table = antaeus::parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  } catch (const antaeus::Error&) {
    return 0;
  }
  antaeus::fuzz::accept();
  const std::string once = antaeus::to_csv(table);
  // Outside the handler above: an Error here would mean that we cannot read what we write.
  const antaeus::Table again = antaeus::parse_csv(once, "again.csv");
  antaeus::fuzz::require(antaeus::to_csv(again) == once);
  antaeus::fuzz::require(again.rows() == table.rows() && again.columns().size() == table.columns().size());
  return 0;
}
