"""The page of `amrclaw view` in a real browser. Left out where there is no Chromium (Debian's package `chromium`) or no Playwright."""

import base64
import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the page is not tested: there is no Playwright")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the page is not tested: there is no Chromium")

PROGRAM = os.environ.get("AMRCLAW", "amrclaw")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


# What `amrclaw mesh make` makes for cases on meshes from files.
MESHES = {"naca0012": ["naca0012", "--around", "16", "--radius", "2"], "missile": ["ogive", "--cells", "2", "--fins"]}


def run(folder, example, *sets, output="out"):
    if example in MESHES:
        kind, *rest = MESHES[example]
        subprocess.run([PROGRAM, "mesh", "make", kind, "mesh.msh", *rest], cwd=folder, check=True, capture_output=True)
        sets = (*sets, f"mesh.file={folder / 'mesh.msh'}")
    words = [word for text in (*sets, "output.png=false") for word in ("--set", text)]
    case = EXAMPLES / example / "case.toml"
    subprocess.run([PROGRAM, "run", case, *words, "--output", output, "--quiet"], cwd=folder, check=True)


class Browser:
    """A page that complains of nothing, and asks nobody but who sent it."""

    def __init__(self, browser):
        self.page = browser.new_page(viewport={"width": 1000, "height": 800})
        self.complaints, self.requests = [], []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        self.page.goto(address)
        until(self.page, lambda state: state.get("time") is not None)
        return self.page

    def check(self):
        own = self.requests[0].split("#")[0]
        foreign = [url for url in self.requests if not url.startswith(own) and not url.startswith(("blob:", "data:"))]
        assert (foreign, self.complaints) == ([], [])
        assert own.startswith("http") or self.requests == [own]
        assert self.page.locator("#error").is_hidden()


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium):
    """A page; afterwards nothing may have gone wrong, and nothing been asked of others."""
    browser = Browser(chromium)
    yield browser
    browser.page.close()


