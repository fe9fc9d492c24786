"""The report as a reader meets it: driven in the machine's Chromium, and every number in its prose walked back to
summary.json."""

import hashlib
import html
import json
import math
import os
import pathlib
import re
import shutil
import subprocess

import needs
import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLI = os.environ.get("ANTAEUS_CLI", str(ROOT / "build/bin/antaeus"))
PACKAGES = ROOT / "build/viewer/node_modules"
CHROMIUM = os.environ.get("CHROMIUM") or next(
    (found for found in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if found), None)
HOSTILE = "x<script>window.hacked=1<!--'\"&<img src=x onerror=window.hacked=1>"
LONG_STEPS = 120_000
REPORT_LIMIT, LONG_LIMIT = 5_000_000, 60_000_000  # [bytes]: what mail and browsers still take without a wait

needs_browser = needs.skip_unless(CHROMIUM, "Chromium is not installed", "apt-get install chromium")
needs_packages = needs.skip_unless((PACKAGES / "playwright-core").is_dir() and shutil.which("node"),
                                   "Node.js or the packages in build/viewer are missing", "make test")


def run(*arguments, code=(0, 1)):
    done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in code, done.stderr
    return done


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The three twins as episodes, and the audit of the incident among them."""
    folder = tmp_path_factory.mktemp("report")
    run("demo", "--out", folder / "demo", "--episodes", folder / "episodes")
    names = sorted((folder / "episodes").iterdir(), key=lambda p: ("incident" not in p.name, p.name))
    command = ["audit", names[0], "--robot", "h1_2"]
    for other in names[1:]:
        command += ["--baseline", other]
    run(*command, "--out", folder / "audit")
    return folder, names, command


def copy_episode(source, target, repeat=1):
    target.mkdir(parents=True)
    for file in source.glob("*.npy"):
        values = numpy.load(file)
        if repeat > 1:
            tiles = [values] * repeat
            if file.stem == "time":
                span = values[-1] - values[0] + numpy.median(numpy.diff(values))
                tiles = [values + i * span for i in range(repeat)]
            values = numpy.concatenate(tiles)
        numpy.save(target / file.name, values)


def save_log(folder, joints, steps, time=True, fill=None):
    folder.mkdir(parents=True)
    t = numpy.arange(steps) * 0.01
    q = numpy.sin(t[:, None] + numpy.arange(joints)) if fill is None else numpy.full((steps, joints), fill)
    for name, values in {"qpos": q, "tau": 3.0 * q, "target_dof": q}.items():
        numpy.save(folder / f"{name}.npy", values)
    if time:
        numpy.save(folder / "time.npy", t)
    return folder


def chain(folder, joints, stretch=""):
    """A robot of so many joints in a row, without shapes; every name ends with `stretch`."""
    links = "".join(f"<link name='l{i}{stretch}'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                    for i in range(joints + 1))
    moves = "".join(f"<joint name='a_rather_long_name_of_joint_{i}{stretch}' type='revolute'><parent link='l{i}{stretch}'/><child link='l{i + 1}{stretch}'/><origin xyz='0 0 .1'/>"
                    f"<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='5'/></joint>" for i in range(joints))
    file = folder / f"chain{joints}{stretch[:200]}.urdf"
    file.write_text(f"<robot name='chain{stretch}'>{links}{moves}</robot>")
    return file


def contact_pages(folder):
    """Motions through contacts: two and one of a robot, limits broken, and feet without a robot."""
    steps, columns = 200, {}
    time = numpy.arange(steps) * 0.01
    base = numpy.tile([0.0, 0, 0.5, 0, 0, 0, 1], (steps, 1))
    base[:, 1] = 0.1 * numpy.sin(3 * time)
    numpy.savez(folder / "motion.npz", time=time, q=numpy.hstack([base, 0.3 * numpy.sin(time[:, None] + numpy.arange(3))]))
    sole = ["--set", "contact.half_length=0.1", "--set", "contact.half_width=0.05"]
    run("contact", folder / "motion.npz", "--robot", chain(folder, 3), "-c", "l0", "-c", "l3", "--over-time", "--with-limits", "cone",
        *sole, "--out", folder / "contact_two")
    long = "x" * 270
    run("contact", folder / "motion.npz", "--robot", chain(folder, 3, long), "-c", "l0" + long, "-c", "l3" + long, *sole, "--out", folder / "contact_long_names")
    rest = numpy.zeros(steps)
    for name, value in (("t", time), ("kin_Fy", 700 + 50 * numpy.sin(3 * time)), ("kin_Tz", rest + 28), ("com_x", rest + 0.04), ("com_y", rest + 1)):
        columns[name] = value
    for foot, z in (("right", 0.1), ("left", -0.1)):
        columns |= {f"{foot}_px": rest, f"{foot}_py": rest + 0.03, f"{foot}_pz": rest + z}
        columns |= {f"{foot}_R{i}{j}": rest + (i == j) for i in range(3) for j in range(3)}
    columns |= {name: rest for name in ("kin_Fx", "kin_Fz", "kin_Tx", "kin_Ty", "com_z")}
    numpy.savetxt(folder / "total.csv", numpy.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    run("contact", "--total", folder / "total.csv", "--out", folder / "contact_total")
    return ["contact_two", "contact_long_names", "contact_total"]


def plain_pages(folder):
    """Pages of logs that a newcomer may have, and of robots that nobody had in mind."""
    logs = {"other": (save_log(folder / "l/other", 7, 300), ["--robot", "h1_2"]),
            "no_time": (save_log(folder / "l/no_time", 3, 300, time=False), ["--robot", "planar_3r"]),
            "one_row": (save_log(folder / "l/one_row", 3, 1), ["--robot", "planar_3r"]),
            "nan": (save_log(folder / "l/nan", 3, 50, fill=numpy.nan), ["--robot", "planar_3r"]),
            "sixty": (save_log(folder / "l/sixty", 60, 300), ["--robot", chain(folder, 60)]),
            "long_names": (save_log(folder / "l" / ("e" * 240), 3, 300), ["--robot", chain(folder, 3, "x" * 270)]),
            "single": (save_log(folder / "l/single", 1, 300), ["--robot", chain(folder, 1)])}
    for name, (log, more) in logs.items():
        run("show", log, *more, "--out", folder / f"show_{name}", code=(0,))
    run("audit", logs["sixty"][0], "--robot", chain(folder, 60), "--endpoint", "l60", "--out", folder / "audit_sixty")
    run("audit", logs["long_names"][0], *logs["long_names"][1], "--endpoint", "l3" + "x" * 270, "--out", folder / "audit_long_names")
    run("audit", logs["nan"][0], "--robot", "planar_3r", "--out", folder / "audit_nan", code=(1,))
    # One page with all that the model has, as tests/report/page_test.cpp makes it.
    (folder / "everything").mkdir()
    tests = pathlib.Path(CLI).with_name("report_tests")
    subprocess.run([tests, "--gtest_filter=Page.EverythingIsWritten"], check=True, capture_output=True,
                   env={**os.environ, "ANTAEUS_PAGE_OUT": str(folder / "everything/report.html")})
    return [f"show_{name}" for name in logs] + ["audit_sixty", "audit_nan", "audit_long_names", "everything", *contact_pages(folder)]


@pytest.fixture(scope="session")
def driven(demo):
    folder, names, _ = demo
    hostile = folder / "h" / HOSTILE
    copy_episode(names[0], hostile)
    run("audit", hostile, "--robot", "h1_2", "--out", folder / "hostile")
    steps = len(numpy.load(names[0] / "tau.npy"))
    copy_episode(names[0], folder / "long_log", -(-LONG_STEPS // steps))
    run("audit", folder / "long_log", "--robot", "h1_2", "--out", folder / "long")
    full_run = next(name for name in names if "pushes" in name.name)
    assert len(numpy.load(full_run / "tau.npy")) == 2620
    run("audit", full_run, "--robot", "h1_2", "--out", folder / "full")
    pages = [folder / name / "report.html" for name in ("audit", "hostile", "long", "full", *plain_pages(folder))]
    done = subprocess.run(["node", HERE / "drive_report.mjs", PACKAGES, CHROMIUM, *pages], capture_output=True, text=True, timeout=1700)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CHECKS = re.findall(r"check\('([a-z0-9_]+)'", (HERE / "drive_report.mjs").read_text()) + [
    "contrast_light", "contrast_dark", "plain_show_other", "plain_show_one_row", "plain_show_sixty", "plain_audit_sixty", "plain_everything", "plain_contact_two", "plain_contact_total", "plain_phone_contact_two", "plain_wide_contact_two", "plain_phone_contact_long_names", "plain_phone_contact_total", "plain_phone_show_long_names", "plain_wide_show_long_names", "plain_phone_audit_long_names", "plain_wide_audit_long_names", "titles_show_long_names", "bars_show_single", "cursor_moves_lines", "cursor_moves_row", "cursor_moves_joints",
    "cursor_moves_slider", "cursor_moves_reading"]


@needs_browser
@needs_packages
@pytest.mark.parametrize("name", CHECKS)
def test_in_the_browser(driven, name):
    print(name, driven[name]["note"])
    assert driven[name]["ok"], driven[name]["note"]


@needs_browser
@needs_packages
def test_every_check_of_the_browser(driven):
    """Those too whose names are made while it runs."""
    assert [(name, found["note"]) for name, found in driven.items() if not found["ok"]] == []


def test_same_input_same_bytes_and_small(demo):
    folder, _, command = demo
    first = (folder / "audit/report.html").read_bytes()
    run(*command, "--out", folder / "again")
    assert hashlib.sha256(first).digest() == hashlib.sha256((folder / "again/report.html").read_bytes()).digest()
    assert len(first) < REPORT_LIMIT
    assert not re.search(rb"""(src|href)\s*=\s*["']?(https?:)?//""", first.split(b'<script type="application/json"')[0])


