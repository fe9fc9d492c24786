"""Viewers of others: what Foxglove is sent over its WebSocket, what rerun is given, and that neither holds up a watch."""

import asyncio
import json
import socket
import sys
import threading
import time
import types

import antaeus
import needs
import numpy as np
import pytest
from live_blocks import Live, event, facts, moving_log
from recording_test import HAND, READY

from antaeus.live.viewing import Viewer
from senders import free_port


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("panda")


@pytest.fixture(scope="module")
def live(robot):
    return Live(robot, HAND, moving_log(robot, READY, 250, 2))


async def listen(url, topics_wanted, feed):
    """Topics with the number of their messages, and the last JSON of each, once every topic had one."""
    websockets = needs.package("websockets")
    topics, counts, last = {}, {}, {}
    async with websockets.connect(url, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket_:
        end = time.monotonic() + 120
        while not topics_wanted <= set(counts) and time.monotonic() < end:
            feed()
            try:
                message = await asyncio.wait_for(socket_.recv(), 0.05)
            except TimeoutError:
                continue
            if isinstance(message, str):
                told = json.loads(message)
                if told.get("op") == "advertise":
                    mine = [{"id": 100 + one["id"], "channelId": one["id"]} for one in told["channels"]]
                    topics.update({100 + one["id"]: (one["topic"], one["encoding"]) for one in told["channels"]})
                    await socket_.send(json.dumps({"op": "subscribe", "subscriptions": mine}))
            elif message[0] == 1:  # of a subscription: its id, a time, the message
                topic, encoding = topics[int.from_bytes(message[1:5], "little")]
                counts[topic] = counts.get(topic, 0) + 1
                if encoding == "json":
                    last[topic] = json.loads(message[13:])
    return counts, last


def test_foxglove_is_sent_all_topics(robot, live):
    needs.package("foxglove")
    from antaeus.live.foxglove import Foxglove

    view = Foxglove(robot, HAND, port=free_port())
    block = live.block(300, 333)
    block.base_rotation = np.tile(np.eye(3), (33, 1, 1))
    topics = {"/joint_states", "/tf", "/antaeus/scene", "/antaeus/log", "/antaeus/panda_hand/wrench", "/antaeus/diagnostics"}
    try:
        counts, last = asyncio.run(listen(view.url, topics, lambda: view.take(block, [event("alarm", 1, 1.0)], facts())))
    finally:
        view.close()
    assert not view.problem
    assert set(counts) == topics
    wrench = last["/antaeus/panda_hand/wrench"]
    assert wrench["wrench"]["force"]["x"] == block.wrench[-1, 0, 0] and wrench["sign"] == "on_robot" and wrench["verdict"] == "ok"
    assert last["/antaeus/diagnostics"]["stream"] == "running"


def test_foxglove_is_of_this_machine_alone_and_a_port_in_use_is_one_line(robot):
    needs.package("foxglove")
    from antaeus.live.foxglove import Foxglove

    with pytest.raises(ValueError, match="no token; give 127.0.0.1"):
        Foxglove(robot, HAND, host="0.0.0.0")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ValueError, match="^foxglove://127.0.0.1:[0-9]+: .*name another port$"):
            Foxglove(robot, HAND, port=taken.getsockname()[1])


class RerunStandIn(types.ModuleType):
    """Has the names of rerun that the view uses: a stream that keeps what is logged, and archetypes as (name, arguments)."""

    def __init__(self):
        super().__init__("rerun")
        self.logged, self.stamps, self.files = {}, [], []

    def RecordingStream(self, name):
        return types.SimpleNamespace(save=self.files.append, log=self.logged.__setitem__, flush=lambda *_, **__: None, disconnect=lambda: None,
                                     set_time=lambda timeline, duration: self.stamps.append(duration))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **named: (name, arguments, named)


def test_rerun_is_given_links_forces_and_verdicts(robot, live, monkeypatch):
    rerun = RerunStandIn()
    monkeypatch.setitem(sys.modules, "rerun", rerun)
    from antaeus.live.rerun_view import RerunView

    view = RerunView(robot, HAND, file="live.rrd")
    block = live.block(300, 333)
    block.base_rotation = np.tile(np.eye(3), (33, 1, 1))
    try:
        view.show(block, [event("alarm", 1, 1.0)], facts())
    finally:
        view.close()
    assert not view.problem and rerun.files == ["live.rrd"] and rerun.stamps[0] == block.time[-1]
    name, (points,), _ = rerun.logged["robot/links"]
    assert name == "Points3D" and points.shape[1] == 3 and len(points) > 7
    name, _, arrow = rerun.logged["robot/panda_hand"]
    assert name == "Arrows3D" and np.allclose(arrow["vectors"], 0.01 * block.wrench[-1, 0, :3])
    for entity, values in (("force/panda_hand", block.wrench[-1, 0, :3]), ("sd/panda_hand", block.sd[-1, 0, :3])):
        name, (scalars,), _ = rerun.logged[entity]
        assert name == "Scalars" and np.array_equal(scalars, values), entity
    assert rerun.logged["verdict/panda_hand"][1][0].startswith("ok")


def test_a_viewer_that_hangs_holds_up_nobody(robot, live):
    goes_on = threading.Event()

    class Hanging(Viewer):
        def show(self, block, events, facts):
            goes_on.wait()

    class Failing(Viewer):
        def show(self, block, events, facts):
            raise RuntimeError("gone\naway")

    hanging, failing = Hanging(robot, HAND), Failing(robot, HAND)
    hanging.start()
    failing.start()
    block = live.block(0, 10)
    for _ in range(100):  # which ends while nothing is shown
        hanging.take(block, [], facts())
        failing.take(block, [], facts())
    assert hanging.left_out > 90
    goes_on.set()
    hanging.close()
    failing.close()
    assert failing.problem == "Failing: gone away"
