#include "print_pdf.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "child_process.hpp"

namespace antaeus::cli {

namespace {

constexpr std::chrono::minutes kPatience{2};

bool runs(const std::filesystem::path& program) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(program, unknown) && ::access(program.c_str(), X_OK) == 0;
}

/// Where temporary files go, by TMPDIR.
std::filesystem::path temporary_place() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  if (failed) throw Error("--pdf", "no temporary folder can be created", "set TMPDIR to one that can be written");
  return place;
}

/// The file's address: what has a meaning in one ('#', '?', '%') and what is no ASCII stands as %NN.
std::string address_of(const std::filesystem::path& file) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::error_code unknown;
  std::string address = "file://";
  for (const char c : std::filesystem::absolute(file, unknown).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) {
      address += c;
    } else {
      address += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return address;
}

/// Runs the program to its end. \return its exit code; −1 where it cannot be started, or hangs
int run_and_wait(const std::vector<std::string>& command) {
  Child browser;
  try {
    browser = start_child(command, "/dev/null");
  } catch (const Error&) {
    return -1;  // who asked for the page says so
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  bool late = false;
  std::optional<int> code;
  while (!(code = ended(browser))) {
    if (!late && std::chrono::steady_clock::now() > deadline) {
      late = true;
      end_child(browser);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return late ? -1 : *code;
}

/// Nothing written depends on the clock: the browser's dates are overwritten, digit by digit.
void fix_dates(std::string& pdf) {
  constexpr std::string_view kEpoch = "19700101000000";
  for (const std::string_view key : {"/CreationDate (D:", "/ModDate (D:"}) {
    for (std::size_t at = pdf.find(key); at != std::string::npos; at = pdf.find(key, at + key.size())) {
      if (at + key.size() + kEpoch.size() <= pdf.size()) pdf.replace(at + key.size(), kEpoch.size(), kEpoch);
    }
  }
}

}  // namespace

std::string find_chromium() {
  if (const char* named = std::getenv("CHROMIUM"); named && *named) {
    if (runs(named)) return named;
    throw OptionsError("CHROMIUM", "'" + std::string(named) + "' is not a program that can be run",
                       "name the browser's full path");
  }
  const char* path = std::getenv("PATH");
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::string_view folders = path ? path : "";
    while (!folders.empty()) {
      const std::size_t end = std::min(folders.find(':'), folders.size());
      const std::filesystem::path program = std::filesystem::path(folders.substr(0, end)) / name;
      if (end > 0 && runs(program)) return program.string();
      folders.remove_prefix(std::min(end + 1, folders.size()));
    }
  }
  throw OptionsError("--pdf", "no Chromium on the PATH (chromium, chromium-browser, google-chrome)",
                     "install it (sudo apt-get install chromium), or set CHROMIUM to the path of one; report.html "
                     "prints from any browser");
}

std::string print_pdf(const std::string& chromium, std::string_view html) {
  const ScratchFolder folder(temporary_place(), 0700);
  const std::filesystem::path page = folder.path() / "report.html", pdf = folder.path() / "report.pdf";
  write_file(page, html);
  std::vector<std::string> command = {chromium,
                                      "--headless",
                                      "--disable-gpu",
                                      "--disable-quic",
                                      "--no-first-run",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-sync",
                                      "--disable-extensions",
                                      "--force-device-scale-factor=3",  // plots are drawn for paper, not for a screen
                                      "--user-data-dir=" + (folder.path() / "profile").string(),
                                      "--no-pdf-header-footer",
                                      "--print-to-pdf=" + pdf.string()};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");  // Chromium refuses its sandbox to root
  command.push_back(address_of(page));
  const int status = run_and_wait(command);
  std::string bytes;
  std::error_code unknown;
  if (std::filesystem::exists(pdf, unknown)) bytes = read_file(pdf);
  if (status != 0 || !bytes.starts_with("%PDF-") ||
      bytes.find("%%EOF", bytes.size() - std::min<std::size_t>(bytes.size(), 64)) == std::string::npos) {
    throw Error("--pdf", chromium + " did not print the report",
                "try it by hand with --headless --print-to-pdf, or print report.html from a browser");
  }
  fix_dates(bytes);
  return bytes;
}

}  // namespace antaeus::cli
