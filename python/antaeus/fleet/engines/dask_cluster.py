"""Dask: each log is a future. Without an address a cluster of processes on this machine, which ends with the run."""

import contextlib
import logging
import typing
from collections.abc import Iterator, Sequence

from antaeus.fleet import task
from antaeus.fleet.engines import Asked, Lost, Row, library
from antaeus.formats.recording import FormatError


def outcomes(rows: Sequence[Row], asked: Asked) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]:
    """Rows as they end. A worker that is gone is a Lost, once the scheduler has given its row up."""
    distributed: typing.Any = library("distributed", "dask")
    dask: typing.Any = library("dask", "dask")
    with contextlib.ExitStack() as ends:
        if asked.address:
            try:
                client = ends.enter_context(distributed.Client(asked.address, timeout=10))
            except (OSError, ValueError) as error:
                raise FormatError(f"--address {asked.address}", f"no Dask scheduler answers ({' '.join(str(error).split())[:200]})",
                                  "give host:port as the scheduler prints it") from None
        else:
            # A row whose worker dies is the driver's to try again, as with every engine.
            ends.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 0}))
            cluster = ends.enter_context(distributed.LocalCluster(n_workers=asked.count(), threads_per_worker=1, processes=True,
                                                                  dashboard_address=None, silence_logs=logging.CRITICAL))
            client = ends.enter_context(distributed.Client(cluster))
        yield from _gathered(distributed, client, rows)


def _gathered(distributed: typing.Any, client: typing.Any, rows: Sequence[Row]) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]:
    # Enough that no core waits for the driver, few enough that a million rows are not all in the cluster's memory.
    most = max(16, 4 * sum(client.nthreads().values()))
    waiting, running = list(reversed(rows)), {}
    done = distributed.as_completed()

    def send() -> None:
        row = waiting.pop()
        future = client.submit(task.run_one, dict(row), pure=False)
        running[future.key] = row
        done.add(future)

    for _ in range(min(most, len(waiting))):
        send()
    for future in done:
        if waiting:
            send()
        row = running.pop(future.key)
        try:
            yield row, future.result()
        except task.WorkerDisk as error:
            yield row, Lost(f"its results cannot be written ({error.strerror}: {error.filename})", "disk")
        except Exception as error:  # KilledWorker, CancelledError: the scheduler's words for a worker that is gone
            yield row, Lost(f"its worker is gone ({type(error).__name__})", "killed")
