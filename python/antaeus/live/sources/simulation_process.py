"""The process of sim://: `python -m antaeus.live.sources.simulation_process PROFILE RATE SPEED` measures its plant to standard
output: a line with the bytes of a sample and the header of "arrays", then samples. It ends when nobody reads any more."""

import math
import signal
import sys
import time

from antaeus import _antaeus
from antaeus.live.sources import arrays
from antaeus.live.sources.plant import Plant


def main() -> None:
    """Runs on the clock times the speed; 0: as fast as it is read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who reads
    profile, rate, speed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    plant = Plant(_antaeus.load_robot(profile), rate)
    write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
    write(b"%d " % (8 * sum(width for _, width in plant.channels)) + arrays.header(plant.channels) + b"\n")
    pace = speed if speed > 0 else math.inf
    begun = time.monotonic()
    while True:
        sample = plant.sample()
        early = begun + sample[0] / pace - time.monotonic()
        if early > 0:
            time.sleep(early)
        write(sample.astype("<f8").tobytes())
        flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads: nothing is left to say
    except ValueError as error:
        sys.exit(str(error))
