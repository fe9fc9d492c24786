#pragma once
// How a verb's results are delivered: which folder, which form, printed or not.
#include <cstdint>
#include <memory>
#include <string>

#include "antaeus/io/table_parts.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace CLI {
class App;
}

namespace antaeus {
struct Audit;
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

/// The steps of an audited log, written as they come: steps.parquet always, steps.csv to 200 000 rows, or where it was
/// asked for, or where Parquet cannot be written here.
class StepFiles {
 public:
  StepFiles(FileSet& files, bool always_csv) : files_(files), always_csv_(always_csv) {}
  void write(std::int64_t rows, const TableParts& next);
  /// The names of what was written, for people.
  const std::string& names() const noexcept { return names_; }

 private:
  FileSet& files_;
  bool always_csv_;
  std::string names_;
};

/// Prints an audit, or its JSON, writes its files, and gives the exit code. \param files  null: none are written
/// \param tables  names of those that are among them already
int deliver(const Audit& audit, const Delivery& delivery, FileSet* files, const std::string& tables,
            std::shared_ptr<const MeshFiles> meshes = nullptr);
/// The audit's story for the terminal.
std::string audit_story(const Audit& audit);

}  // namespace antaeus::cli
