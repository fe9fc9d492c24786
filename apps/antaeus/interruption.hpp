#pragma once
// ^C, kill and a closed terminal: what is half done goes before the process does.

namespace antaeus::cli {

/// From here on SIGINT, SIGTERM and SIGHUP (those that are not ignored, as under nohup) are waited for in a thread,
/// which ends the browser, removes what is not in place yet, and then lets the signal end the process. To be called
/// before any other thread begins.
void clean_up_when_interrupted();

}  // namespace antaeus::cli
