"""Ray: each log is a remote task of one core. Without an address a cluster on this machine, which ends with the run."""

import typing
from collections.abc import Iterator, Sequence

from antaeus.fleet import task
from antaeus.fleet.engines import Asked, Lost, Row, library
from antaeus.formats.recording import FormatError


def outcomes(rows: Sequence[Row], asked: Asked) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]:
    """Rows as they end. A worker that is gone is a Lost: the driver tries its row again, Ray does not."""
    ray: typing.Any = library("ray", "ray")
    own = not ray.is_initialized()
    if own:
        place = {"address": asked.address} if asked.address else {"num_cpus": asked.count(), "include_dashboard": False}
        try:
            ray.init(log_to_driver=False, logging_level="error", **place)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise FormatError(f"--address {asked.address}", f"no Ray cluster answers ({' '.join(str(error).split())[:200]})",
                              "run ray status to find it") from None
    try:
        one = ray.remote(num_cpus=1, max_retries=0, runtime_env={"env_vars": {"OPENBLAS_NUM_THREADS": "1"}})(task.run_one)
        # Enough that no core waits for the driver, few enough that a million rows are not all in the cluster's memory.
        most = max(16, 4 * int(ray.cluster_resources().get("CPU", 1)))
        waiting, running = list(reversed(rows)), {}
        while waiting or running:
            while waiting and len(running) < most:
                row = waiting.pop()
                running[one.remote(dict(row))] = row
            for future in ray.wait(list(running), num_returns=1)[0]:
                row = running.pop(future)
                try:
                    yield row, ray.get(future)
                except task.WorkerDisk as error:
                    yield row, Lost(f"its results cannot be written ({error.strerror}: {error.filename})", "disk")
                except ray.exceptions.OutOfMemoryError:
                    yield row, Lost("Ray ended its worker, whose node ran out of memory", "memory")
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.RayTaskError) as error:
                    yield row, Lost(f"its worker is gone ({type(error).__name__})", "killed")
    finally:
        if own:
            ray.shutdown()
