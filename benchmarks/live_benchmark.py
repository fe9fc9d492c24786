"""What `antaeus watch` costs, and how fast it answers: a robot's samples as JSON over UDP on loopback, wrenches back over UDP.

    python benchmarks/live_benchmark.py [--robot h1_2] [--rate 1000] [--seconds 60] [--serve] [--viewers 5] [--record DIR]

Prints the share of a core that the process takes, what was lost, and the time from a datagram's sending to its wrench's arrival,
beside the time that the estimator's own calls take in the same run (GuardedEstimator.update on the same samples).
"""

import argparse
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

import antaeus


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def messages(robot: antaeus.Robot, count: int, rate: float) -> tuple[list[bytes], list[antaeus.Observation]]:
    """Samples of a robot that moves a little, as JSON and as observations."""
    motors, random = robot.model.motor_count(), np.random.default_rng(39)
    phases = np.linspace(0.0, 3.0, motors)
    texts, observations = [], []
    reader = antaeus.InstantReader(robot, [robot.profile.endpoints[0].frame])
    for i in range(count):
        t = i / rate
        q, dq = 0.1 * np.sin(t + phases), 0.1 * np.cos(t + phases)
        gyro, acc = random.normal(0.0, 0.002, 3), np.array([0.0, 0.0, 9.81]) + random.normal(0.0, 0.02, 3)
        now = reader.at(antaeus.Observation(q=q, tau=np.zeros(motors), imu_quaternion_xyzw=np.array([0.0, 0.0, 0.0, 1.0])))
        tau = np.array(now.gravity_torque()) + random.normal(0.0, 0.05, motors)
        sample = {"time": 1000.0 + t, "seq": i, "q": q.round(6).tolist(), "dq": dq.round(6).tolist(), "tau": tau.round(5).tolist(),
                  "imu_quat_xyzw": [0.0, 0.0, 0.0, 1.0], "imu_gyro": gyro.round(6).tolist(), "imu_acc": acc.round(5).tolist()}
        texts.append(json.dumps(sample).encode())
        if i < 2000:
            observations.append(antaeus.Observation(time=1000.0 + t, q=q, v=dq, tau=tau, imu_quaternion_xyzw=np.array([0.0, 0.0, 0.0, 1.0]),
                                                    imu_angular_velocity=gyro, imu_specific_force=acc))
    return texts, observations


def cpu_of(pid: int) -> float:
    """Seconds of a process, all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def view(url: str, stop: threading.Event, bytes_of: list[int], frames_of: list[int], place: int) -> None:
    """A viewer of the page that only counts."""
    from websockets.sync.client import connect

    host, token = re.match(r"http://([^/]+)/.*token=([\w-]+)", url).groups()
    with connect(f"ws://{host}/stream?token={token}", origin=f"http://{host}", max_size=None) as socket_:
        while not stop.is_set():
            try:
                bytes_of[place] += len(socket_.recv(timeout=0.5))
                frames_of[place] += 1
            except TimeoutError:
                pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="h1_2")
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--viewers", type=int, default=0)
    parser.add_argument("--record")
    given = parser.parse_args()
    robot = antaeus.load_robot(given.robot)
    cycle = int(min(20.0, given.seconds) * given.rate)
    texts, observations = messages(robot, cycle, given.rate)
    endpoints = [one.frame for one in robot.profile.endpoints if str(one.kind) != "foot"]

    # The estimator's own calls, on the same samples, before and after.
    def own_calls() -> float:
        estimator = antaeus.GuardedEstimator(robot, endpoints)
        times = []
        for observation in observations:
            begin = time.perf_counter()
            estimator.update(observation)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    calls = [own_calls()]
    port, back = free_port(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    back.bind(("127.0.0.1", 0))
    back.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
    words = [sys.executable, "-m", "antaeus", "--verb", "watch", f"udp://127.0.0.1:{port}", "--robot", given.robot, "--json",
             "--publish", f"udp://127.0.0.1:{back.getsockname()[1]}"]
    if given.serve or given.viewers:
        words += ["--serve", "127.0.0.1:0"]
    if given.record:
        words += ["--record", given.record]
    watch = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    url, lines = "", []
    if given.serve or given.viewers:
        url = next(line.split("page: ")[1].strip() for line in watch.stderr if line.startswith("page: "))
    threading.Thread(target=lambda: lines.extend(watch.stderr), daemon=True).start()
    time.sleep(2.0)
    answers: dict[int, float] = {}

    def receive() -> None:
        while True:
            payload = back.recv(1 << 16)
            now = time.perf_counter()
            found = re.search(rb'"index": ?(\d+)', payload[:200])
            if found and b'"wrench"' in payload[:60]:
                answers.setdefault(int(found[1]), now)

    threading.Thread(target=receive, daemon=True).start()
    stop, counts, frames = threading.Event(), [0] * given.viewers, [0] * given.viewers
    for place in range(given.viewers):
        threading.Thread(target=view, args=(url, stop, counts, frames, place), daemon=True).start()
    sending = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    total = int(given.seconds * given.rate)
    sent = np.zeros(total)
    cpu_before, began = cpu_of(watch.pid), time.perf_counter()
    head = b'{"time": %.6f, "seq": %d'
    for i in range(total):
        due = began + i / given.rate
        while (left := due - time.perf_counter()) > 0:
            time.sleep(min(left, 0.002)) if left > 2e-4 else None
        body = texts[i % cycle]
        body = head % (1000.0 + i / given.rate, i) + body[body.index(b', "q"'):]
        sent[i] = time.perf_counter()
        sending.sendto(body, ("127.0.0.1", port))
    took = time.perf_counter() - began
    cpu = cpu_of(watch.pid) - cpu_before
    time.sleep(1.0)
    stop.set()
    watch.terminate()
    told, _ = watch.communicate(timeout=60)
    calls.append(own_calls())
    told = json.loads(told)
    facts = told["facts"]
    latencies = np.array([answers[i] - sent[i] for i in range(int(0.1 * total), total) if i in answers])
    own = statistics.mean(calls)
    print(f"robot {given.robot}, {len(endpoints)} endpoints, {given.rate:.0f} Hz for {took:.1f} s, sent at {total / took:.0f} Hz")
    print(f"CPU {100 * cpu / took:.1f} % of a core; of it GuardedEstimator.update {100 * own * given.rate:.1f} % ({1e6 * own:.0f} µs a call from Python)")
    print(f"samples {told['samples']} of {total}; lost {facts['lost']}, dropped {facts['dropped']}, late {facts['late']}, "
          f"out of order {facts['out_of_order']}; wrenches back {len(answers)}")
    if len(latencies):
        p50, p99 = np.percentile(latencies, [50, 99])
        print(f"datagram in to wrench out: p50 {1e6 * p50:.0f} µs, p99 {1e6 * p99:.0f} µs; above the estimator's calls "
              f"{1e6 * (p50 - own):.0f} and {1e6 * (p99 - own):.0f} µs")
    for place in range(given.viewers):
        print(f"viewer {place + 1}: {frames[place] / took:.1f} frames/s, {counts[place] / took / 1000:.0f} kB/s")


if __name__ == "__main__":
    main()