@pytest.fixture
def view(tmp_path, browser):
    """Opens the page of runs in `tmp_path`."""
    program = None

    def open_page(*folders):
        nonlocal program
        program = subprocess.Popen([PROGRAM, "view", *(folders or ["out"])], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        return browser.open(program.stdout.readline().strip())

    yield open_page
    browser.check()
    if program:
        program.terminate()
        program.wait()


def draw_line(page, x, y):
    """Draws a line from the pointer's place and waits for its chart."""
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(x + 60, y + 40)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.locator("#lines canvas").wait_for(timeout=30000)


def state(page):
    return page.evaluate("window.amrclaw ? window.amrclaw.state() : {}")


def until(page, wanted, seconds=60):
    """Waits; the page's policy forbids Playwright's own way. Returns how long it took."""
    start = time.monotonic()
    while not wanted(state(page)):
        assert time.monotonic() < start + seconds, state(page)
        time.sleep(0.02)
    return time.monotonic() - start


def test_pixels_are_those_of_plot(tmp_path, view):
    """With whole pixels in each cell, every pixel has the colour that `amrclaw plot` gives it, but for rounding to 8 bits, linear and
    logarithmic, on all levels."""
    numpy, image = pytest.importorskip("numpy"), pytest.importorskip("matplotlib.image")
    run(tmp_path, "euler_quadrants", "mesh.cells=[20,20]", "levels.max=3", "time.end=0.1", "output.count=1")
    page = view()
    for field, log in [("density", False), ("x_momentum - y_momentum", False), ("density", True)]:
        page.evaluate("([field, log]) => window.amrclaw.set({ field, log, outlines: false })", [field, log])
        # 20 cells, twice refined by 2: 4 pixels for each of the finest.
        page.evaluate(
            """async () => {
                const map = window.amrclaw.views()[0].map, scale = 1 / 320;
                map.part = { scale, centre: [0.5 * map.canvas.width * scale, 1 - 0.5 * map.canvas.height * scale] };
                await window.amrclaw.show();
            }"""
        )
        seen = page.evaluate(
            """() => {
                const { gl, canvas } = window.amrclaw.views()[0].map, pixels = new Uint8Array(320 * 320 * 4);
                gl.readPixels(0, canvas.height - 320, 320, 320, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
                // Playwright takes seconds for a list of as many numbers.
                let text = "";
                for (let k = 0; k < pixels.length; k += 8192) text += String.fromCharCode(...pixels.subarray(k, k + 8192));
                return btoa(text);
            }"""
        )
        seen = numpy.frombuffer(base64.b64decode(seen), numpy.uint8).astype(int).reshape(320, 320, 4)[::-1, :, :3]
        options = ["--field", field, "--size", "320", "--no-outlines", "--output", "plot.png", *(["--log"] if log else [])]
        subprocess.run([PROGRAM, "plot", "out", *options], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        plot = (255 * image.imread(tmp_path / "plot.png")[:, :, :3]).round().astype(int)

        def differ(top, left, step):
            return numpy.abs(plot[top : top + 320 : step, left : left + 320 : step] - seen[::step, ::step]).max()

        places = [(top, left) for top in range(plot.shape[0] - 319) for left in range(plot.shape[1] - 319)]
        close = [place for place in places if differ(*place, 16) <= 1]
        assert any(differ(*place, 1) <= 1 for place in close), (field, log, min(differ(*place, 16) for place in places))
        assert numpy.unique(seen.reshape(-1, 3), axis=0).shape[0] > 10


def test_keys_pointer_and_address(tmp_path, view):
    """Keys change the view as they say; the pointer shows a value in full precision; a line its values; the address keeps the view."""
    run(tmp_path, "acoustics_radial", "mesh.cells=[20,20]", "time.end=0.2", "output.times=[0.0,0.1,0.2]")
    page = view()
    assert state(page)["frame"] == 2 and state(page)["draws"] == 1
    for key, wanted in [
        ("ArrowLeft", lambda now: now["frame"] == 1 and now["time"] == 0.1),
        ("Home", lambda now: now["time"] == 0.0),
        ("End", lambda now: now["time"] == 0.2),
        ("o", lambda now: not now["outlines"]),
        ("+", lambda now: now["part"] is not None),
        ("[", lambda now: now["levels"] > 0 and now["shown"] == now["levels"]),
        ("]", lambda now: now["levels"] == 0),
    ]:
        page.keyboard.press(key)
        until(page, wanted)
    before = state(page)["part"]["scale"]
    box = page.locator("figure canvas").first.bounding_box()
    x, y = box["x"] + 0.5 * box["width"] + 30, box["y"] + 0.5 * box["height"] + 20
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    until(page, lambda now: now["part"]["scale"] < before)
    page.mouse.move(x + 1, y)
    deadline = time.monotonic() + 30
    while not (said := re.match(r"pressure = (\S+)   level \d+, patch \d+, cell \[", page.locator("#probe").text_content())):
        assert time.monotonic() < deadline, page.locator("#probe").text_content()
        time.sleep(0.05)
    assert float(said[1]) != 0.0
    draw_line(page, x, y)
    page.locator("#charts summary").click()
    page.locator("#steps canvas").first.wait_for(timeout=30000)
    assert page.locator("#steps canvas").count() == 7, "the last is the drift of totals"
    kept = state(page)
    page.reload()
    until(page, lambda now: now.get("time") is not None)
    assert {key: state(page)[key] for key in ("part", "outlines")} == {key: kept[key] for key in ("part", "outlines")}
    assert "--zoom" in page.locator("#command").text_content()


def test_a_running_run_is_followed(tmp_path, view):
    """While a run goes on, each of its frames is seen within a second of its writing; its status is told, with steps between frames too, and
    at last its end. The page looks again 0.4 s after each look; half of the frames may come later where the machine has other work, none
    after five seconds."""
    amrclaw = pytest.importorskip("amrclaw")
    sets = {"mesh.cells": [20, 20], "output.every_steps": 3, "time.max_steps": 24, "output.png": False}
    sets |= {"time.dt": 0.005, "time.end": 1.0}
    slowly = threading.Thread(
        target=amrclaw.run,
        args=(EXAMPLES / "acoustics_radial" / "case.toml",),
        kwargs={"set": sets, "output": tmp_path / "out", "progress": lambda *_: time.sleep(0.25)},
    )
    slowly.start()
    while not (tmp_path / "out" / "frame_0000.vtkhdf").exists():
        time.sleep(0.02)
    page = view()
    seen, told = {}, set()
    while (busy := slowly.is_alive()) or len(seen) < 9:
        seen.setdefault(state(page)["frames"][-1], time.time())
        told.add(page.locator("#status").text_content().split(",")[0])
        assert busy or time.time() < max(seen.values()) + 20
        time.sleep(0.02)
    slowly.join()
    lags = [at - (tmp_path / "out" / f"frame_{n:04}.vtkhdf").stat().st_mtime for n, at in sorted(seen.items())[1:]]
    print("seconds from frame to page:", [round(lag, 2) for lag in lags])
    assert len(lags) >= 7 and sorted(lags)[len(lags) // 2] < 1.0 and max(lags) < 5.0, lags
    steps = [int(text.removeprefix("running: step ")) for text in told if text.startswith("running: step ")]
    assert any(step % 3 != 0 for step in steps), told
    until(page, lambda now: page.locator("#status").text_content() == "done")


def test_pictures_of_the_case_are_ready(tmp_path, view, browser):
    """The page begins with the first picture that the case asks for, and shows another when it is chosen: field, range, colours, lines; a
    page in one file holds their fields."""
    plots = 'plot=[{name="fast",field="hypot(u, v)",range=[0,0.5],colours="magma_r"},{name="cut",field="pressure",slice={y=0.5},zoom=[0,1,0,1]}]'
    run(tmp_path, "acoustics_radial", "mesh.cells=[20,20]", "time.end=0.1", plots)
    page = view()
    until(page, lambda now: now["field"] == "hypot(u, v)" and now["scale"] == {"low": 0, "high": 0.5, "log": False, "map": "magma_r"})
    page.locator("#plots").select_option("cut")
    until(page, lambda now: now["field"] == "pressure" and now["part"] is not None and now["map"] == "auto")
    page.locator("#lines canvas").wait_for(timeout=30000)
    subprocess.run([PROGRAM, "view", "out", "--save", "page.html"], cwd=tmp_path, check=True)
    browser.check()
    # What the page still asks for would come after its requests are forgotten.
    browser.page.goto("about:blank")
    browser.requests.clear()
    page = browser.open((tmp_path / "page.html").as_uri())
    until(page, lambda now: now["field"] == "hypot(u, v)" and now["range"] == "given")
    assert "pressure ±" in page.locator("#note").text_content()


def test_two_runs_and_their_difference(tmp_path, view):
    """The difference is that of each cell of the first run and the second's finest cell at its centre, and has its own colours; a line drawn in one
    run is drawn in both."""
    numpy, amrclaw = pytest.importorskip("numpy"), pytest.importorskip("amrclaw")
    sets = ("mesh.cells=[20,20]", "time.end=0.1", "output.times=[0.1]")
    run(tmp_path, "acoustics_radial", *sets)
    run(tmp_path, "acoustics_radial", *sets, "levels.max=1", output="other")
    page = view("out", "other")
    assert page.locator("figure").count() == 3
    first, second = (amrclaw.load(str(tmp_path / name))[-1] for name in ("out", "other"))
    found = page.evaluate("window.amrclaw.views()[2].tiles.patches.map(({ values }) => Array.from(values))")
    patches = [patch for level in range(len(first.levels)) for patch in first.patches(level + 1)]
    for patch, values in zip(patches, found):
        centres = numpy.stack(numpy.meshgrid(patch.x, patch.y, indexing="ij"), -1).reshape(-1, 2)
        exact = patch["pressure"] - second.sample(centres, "pressure", method="nearest").reshape(patch.shape)
        numpy.testing.assert_allclose(numpy.array(values).reshape(patch.shape, order="F"), exact, atol=2e-7)
    box = page.locator("figure canvas").first.bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    page.mouse.move(x, y)
    draw_line(page, x, y)
    assert page.evaluate("window.amrclaw.views().map(({ map }) => map.lines.length)") == [1, 1, 0]


ANNULUS = ("advection_annulus", "mesh.cells=[20,24]", "time.end=0.2", "output.times=[0.2]", "levels.max=2")
WING = ("naca0012", "time.max_steps=9", "output.count=1")
MISSILE = ("missile", "time.max_steps=9", "output.count=1")
HILL = ("acoustics_3d_hill", "mesh.cells=[12,10,8]", "time.end=0.1", "output.times=[0.1]", "levels.max=2")


@pytest.mark.parametrize("example, saved", [(ANNULUS, False), (ANNULUS, True), (HILL, False), (WING, False), (WING, True), (MISSILE, False), (MISSILE, True)])
def test_meshes_are_shown_in_space(tmp_path, browser, view, example, saved):
    """On mapped meshes and those from files pixels have the colour of the value at their physical place, which is the frame's there, in three dimensions
    on a cut; but for edges of cells and of colours."""
    numpy, amrclaw = pytest.importorskip("numpy"), pytest.importorskip("amrclaw")
    run(tmp_path, *example)
    if saved:
        subprocess.run([PROGRAM, "view", "out", "--save", "page.html"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    page = browser.open((tmp_path / "page.html").as_uri()) if saved else view()
    points, seen, colours = page.evaluate(
        """async () => {
            const [view] = window.amrclaw.views(), { map, tiles } = view, { gl, canvas } = map, { scale, frames, frame } = window.amrclaw.state();
            const [points, seen, colours] = [[], [], []];
            await window.amrclaw.set({ outlines: false });
            for (let k = 0; k < 400; k += 1) {
                const at = [(k * 137) % canvas.width, (k * 71) % canvas.height], pixel = new Uint8Array(4);
                gl.readPixels(at[0], canvas.height - 1 - at[1], 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
                points.push(view.point(map.position(at[0] + 0.5, at[1] + 0.5)));
                seen.push(Array.from(pixel));
            }
            const found = [];
            for (let k = 0; k < 400; k += 50) found.push(...await window.amrclaw.source.points(0, frames[frame], { field: tiles.field ?? window.amrclaw.state().field, slice: view.cut, numbers: points.slice(k, k + 50).flat().join(",") }));
            for (const value of found) {
                const { table } = map.maps[scale.map], last = table.length / 3 - 1;
                const n = value && Math.round(Math.min(1, Math.max(0, (Number(value[0]) - scale.low) / (scale.high - scale.low))) * last);
                colours.push(value ? [...table.slice(3 * n, 3 * n + 3), Number(value[0])] : null);
            }
            return [points, seen, colours];
        }"""
    )
    frame = amrclaw.load(str(tmp_path / "out"))[0]
    # In space the program finds the cell by the inverse of the mapping, on other meshes by its nodes, and a saved page by its picture.
    exact = [numpy.nan if colour is None else colour[3] for colour in colours]
    if example is ANNULUS:
        exact = frame.sample(frame.computational(points), frame.fields[0], method="nearest", outside="nan")
    right = [
        (pixel[3] == 0) == numpy.isnan(value) if colour is None or numpy.isnan(value)
        else abs(colour[3] - value) < 1e-4 and numpy.abs(numpy.subtract(pixel[:3], colour[:3])).max() <= 2
        for pixel, colour, value in zip(seen, colours, exact)
    ]
    assert sum(colour is not None for colour in colours) > 100 and sum(right) >= 385, sum(right)
    if saved:
        browser.check()


def test_a_saved_page_needs_nothing(tmp_path, browser):
    """A page in one file, opened from the disk, asks for nothing, and shows the run: the values at the pointer differ from the frame's by no
    more than the page says, keys change the frame, and small pictures of all frames and fields go to theirs."""
    numpy, amrclaw = pytest.importorskip("numpy"), pytest.importorskip("amrclaw")
    run(tmp_path, "acoustics_radial", "mesh.cells=[20,20]", "time.end=0.2", "output.times=[0.0,0.1,0.2]")
    said = subprocess.run([PROGRAM, "view", "out", "--save", "page.html", "--field", "pressure", "--field", "u*100"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert said.stdout == "page.html\n"
    page = browser.open((tmp_path / "page.html").as_uri())
    assert (state(page)["frames"], state(page)["shown"], state(page)["draws"]) == ([0, 1, 2], 3, 1)
    frame = amrclaw.load(str(tmp_path / "out"))[2]
    points = numpy.random.default_rng(1).uniform(-1, 1, (50, 2))
    found = page.evaluate("([numbers, field]) => window.amrclaw.source.points(0, 2, { field, numbers })", [",".join(map(str, points.ravel())), "u*100"])
    exact = 100 * frame.sample(points, "u", method="nearest")
    values, errors = (numpy.array([point[k] for point in found]) for k in (0, 4))
    assert (abs(values - exact) <= errors).all() and errors.max() < 1e-4 * abs(exact).max()
    assert "u*100 ±" in page.locator("#note").text_content()
    page.keyboard.press("Home")
    until(page, lambda now: now["time"] == 0.0)
    page.locator("#grid summary").click()
    page.locator("#grid button").nth(5).wait_for(timeout=30000)
    page.locator("#grid button").nth(4).click()
    until(page, lambda now: now["time"] == 0.1 and now["field"] == "u*100")
    page.evaluate("window.amrclaw.set({ field: 'v' })")
    page.locator("#error").wait_for(timeout=30000)
    assert "this page holds pressure, u*100" in page.locator("#error").text_content()
    page.evaluate("window.amrclaw.set({ field: 'pressure' })")
    page.locator("#error").wait_for(state="hidden", timeout=30000)
    browser.check()


def test_notebooks_show_pages_and_pictures(tmp_path, browser):
    """What a notebook shows of a run, a frame and a simulation works in a page of another page, which asks for nothing; a table with a picture
    stands for each, also for a case, and nothing that a file names becomes part of a page."""
    amrclaw = pytest.importorskip("amrclaw")
    run(tmp_path, "acoustics_radial", "mesh.cells=[20,20]", "time.end=0.1", "output.times=[0.0,0.1]")
    out = tmp_path / "a <b> & out"
    (tmp_path / "out").rename(out)
    found, case = amrclaw.load(str(out)), amrclaw.load_case(EXAMPLES / "acoustics_radial" / "case.toml", set={"mesh.cells": [20, 20]})
    sim = amrclaw.Simulation(case)
    sim.step()
    for shown, word in [(found, "1 patch, 400 cells"), (found[1], "0.1"), (sim, "steps"), (case, "[-1, 1] × [-1, 1]")]:
        html = shown._repr_html_()
        assert "<b>" in html and "a <b>" not in html and "data:image/png;base64," in html and word in html, html[:500]
    views = [found.view("pressure", budget=0.5), found[1].view(["u + v", "pressure"]), sim.view()]
    assert views[0].left_out is None and "levels above 2" in found.view("pressure", budget=0.99e-6 * len(views[0].html)).left_out
    (tmp_path / "notebook.html").write_text("<!doctype html><meta charset=utf-8>" + "".join(view._repr_html_() for view in views))
    browser.page.goto((tmp_path / "notebook.html").as_uri())
    frames = browser.page.frames[1:]
    for frame, time, field in zip(frames, [0.1, 0.1, sim.time], ["pressure", "u + v", "pressure"]):
        until(frame, lambda now: now.get("time") == time and now["field"] == field)
        frame.locator("#grid summary").click()
        frame.locator("#grid button").first.wait_for(timeout=30000)
    browser.check()


@pytest.mark.parametrize("example", ["traffic_light", "acoustics_spherical"])
def test_other_dimensions(tmp_path, view, example):
    """A curve in one dimension, three cuts in three, of which a click in one moves the others to its place."""
    cells = {"traffic_light": "mesh.cells=[60]", "acoustics_spherical": "mesh.cells=[12,12,12]"}
    run(tmp_path, example, cells[example], "time.max_steps=3", "levels.max=2")
    page = view()
    if example == "traffic_light":
        assert page.locator("figure").count() == 1
        return
    assert page.locator("figure").count() == 3
    box = page.locator("figure canvas").first.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"] + 50, box["y"] + 0.5 * box["height"] - 30)
    until(page, lambda now: page.evaluate("window.amrclaw.views()[2].cut") != "0,0")
    z, y, x = page.evaluate("window.amrclaw.views().map(({ cut }) => Number(cut.split(',')[1]))")
    pixel = page.evaluate("window.amrclaw.views()[0].map.view().scale")
    assert z == 0 and abs(x - 50 * pixel) < 2 * pixel and abs(y - 30 * pixel) < 2 * pixel, (x, y, z, pixel)
