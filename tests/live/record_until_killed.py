"""Plays a log in real time into a recorder, until it is killed: recording_test starts it. Prints how many samples were handed over, and
after each write how many are written."""

import pickle
import sys
import time

import antaeus
from live_blocks import facts

from antaeus.live.recording import Recorder


def main():
    file, folder, write_every, part_seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    with open(file, "rb") as stream:
        robot, about, blocks = pickle.load(stream)
    recorder = Recorder(folder, robot, keep=10**9, about=about, write_every=write_every, part_seconds=part_seconds,
                        say=lambda line: print(f"said {line}\n", end="", flush=True))
    flush = recorder._flush

    def write():
        waiting = recorder._waiting[-1:]
        flush()
        print(*(f"written {block.first + len(block.time)}\n" for block in waiting), end="", flush=True)

    recorder._flush = write
    begin = time.monotonic() - blocks[0].time[0]
    for block in blocks:
        time.sleep(max(0.0, begin + block.time[-1] - time.monotonic()))
        recorder.take(block, [], facts())
        print(f"handed {block.first + len(block.time)}\n", end="", flush=True)
    recorder.close()


main()