@needs_browser
@needs_packages
def test_long_log_is_binned(demo, driven):
    size = (demo[0] / "long/report.html").stat().st_size
    assert size < LONG_LIMIT, size


# Pages of print, among them a list of every setting, two baselines in full, the legs and the causal graph: of the recorded incident, and of
# the synthetic one.
MOST_PAGES, MOST_SYNTHETIC_PAGES, MOST_BYTES = 15, 20, 2_000_000


def printed_pages(folder):
    printed = (folder / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF-") and b"%%EOF" in printed[-64:]
    assert (folder / "report.html").stat().st_size < MOST_BYTES
    return len(re.findall(rb"/Type\s*/Page\b", printed))


@needs_browser
def test_the_incident_is_a_short_page_and_a_short_print(demo):
    folder, _, command = demo
    run(*command, "--pdf", "--out", folder / "pdf")
    assert 5 < printed_pages(folder / "pdf") <= MOST_SYNTHETIC_PAGES


@needs_browser
def test_the_recorded_incident_is_a_short_print(tmp_path):
    logs = [needs.reference_data(f"episodes/{name}") for name in ("re3_real_encode_tr1", "re2_real_encode", "re1_real_encode")]
    run("audit", logs[0], "--robot", "h1_2", "--baseline", logs[1], "--baseline", logs[2], "--pdf", "--out", tmp_path)
    assert 5 < printed_pages(tmp_path) <= MOST_PAGES


def test_pdf_without_a_browser_is_said_clearly(demo, tmp_path):
    _, _, command = demo
    environment = {**os.environ, "PATH": str(tmp_path)}
    environment.pop("CHROMIUM", None)
    done = subprocess.run([CLI, *map(str, command), "--pdf", "--out", str(tmp_path / "out")], capture_output=True,
                          text=True, env=environment)
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert "Chromium" in done.stderr and done.stderr.count("\n") == 1
    done = subprocess.run([CLI, *map(str, command), "--pdf", "--out", str(tmp_path / "out")], capture_output=True,
                          text=True, env={**environment, "CHROMIUM": "/bin/false"})
    assert done.returncode == 2 and not (tmp_path / "out").exists() and done.stderr.count("\n") == 1


# --- Every number in the prose is one of the audit's -----------------------------------------------------------------

def leaves(node, found):
    """Numbers of the summary, those written in its settings, the norms of its vectors, the lengths of its lists."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in ("verdict", "cannot_tell", "text", "consequence"):
                leaves(value, found)
    elif isinstance(node, list):
        found.append(float(len(node)))
        if len(node) == 3 and all(isinstance(v, (int, float)) for v in node):
            found.append(math.hypot(*node))
        for value in node:
            leaves(value, found)
    elif isinstance(node, bool) or node is None:
        pass
    elif isinstance(node, (int, float)):
        found.append(float(node))
    elif isinstance(node, str):
        try:
            found.append(float(node))
        except ValueError:
            pass


def known_numbers(summary):
    found = []
    leaves(summary, found)
    derived = [100 * x for x in found if 0 <= x <= 1] + [math.degrees(x) for x in found if abs(x) < 7]
    derived.append(summary["robot"]["total_mass_kg"] * 9.81)
    for a in summary["attributions"]:
        joints = a["joints"]
        for row in range(3):
            derived += [a["wrench"][row] - j["contribution"][row] for j in joints]
            derived += [j["contribution"][row] / j["residual_Nm"] for j in joints if j["residual_Nm"]]
        derived.append(math.hypot(*a["wrench"][:3]))
    focus = summary["focus"]["step"]
    focus_time = next((e["time_s"] for e in summary["events"] if e["step"] == focus), None)
    for c in summary["counterfactuals"]:
        derived.append(math.hypot(*(f or 0.0 for f in c["force_at_focus_N"])))
        if c["first_act_step"] is not None:
            derived.append(abs(focus - c["first_act_step"]))
            if c["first_act_time_s"] is not None and focus_time is not None:
                derived += [abs(focus_time - c["first_act_time_s"]) * s for s in (1, 1000)]
    constants = [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 1.0, 5.0, 0.999, 0.001]  # thresholds of the events, "1 N·m", the tilt, "over 0.999"
    return numpy.abs(numpy.array(found + derived + constants))


def prose_of(page):
    page = page.split('<script type="application/json"')[0]
    for match in re.finditer(r'<(p|li|dd|span|figcaption|caption)[^>]*class="[^"]*\bprose\b[^"]*"[^>]*>(.*?)</\1>', page, re.S):
        yield html.unescape(re.sub(r"<[^>]+>", "", match.group(2)))


def unexplained(page, summary):
    numbers = known_numbers(summary)
    names = sorted({t for t in re.findall(r'"([^"\\]*\d[^"\\]*)"', json.dumps(summary, ensure_ascii=False)) if len(t) < 120},
                   key=len, reverse=True)
    identifiers = [n for n in names if re.fullmatch(r"[\w.+-]*[A-Za-z_][\w.+-]*", n)] + [summary["robot"]["title"]]
    for text in prose_of(page):
        rest = text
        for name in identifiers:
            rest = rest.replace(name, " ")
        for printed in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", rest):
            half = 0.5 * 10 ** -len(printed.partition(".")[2])
            if not numpy.any(numpy.abs(numbers - float(printed)) <= half * 1.000001):
                yield printed, text


def test_every_number_in_the_prose_is_in_the_summary(demo):
    folder, _, _ = demo
    summary = json.loads((folder / "audit/summary.json").read_text())
    page = (folder / "audit/report.html").read_text()
    assert sum(1 for _ in prose_of(page)) > 20
    assert list(unexplained(page, summary)) == []


def test_a_number_from_nowhere_is_noticed(demo):
    folder, _, _ = demo
    summary = json.loads((folder / "audit/summary.json").read_text())
    assert list(unexplained('<p class="prose">It reads 48213.7 N.</p>', summary)) == [("48213.7", "It reads 48213.7 N.")]
