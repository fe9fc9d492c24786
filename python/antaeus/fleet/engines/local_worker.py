"""The other end of engines/local.py: rows come in by stdin, outcomes go out by stdout, a line of JSON each. Ends with its stdin."""

import json
import os
import signal
import sys

from antaeus.fleet import task


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to hear, who ends this process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin.buffer:
        row = json.loads(line)
        try:
            told = task.run_one(row)
        except task.WorkerDisk as error:
            told = {"id": row["id"], "status": "lost", "cause": "disk", "reason": f"its results cannot be written ({error})"}
        answers.write(json.dumps(told).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
