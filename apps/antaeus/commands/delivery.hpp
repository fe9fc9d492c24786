#pragma once
// How a verb's results are delivered: which folder, which form, printed or not.
#include <memory>
#include <string>

#include "antaeus/robot/robot_meshes.hpp"

namespace CLI {
class App;
}

namespace antaeus {
struct Audit;
class FileSet;
class Table;
}  // namespace antaeus

namespace antaeus::cli {

/// What an audit is written as.
struct Delivery {
  std::string out;       ///< folder; empty: no files
  bool json = false;     ///< print summary.json instead of the story
  bool pdf = false;      ///< also print the report
  std::string chromium;  ///< browser that prints it
  void add_pdf_to(CLI::App& verb);
  /// Finds the browser before any work is done. \throws OptionsError
  void prepare();
  /// Adds a page as report.html, and printed where that is wanted.
  void add_page(FileSet& files, std::string html) const;
};

/// Adds a table as STEM.csv and STEM.parquet, and names both. Where Parquet cannot be written here the CSV goes alone.
std::string add_table(FileSet& files, const std::string& stem, const Table& table);
/// FileSet::commit, and then, where Parquet cannot be written here, a line that says so of the table STEM.
void commit(FileSet& files, const std::string& stem);

/// Prints an audit, or its JSON, writes its files, and gives the exit code.
int deliver(const Audit& audit, const Delivery& delivery, std::shared_ptr<const MeshFiles> meshes = nullptr);
/// The audit's story for the terminal.
std::string audit_story(const Audit& audit);

}  // namespace antaeus::cli
