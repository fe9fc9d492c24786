#pragma once
// Verbs that are written in Python (python/antaeus/_command_line.py): listed, explained and suggested like all others.
#include <CLI/CLI.hpp>

#include "commands/command.hpp"

namespace antaeus::cli {

/// Adds them. Such a verb becomes `PYTHON -m antaeus --verb NAME …`; PYTHON is the one that started this program (the
/// wheel's), else that of the build tree, else the one in the folder of this program.
void add_python_verbs(CLI::App& app, Run& run);

/// Has recordings in formats of others, wherever a verb takes a log, read by the verb convert in such a Python.
void convert_recordings_by_python();

}  // namespace antaeus::cli
