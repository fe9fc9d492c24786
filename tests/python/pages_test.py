"""Results as pages, one convention for all: `.save("x.html")` writes the command line's page, `_repr_html_` shows it in a notebook."""

import html
import html.parser
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

import antaeus
import numpy as np
import pytest
from support import ROOT

VERBS = ["show", "audit", "check", "ik", "contact", "identify", "simulate", "space"]
BIPED = ROOT / "tests/support/biped.urdf"
HOSTILE = "x<script>window.hacked=1<!--'\"&<img src=x onerror=window.hacked=1></iframe>"
FLIGHT = {"space.duration": 2.0, "experiment.comparisons": False}


def command_line(out, *arguments):
    done = subprocess.run([os.environ["ANTAEUS_CLI"], *map(str, arguments), "--out", out], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    return out


def write_log(folder, joints=3, steps=20):
    folder.mkdir()
    numbers = np.random.default_rng(7)
    for name in ("tau", "qpos", "target_dof", "dq"):
        np.save(folder / f"{name}.npy", numbers.uniform(-1, 1, (steps, joints)))
    np.save(folder / "time.npy", np.arange(steps) * 0.02)
    return folder


def write_arm_log(file):
    """A Panda that moves freely for 20 s at 100 Hz; friction and noise in its torques."""
    chance = np.random.default_rng(3)
    t = np.arange(2000) / 100
    rate, size, phase = chance.uniform(0.3, 2, (3, 7)), chance.uniform(0.1, 0.25, (3, 7)), chance.uniform(0, 6, (3, 7))
    angle = t[:, None, None] * rate + phase
    q = np.array([0, -0.4, 0, -1.8, 0, 1.5, 0.7]) + (size * np.sin(angle)).sum(1)
    v, a = (size * rate * np.cos(angle)).sum(1), (-size * rate**2 * np.sin(angle)).sum(1)
    torque = antaeus.replay(q, "panda", [], v=v, a=a, want=("torque",))["torque"]
    np.savez(file, time=t, qpos=q, tau=torque + 0.4 * np.tanh(v / 0.03) + chance.normal(0, 0.2, q.shape), dq=v)
    return file


def write_moving_log(folder, joints):
    """Smooth motion of 30 s at 100 Hz, with torques that are none."""
    folder.mkdir()
    angle = np.arange(3000)[:, None] / 100 * (0.9 + 0.3 * np.arange(joints))
    for name, values in (("qpos", 0.5 * np.sin(angle)), ("tau", np.cos(angle)), ("time", np.arange(3000) / 100)):
        np.save(folder / f"{name}.npy", values)
    return folder


def write_targets(file):
    file.write_text("x,y,z\n1,0,0\n0.5,0.5,0\n9,0,0\nnan,0,0\n")
    return file


def chain(folder, stretch, joints=3):
    """A robot of so many joints in a row; every name of its ends with `stretch`."""
    stretch, name = html.escape(stretch), html.escape("chain" + stretch)
    inertial = "<inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"
    links = "".join(f"<link name='l{i}{stretch}'>{inertial}</link>" for i in range(joints + 1))
    moves = "".join(f"<joint name='j{i}{stretch}' type='revolute'><parent link='l{i}{stretch}'/><child link='l{i + 1}{stretch}'/>"
                    f"<origin xyz='0 0 .3'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='5'/></joint>"
                    for i in range(joints))
    file = folder / "chain.urdf"
    file.write_text(f"<robot name='{name}'>{links}{moves}</robot>")
    return file


def write_motion(file, columns=24):
    q = np.tile(np.eye(1, columns, 6), (5, 1))
    q[:, 7:] = 0.1 * np.sin(0.01 * np.arange(5))[:, None]
    np.savez(file, q=q, dt=0.01)
    return file


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """(result of Python, folder of the command line) by verb, each made once."""
    folder = tmp_path_factory.mktemp("pages")
    log, soles = write_log(folder / "log"), ["left_sole", "right_sole"]

    def show():
        return antaeus.show(log, "planar_3r"), ("show", log, "--robot", "planar_3r")

    def audit():
        return antaeus.audit(log, "planar_3r"), ("audit", log, "--robot", "planar_3r")

    def check():
        return antaeus.check(log, "planar_3r"), ("check", log, "--robot", "planar_3r")

    def ik():
        targets = write_targets(folder / "targets.csv")
        return (antaeus.solve_ik(targets, "planar_3r", "tool", follow=True),
                ("ik", "--targets", targets, "--robot", "planar_3r", "--frame", "tool", "--path"))

    def contact():
        motion = write_motion(folder / "motion.npz")
        return (antaeus.contact(motion, BIPED, soles),
                ("contact", motion, "--robot", BIPED, "--contact", soles[0], "--contact", soles[1]))

    def identify():
        file = write_arm_log(folder / "free.npz")
        return (antaeus.identify([file], "panda", ["all"]),
                ("identify", file, "--robot", "panda", "--contact-free", "all"))

    def simulate():
        return (antaeus.run_experiment("parity", {"parity.states": 20}, seed=3),
                ("simulate", "parity", "--seed", 3, "--set", "parity.states=20"))

    def space():
        return (antaeus.run_space_scenario("pose-change", FLIGHT, seed=4),
                ("space", "pose-change", "--seed", 4, *(word for key, value in FLIGHT.items()
                                                        for word in ("--set", f"{key}={str(value).lower()}"))))

    known = {}

    def of(verb):
        if verb not in known:
            result, words = locals_[verb]()
            known[verb] = result, command_line(folder / f"out_{verb}", *words)
        return known[verb]

    locals_ = {one.__name__: one for one in (show, audit, check, ik, contact, identify, simulate, space)}
    return of


class Elements(html.parser.HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.inside = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside = tag == "script"

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts.append(data)

    def count(self, tag):
        return sum(one == tag for one, _ in self.elements)


def page_in_frame(shown):
    """The page that a notebook's frame holds: that, and nothing else, is what `_repr_html_` gives."""
    found = Elements(shown)
    ((tag, attributes),) = found.elements
    assert tag == "iframe" and attributes["sandbox"] == "allow-scripts allow-popups", attributes
    return attributes["srcdoc"]


# --- the convention ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_and_the_summary_are_the_command_lines(made, tmp_path, verb):
    result, theirs = made(verb)
    result.save(str(tmp_path / "new" / "page.html"))  # a str, and a folder that is not there yet
    result.save(tmp_path / "page.json")
    assert sorted(os.listdir(tmp_path)) == ["new", "page.json"] and os.listdir(tmp_path / "new") == ["page.html"]
    for ours, name in ((tmp_path / "new" / "page.html", "report.html"), (tmp_path / "page.json", "summary.json")):
        assert ours.read_bytes() == (theirs / name).read_bytes(), name
    assert result.summary == json.loads((tmp_path / "page.json").read_text())


@pytest.mark.parametrize("verb", VERBS)
def test_a_notebook_shows_the_page_in_a_frame(made, tmp_path, verb):
    result, _ = made(verb)
    result.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = page_in_frame(result._repr_html_())
    assert shown.replace('<base href="about:srcdoc">', "", 1) == page
    assert page.startswith("<!doctype html>") and Elements(page).count("h1") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_refused(made, tmp_path, verb):
    result, _ = made(verb)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.html").mkdir()
    if verb in ("simulate", "space"):  # any other name is that of a folder with all files
        with pytest.raises(antaeus.OptionsError, match="a clip lies beside the page"):
            result.save(tmp_path / "page.html", clip=True)
    else:
        for name, problem in (("page.txt", "says no format"), ("folder.html", "is a folder"), ("page", "says no format")):
            with pytest.raises(antaeus.OptionsError, match=problem + "; .*html .the page.") as caught:
                result.save(tmp_path / name)
            assert "\n" not in str(caught.value)
    with pytest.raises(antaeus.Error) as caught:
        result.save(tmp_path / "file" / "page.html")
    assert "\n" not in str(caught.value) and "file" in str(caught.value)
    with pytest.raises(antaeus.Error) as caught:
        result.save("/proc/antaeus/page.html")
    assert "\n" not in str(caught.value) and "/proc/antaeus" in str(caught.value)
    with pytest.raises(TypeError):
        result.save(3)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.html"] and not os.listdir(tmp_path / "folder.html")


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_leaves_what_was_there(made, tmp_path, verb):
    result, _ = made(verb)
    page = tmp_path / "page.html"
    page.write_text("before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # bytes; Python ignores the signal
    try:
        with pytest.raises(antaeus.Error) as caught:
            result.save(page)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["page.html"] and page.read_text() == "before"


def runs_beside(call):
    """Whether another thread of Python runs during a call: nobody takes the lock from a thread here that does not give it."""
    over, ticks = threading.Event(), []

    def tick():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    interval, other = sys.getswitchinterval(), threading.Thread(target=tick)
    sys.setswitchinterval(60)  # s
    other.start()
    try:
        for _ in range(100):
            time.sleep(0.01)
            ticks.clear()
            began = time.perf_counter()
            call()
            ended = time.perf_counter()
            if any(began < at < ended for at in ticks):
                return True
        return False
    finally:
        sys.setswitchinterval(interval)
        over.set()
        other.join()


@pytest.mark.parametrize("verb", VERBS)
def test_the_lock_is_free_while_a_page_is_made(made, verb):
    result, _ = made(verb)
    assert runs_beside(result._repr_html_)


def test_a_call_that_keeps_the_lock_is_seen():
    numbers = np.random.default_rng(1).random(50_000).tolist()
    assert not runs_beside(lambda: sorted(numbers))


# --- names that would break out -----------------------------------------------------------------------------------------------


def hostile_results(folder):
    log, robot = write_log(folder / "log"), chain(folder, HOSTILE)
    known = antaeus.load_robot(str(robot), base="fixed")
    end, targets = "l3" + HOSTILE, write_targets(folder / "targets.csv")
    yield "show", antaeus.show(log, known)
    yield "audit", antaeus.audit(log, known, endpoints=[end])
    yield "check", antaeus.check(log, known)
    ik = antaeus.solve_ik(targets, known, end)
    yield "ik", ik
    yield "trace", ik.trace()
    yield "contact", antaeus.contact(write_motion(folder / "motion.npz", 10), robot, ["l0" + HOSTILE, end])
    yield "identify", antaeus.identify([write_moving_log(folder / "moving", 3)], known, ["all"])
    craft = folder / "craft"
    shutil.copytree(ROOT / "robots/spacecraft_ur3", craft)
    (urdf,) = craft.glob("*.urdf")
    text = urdf.read_text()
    joint = re.search(r'<joint name="([^"]+)" type="revolute"', text)[1]
    urdf.write_text(text.replace(f'"{joint}"', '"' + html.escape(joint + HOSTILE) + '"'))
    yield "space", antaeus.run_space_scenario("pose-change", FLIGHT, robot=str(urdf), seed=4)


def test_hostile_names_stay_text(tmp_path):
    seen = []
    for verb, result in hostile_results(tmp_path):
        result.save(tmp_path / f"{verb}.html")
        page = (tmp_path / f"{verb}.html").read_text(encoding="utf-8")
        assert "window.hacked" in page, verb  # the names are told
        found = Elements(page)
        assert found.count("img") == found.count("iframe") == 0, verb
        assert found.count("script") in (0, 2), verb  # the views' numbers, and what draws them
        if found.scripts:
            assert "<" not in found.scripts[0] and json.loads(found.scripts[0]), verb
        assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes), verb
        assert page_in_frame(result._repr_html_()).replace('<base href="about:srcdoc">', "", 1) == page, verb
        seen.append(verb)
    assert len(seen) == 8


# --- what is new beside the pages ---------------------------------------------------------------------------------------------


def test_inverse_kinematics_of_a_list(made, tmp_path):
    result, theirs = made("ik")
    words = ("ik", "--targets", write_targets(tmp_path / "targets.csv"), "--robot", "planar_3r", "--frame", "tool", "--path")
    assert repr(result) == "IkResult(tool: 2 of 4 reached)" and len(result) == 4 and not result.all_reached
    assert result.frame == "tool" and result.command == "antaeus ik --robot planar_3r --frame tool --targets targets.csv --path"
    assert [antaeus.ReachStatus(s) for s in np.array(list(antaeus.ReachStatus))[result.answers.status]][:2] == ["reached"] * 2
    assert result.solution(2).status == "out_of_reach" and "nan" not in result.reason(0)
    assert result.reason(3) == "the target's x is not a finite number"
    for number in (-1, 4):
        with pytest.raises(IndexError):
            result.reason(number)
    for name in ("solutions.csv", "solutions.parquet"):
        result.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == (theirs / name).read_bytes(), name
    with pytest.raises(antaeus.OptionsError, match="^trace: the answers of a path"):
        result.trace()
    robot = antaeus.load_robot("planar_3r", base="fixed")  # as the verb holds it
    rows = np.array([[1, 0, 0], [0.5, 0.5, 0], [9, 0, 0], [np.nan, 0, 0]])
    own = antaeus.solve_ik(rows, robot, "tool", follow=True)
    assert own.command == "" and np.array_equal(own.answers.q, result.answers.q, equal_nan=True)
    own.save(tmp_path / "own.html")
    held = command_line(tmp_path / "out", *words, "--base", "fixed")
    assert (tmp_path / "own.html").read_bytes() == (held / "report.html").read_bytes()


def test_targets_of_all_kinds(tmp_path):
    pose = antaeus.solve_ik([0.4, 0.1, 0.5, 1, 0, 0, 0], "panda", "panda_hand", start="ready")
    matrix = np.diag([1.0, -1, -1, 1])
    matrix[:3, 3] = 0.4, 0.1, 0.5
    same = [antaeus.solve_ik(targets, "panda", "panda_hand", start="ready") for targets in
            (matrix, matrix[None], [[0.4, 0.1, 0.5, 1, 0, 0, 0]])]
    assert pose.all_reached and all(np.array_equal(one.answers.q, pose.answers.q) for one in same)
    target = antaeus.Pose(matrix[:3, :3], matrix[:3, 3])
    assert antaeus.solve_ik([target] * 2, "panda", "panda_hand").summary["targets"] == 2
    for targets, problem in ((np.zeros((2, 5)), "targets"), ([], "targets: there are none"), (tmp_path / "no.csv", "no.csv")):
        with pytest.raises(antaeus.Error, match=problem):
            antaeus.solve_ik(targets, "panda", "panda_hand")
    for keywords, problem in (({"method": "dsl"}, "did you mean 'dls'"), ({"threads": 0}, "^threads: 0 is fewer than one"),
                              ({"start": "raedy"}, "^solve_ik.start: .*did you mean 'ready'"), ({"start": [0, 1]}, "^start"),
                              ({"settings": {"ik.position_tolerence": 1}}, "position_tolerance")):
        with pytest.raises(antaeus.OptionsError, match=problem):
            antaeus.solve_ik([0.4, 0.1, 0.5], "panda", "panda_hand", **keywords)
    with pytest.raises(antaeus.ModelError, match="panda_hand"):
        antaeus.solve_ik([0.4, 0.1, 0.5], "panda", "panda_hnad")


def test_the_trace_is_the_command_lines(tmp_path):
    targets = write_targets(tmp_path / "targets.csv")
    theirs = command_line(tmp_path / "out", "ik", "--targets", targets, "--robot", "planar_3r", "--frame", "tool", "--trace")
    trace = antaeus.solve_ik(targets, "planar_3r", "tool").trace()
    assert repr(trace) == f"IkTrace(9 ways, {len(trace)} iterations)"
    for name in ("trace.html", "trace.csv", "trace.parquet"):
        trace.save(pathlib.Path(tmp_path, name))
        assert (tmp_path / name).read_bytes() == (theirs / name).read_bytes(), name
    assert page_in_frame(trace._repr_html_()).startswith("<!doctype html>")


def test_a_check_in_a_result_has_a_page_without_channels(made, tmp_path):
    result, _ = made("audit")
    result.check.save(tmp_path / "page.html")
    assert 'id="channels"' not in (tmp_path / "page.html").read_text() and result.check.series.time == []
    check, _ = made("check")
    assert 'id="channels"' in check._repr_html_().replace("&quot;", '"') and len(check.series.time) == 20
    assert check.series.joint.startswith("joint_") and check.command == "antaeus check log --robot planar_3r"
    assert antaeus.check(write_log(tmp_path / "log"), antaeus.load_robot("planar_3r")).command == ""


def test_the_old_name_of_a_page_says_the_new_one(made, tmp_path):
    result, _ = made("identify")
    with pytest.raises(AttributeError, match=r"save_page is called save now"):
        result.save_page(tmp_path / "report.html")


def test_the_samples_of_a_run(made, tmp_path):
    result, theirs = made("simulate")
    for name in ("samples.csv", "samples.parquet"):
        result.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == (theirs / name).read_bytes(), name
    result.save(tmp_path / "run.2")
    assert sorted(os.listdir(tmp_path / "run.2")) == sorted(os.listdir(theirs))


def test_meshes_are_drawn_as_the_command_line_draws_them(tmp_path):
    robot = tmp_path / "robot.urdf"
    text = chain(tmp_path, "").read_text()
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0.1 0\nendloop\nendfacet\n"
    (tmp_path / "part.stl").write_text(f"solid part\n{facet}endsolid part\n")
    robot.write_text(text.replace("<link name='l3'>", "<link name='l3'><visual><geometry><mesh filename='part.stl'/></geometry></visual>"))
    log = write_log(tmp_path / "log")
    for verb, result in (("show", antaeus.show(log, robot)), ("audit", antaeus.audit(log, robot, endpoints=["l3"]))):
        more = ("--endpoint", "l3") if verb == "audit" else ()
        theirs = command_line(tmp_path / f"out_{verb}", verb, log, "--robot", robot, *more)
        result.save(tmp_path / f"{verb}.html")
        assert (tmp_path / f"{verb}.html").read_bytes() == (theirs / "report.html").read_bytes(), verb


# --- pages of a caller's own -----------------------------------------------------------------------------------------------------


def own_page(name="bench", **more):
    page = antaeus.Page(name, kicker="Test", subtitle=["a ", 0.00123, " b"], badge="late", badge_tone="orange", summary={"n": 3}, **more)
    page.answer("How many?", "Three.", ["see ", ("the list", "list.html"), " of ", 3])
    page.section("first", f"First {name}")
    page.text(f"Plain {name}.", quiet=True)
    page.bullets([name, 2.5])
    page.table(["name", "#value"], [[name, 1.0], [("a link", "https://example.com/a?b=1"), float("nan")]], f"Caption {name}", marks=["strong", "failed"])
    figure = antaeus.Figure("shapes", f"Shapes {name}", description="test", columns=2, panel_height=120.0)
    figure.panel("curves", "x [s]", "y [N]", from_zero=True)
    figure.curve([0, 1, 2], [1.0, float("nan"), 3.0], name)
    figure.curve([0, 1], [1, 2], joined=False, tone="green")
    figure.ribbon([0, 1], [0, 1], [1, 2], tone="sky")
    figure.threshold(2.0, name)
    figure.panel("lanes", x="rate [1/h]", lanes=[name, "b"], height=60.0)
    figure.intervals([0, 1], [1, 2], [3, 4])
    figure.dots([2, 3], [0, 1], [8, float("nan")])
    figure.panel("bars")
    figure.bars([name, "b"], [1, 2], notes=["one", "two"])
    page.figure(figure, f"A caption {name}")
    page.command(f"antaeus {name}")
    page.section("folded", "Folded", folded=True)
    page.text(np.float32(0.5))
    page.section("empty", "Nothing")
    page.table(["a"], [])
    return page


def test_a_page_of_ones_own(tmp_path):
    page = own_page()
    page.save(tmp_path / "page.html")
    page.save(tmp_path / "page.json")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = Elements(text)
    assert [found.count(tag) for tag in ("h1", "table", "svg", "figure", "ul", "script")] == [1, 1, 1, 1, 2, 0]
    links = [attributes["href"] for tag, attributes in found.elements if tag == "a"]
    assert links == ["list.html", "#first", "#folded", "https://example.com/a?b=1"]  # the contents name no empty section
    for words in ("Three.", "late", "badge orange", "0.0012", "<strong>", "antaeus bench", "Caption bench", "–", "0.5"):
        assert words in text or words == "<strong>", words
    assert json.loads((tmp_path / "page.json").read_text()) == page.summary == {"n": 3} and page.title == "bench" and repr(page) == "Page(bench)"
    assert page_in_frame(page._repr_html_()).replace('<base href="about:srcdoc">', "", 1) == text
    own_page().save(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "page.html").read_bytes()


def test_an_own_page_of_hostile_names(tmp_path):
    own_page(HOSTILE).save(tmp_path / "page.html")
    found = Elements((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert found.count("img") == found.count("iframe") == found.count("script") == 0
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "",
                                     "file:///etc/passwd", "vbscript:x", "a b"])
def test_a_link_leads_nowhere_dangerous(tmp_path, address):
    page = antaeus.Page("links")
    page.section("one", "One")
    page.text(("here", address))
    with pytest.raises(antaeus.Error, match="is no address of a link; give one that is relative"):
        page.save(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_what_a_page_refuses(tmp_path):
    page, figure = antaeus.Page("x"), antaeus.Figure("f", "F")
    for call, told in ((lambda: page.text("early"), "the page has no section yet; call section"), (lambda: figure.curve([0], [0]), "no panel yet; call panel"),
                       (lambda: antaeus.Page("x", badge_tone="rde"), "rde"), (lambda: antaeus.Page("x", subtitle=object()), "a object is no text; give str")):
        with pytest.raises(antaeus.OptionsError, match=told):
            call()
    page.section("one", "One")
    figure.panel()
    figure.bars(["a"], [1])
    for call, told in ((lambda: page.text(None), "a NoneType is no text"), (lambda: page.text(True), "a bool is no text"),
                       (lambda: page.text(("a", "b", "c")), "a tuple is no text"), (lambda: page.table(["a", "b"], [[1]]), "row 0 has 1 cells"),
                       (lambda: page.table(["a"], [[1]], marks=["red"]), "'red' is no mark"), (lambda: figure.curve([0], [0], tone="bleu"), "did you mean 'blue'"),
                       (lambda: figure.bars(["b"], [1]), "the same names"), (lambda: antaeus.show(write_log(tmp_path / "log")).text("more"), "is whole")):
        with pytest.raises(antaeus.OptionsError, match=told) as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(antaeus.StatusError, match="values"):
        figure.bars(["a"], [1, 2])
    with pytest.raises(antaeus.Error):
        figure.panel(), figure.curve([0, 1], [0]), figure.svg()
    with pytest.raises(antaeus.Error, match="an id of other characters"):
        antaeus.Figure("A b", "F").svg()
    page.section("one", "Twice")
    page.text("x")
    page.text("y")
    with pytest.raises(antaeus.Error, match="is no id|stands twice"):
        page.section("one", "z"), page.text("z"), page.save(tmp_path / "page.html")
    with pytest.raises(ValueError, match="Out of range|JSON"):
        antaeus.Page("x", summary={"a": float("nan")})
