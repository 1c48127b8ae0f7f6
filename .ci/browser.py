#!/usr/bin/env python3
"""Checks report pages in a real browser. `browser.py PAGE... [--axe FILE] [--pictures DIR]`, or
`browser.py PAGE --picture FILE`, which takes the README's picture and checks nothing.

- There is nothing on the console, and nothing is fetched.
- At 360, 1280 and 2560 pixels, in light and dark, folded and unfolded, the page is no wider than the window.
- The pointer over a mark shows its values, a tap too; the arrow keys go from mark to mark and have the values read out;
  Escape hides them; a click unfolds a table; a link of the contents leads to its lab.
- axe-core (its axe.min.js by --axe) finds no violation.
- On paper, no box scrolls.

Pages after `--steps` are those of recorded launches: their controls and keys lead through the steps, and back.

`browser.py --self-test --axe FILE` checks these checks, on pages with mistakes in them. Needs Debian's chromium and
chromium-driver. Exit code 1 if something is wrong.
"""

import argparse
import base64
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

WIDTHS = (360, 1280, 2560)
SCHEMES = ("light", "dark")
# WebDriver's name for an element in its replies, and some keys.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
RIGHT, ESCAPE = "\ue014", "\ue00c"


class Browser:
    """A headless Chromium, controlled through chromedriver."""

    def __init__(self) -> None:
        missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
        if missing:
            sys.exit(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.session = ""

    def __enter__(self) -> "Browser":
        for _ in range(100):
            try:
                if self.ask("GET", "/status")["ready"]:
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"
        self.do("/timeouts", {"script": 110_000})
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self.session:
                self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def ask(self, method: str, path: str, body: object = None) -> object:
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:500]}") from error

    def do(self, path: str, body: object = None) -> object:
        return self.ask("POST", self.session + path, body)

    def open(self, page: Path) -> None:
        self.do("/url", {"url": page.resolve().as_uri()})

    def script(self, text: str, *args: object) -> object:
        return self.do("/execute/sync", {"script": text, "args": list(args)})

    def devtools(self, command: str, **params: object) -> dict:
        return self.do("/goog/cdp/execute", {"cmd": command, "params": params})

    def look(self, width: int, scheme: str, height: int = 900) -> None:
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media="", features=features)

    def all(self, selector: str) -> list:
        return self.ask("POST", f"{self.session}/elements", {"using": "css selector", "value": selector})

    def point(self, element: dict, click: bool = False) -> None:
        """Puts the pointer on an element that is in view."""
        moves = [{"type": "pointerMove", "duration": 0, "origin": element, "x": 0, "y": 0}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.do("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def press(self, key: str) -> None:
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.do("/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def settle(self, milliseconds: int = 0) -> None:
        """Waits for the given time, then for two frames, after which an opened page has been drawn."""
        frames = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        self.do("/execute/async", {"script": f"setTimeout(() => {frames}, {milliseconds})", "args": []})

    def picture(self, path: Path) -> None:
        self.settle()
        shot = self.devtools("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def fetched(self) -> list[str]:
        """The requests since the last call, without pages."""
        events = [json.loads(entry["message"])["message"] for entry in self.do("/se/log", {"type": "performance"})]
        asked = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in asked if one["type"] != "Document" and not one["request"]["url"].startswith("data:")]

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.do("/se/log", {"type": "browser"})]


def check(browser: Browser, page: Path, axe: str, pictures: Path | None, *, has_pictures: bool = True) -> list[str]:
    """Returns what is wrong with the page."""
    browser.look(1280, "light")
    browser.open(page)
    wrong = interaction(browser) if has_pictures else []
    wrong += links(browser)
    for scheme in SCHEMES:
        for width in WIDTHS:
            browser.look(width, scheme)
            browser.open(page)
            if pictures:
                browser.picture(pictures / f"{page.stem}-{scheme}-{width}.png")
            for how in ("folded", "unfolded"):
                if how == "unfolded":
                    browser.script("for (const one of document.querySelectorAll('details')) one.open = true")
                wrong += [f"{width} pixels, {how}: {what}" for what in wide(browser)]
        wrong += [f"{scheme}: {what}" for what in accessibility(browser, axe)]
    wrong += paper(browser)
    wrong += [f"fetches {name}" for name in browser.fetched()]
    wrong += [f"console: {line}" for line in browser.console()]
    return list(dict.fromkeys(wrong))


def wide(browser: Browser) -> list[str]:
    """Names the widest element of a page that is wider than the window."""
    return browser.script("""
        const room = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= room) return [];
        const all = [...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll, .finding'));
        const end = (one) => one.getBoundingClientRect().right;
        const most = all.reduce((a, b) => end(a) < end(b) ? b : a);
        return [`the page is ${document.documentElement.scrollWidth} pixels wide, by ${most.outerHTML.slice(0, 120)}`];
    """)


def accessibility(browser: Browser, axe: str) -> list[str]:
    # Rows of a table are alike: only a few of each kind are checked, since thousands take minutes.
    browser.script("""
        for (const body of document.querySelectorAll('tbody')) {
            const seen = {};
            for (const row of [...body.rows]) {
                const kind = row.className + [...row.querySelectorAll('[class]')].map((one) => one.className).join();
                seen[kind] = (seen[kind] ?? 0) + 1;
                if (seen[kind] > 2) row.remove();
            }
        }""")
    browser.script(axe + "; window.axe = axe;")
    found = browser.do("/execute/async", {"script": """
        const done = arguments[arguments.length - 1];
        axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations.map(
            (one) => `${one.id}: ${one.help}: ${one.nodes.length} times, first ${one.nodes[0].html.slice(0, 160)} ` +
                one.nodes[0].failureSummary.slice(0, 200))), (error) => done([String(error)]));
    """, "args": []})
    return [f"axe: {what}" for what in found]


# When a page is scrolled, Chromium reports a tenth of a second later which element is under the pointer now.
SCROLLED = 300


def interaction(browser: Browser) -> list[str]:
    """Checks pointer, keys and clicks."""
    wrong = []
    tip = "const tip = document.getElementById('tip'); return tip && !tip.hidden ? tip.textContent : ''"
    # Only visible marks: other pictures must first be unfolded by a click.
    pictures = browser.all("section > figure .picture, .figures:not(details *) .picture")
    if not pictures:
        return ["there is no picture"]
    for kind in (".bar", ".part", ".point"):
        marks = [one for one in browser.all(f"section > figure .mark {kind}, .figures:not(details *) .mark {kind}")]
        if not marks:
            continue
        browser.script("arguments[0].scrollIntoView({ block: 'center' })", marks[0])
        browser.settle(SCROLLED)
        browser.script("document.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))")
        browser.point(marks[0])
        if not browser.script(tip):
            wrong.append(f"the pointer over {kind} shows nothing")
        # The values disappear when the pointer leaves the mark.
        browser.point(browser.all("h1")[0]) if in_view(browser, "h1") else browser.script("document.body.click()")
        browser.script("document.body.click()")
        if browser.script(tip):
            wrong.append(f"what the pointer over {kind} shows stays")
        browser.point(marks[0], click=True)
        if not browser.script(tip):
            wrong.append(f"a tap on {kind} shows nothing")
    browser.script("arguments[0].scrollIntoView({ block: 'center' }); arguments[0].focus()", pictures[0])
    browser.settle(SCROLLED)
    said = "return document.getElementById('said')?.textContent ?? ''"
    heard = []
    for _ in range(2):
        browser.press(RIGHT)
        heard.append(browser.script(said))
    if not all(heard) or heard[0] == heard[1]:
        wrong.append(f"the arrow keys do not read out one value after another: {heard}")
    # Chromium's late pointer event hides the values again, once.
    for _ in range(3):
        if browser.script(tip):
            break
        browser.press(RIGHT)
    else:
        wrong.append("the arrow keys show nothing")
    # Three times: whatever else hides them at that moment, like a movement of the pointer that the browser makes up when
    # the page has scrolled, does not do so each time.
    for _ in range(3):
        browser.press(RIGHT)
        browser.press(ESCAPE)
        if browser.script(tip):
            wrong.append("Escape does not hide the values")
            break
    summaries = browser.all("section > figure summary, .figures:not(details *) summary")
    if not summaries:
        wrong.append("no picture has its data")
    else:
        browser.script("arguments[0].scrollIntoView({ block: 'center' })", summaries[0])
        browser.point(summaries[0], click=True)
        if not browser.script("return arguments[0].parentElement.open", summaries[0]):
            wrong.append("a click does not unfold the data")
    return wrong


def stepping(browser: Browser) -> list[str]:
    """Checks the controls and keys of the page of a recorded launch."""
    wrong = []
    state = "return [document.getElementById('number').textContent, document.getElementById('said').textContent]"
    opened = browser.script(state)
    browser.script("document.getElementById('first').click()")
    first = browser.script(state)
    browser.script("document.getElementById('step').click()")
    second = browser.script(state)
    browser.press(RIGHT)
    third = browser.script(state)
    if not first[0].startswith("1 of ") or len({first[0], second[0], third[0]}) != 3:
        wrong.append(f"the steps are {first[0]}, {second[0]}, {third[0]}")
    browser.script("document.getElementById('first').click()")
    if browser.script(state) != first:
        wrong.append("First does not lead back to the first step")
    for kind in browser.script("return [...document.querySelectorAll('[data-jump]:enabled')].map((one) => one.dataset.jump)"):
        browser.script(f"document.querySelector('[data-jump={kind}]').click()")
        if browser.script(state) == first:
            wrong.append(f"no step is the next {kind}")
        if kind == "finding" and browser.script(state) != opened:
            wrong.append(f"the page opens at step {opened[0]}, and not at its finding")
        browser.script("document.getElementById('first').click()")
    if not browser.script("return !!document.querySelector('[data-jump=finding]:enabled')") and opened != first:
        wrong.append(f"the page opens at step {opened[0]}, without a finding")
    browser.press("b")
    here = "return document.querySelector('#source [aria-current]')?.textContent.includes('sync')"
    if browser.script("return !!document.querySelector('[data-jump=barrier]:enabled')") and not browser.script(here):
        wrong.append("the key b does not lead to a barrier")
    # Forwards to the end and back, each panel shows what it showed before.
    panels = "return [...document.querySelectorAll('.panel')].map((one) => one.textContent)"
    before = browser.script(panels)
    browser.script("shownLaunch.go(Infinity)")
    browser.script("for (let n = 0; n < 20; n += 1) shownLaunch.move(-1)")
    browser.press("B")
    browser.script("shownLaunch.go(0)")
    browser.press("b")
    if browser.script(panels) != before:
        wrong.append("forwards and back leads to another state")
    browser.script("shownLaunch.go(Infinity)")
    writer = "return document.querySelector('#access button')"
    for _ in range(400):
        if browser.script(writer):
            break
        browser.script("shownLaunch.move(-1)")
    before = browser.script(state)
    browser.script("document.querySelector('#access button')?.click()")
    if browser.script(state) == before:
        wrong.append("the writer of a cell is not found")
    return wrong


def links(browser: Browser) -> list[str]:
    """Lists links within the page that lead nowhere."""
    wrong = []
    for link in browser.script("return [...document.querySelectorAll('a[href^=\"#\"]')].map((one) => one.getAttribute('href'))"):
        if not browser.script("return !!document.getElementById(arguments[0].slice(1))", link):
            wrong.append(f"the link {link} leads nowhere")
    return wrong


def in_view(browser: Browser, selector: str) -> bool:
    return browser.script("""
        const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return box.top >= 0 && box.bottom <= innerHeight""", selector)


def paper(browser: Browser) -> list[str]:
    browser.devtools("Emulation.setEmulatedMedia", media="print", features=[])
    scrolls = browser.script("""
        const boxes = [...document.querySelectorAll('.scroll')];
        return boxes.filter((box) => getComputedStyle(box).overflowY !== 'visible').length""")
    wrong = [f"on paper, {scrolls} boxes scroll"] if scrolls else []
    pdf = browser.devtools("Page.printToPDF", printBackground=True)["data"]
    return wrong if len(pdf) > 10_000 else [*wrong, "the page prints as nothing"]


def readme_picture(browser: Browser, page: Path, path: Path) -> None:
    """Takes a picture of a report: its top, and the first figure of a lab, side by side with nothing cut off."""
    browser.look(1200, "light", 1000)
    browser.open(page)
    # Only the parts for the README: the summary, and a ladder.
    browser.script("""
        document.querySelector('nav').remove();
        const figures = [...document.querySelectorAll('.lab figure')];
        const ladder = figures.find((one) => one.querySelector('.peer'));
        const lab = ladder.closest('.lab').id.split('-').pop();
        ladder.querySelector('h4').textContent = `${lab}: ${ladder.querySelector('h4').textContent}`;
        const roofline = document.querySelector('section > figure');
        const both = document.createElement('div');
        both.className = 'figures';
        both.append(ladder, roofline);
        const main = document.querySelector('main');
        const top = [main.querySelector('h2'), main.querySelector('.totals')];
        main.replaceChildren(...top, both);
        document.querySelectorAll('figure details').forEach((one) => one.remove());
    """)
    height = browser.script("return Math.ceil(document.querySelector('main').getBoundingClientRect().bottom + 16)")
    browser.look(1200, "light", min(height, 1400))
    browser.picture(path)


def self_test(browser: Browser, axe: str) -> int:
    """Checks that every check detects its mistake."""
    good = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">
<style>.scroll { overflow: auto } p { min-height: 20px } @media print { .scroll { overflow: visible } }</style></head><body><main><h1>title</h1>
<section><figure><div class="picture" tabindex="0" role="group" aria-label="x"><svg role="img" aria-label="x" width="200" height="60">
<g class="mark"><rect class="bar" width="50" height="20" fill="#000"/></g><g class="mark"><rect class="bar" y="30" width="50" height="20"/></g></svg></div>
<details><summary>data</summary><div class="scroll" tabindex="0" role="region" aria-label="x">d</div></details></figure></section><a href="#tip">go</a>
<div id="tip" hidden></div><div id="said"></div></main><script>
const tip = document.getElementById("tip"), marks = [...document.querySelectorAll(".mark")]; let at = -1;
const show = (i) => { tip.hidden = i < 0; if (i >= 0) tip.textContent = "value " + i; };
for (const event of ["pointerover", "click"]) document.addEventListener(event, (e) => show(marks.indexOf(e.target.closest?.(".mark"))));
document.querySelector(".picture").addEventListener("keydown", (e) => {
  if (e.key === "Escape") return show(-1);
  at += 1; show(at); document.getElementById("said").textContent = "value " + at; });
</script></body></html>"""
    filler = "<p>" + "word " * 40 + "</p>"
    good = good.replace("<h1>title</h1>", "<h1>title</h1>" + filler * 60)
    mistakes = {
        "": ("", ""),
        "console:": ("let at = -1;", "let at = -1; console.error('oh');"),
        "fetches": ("</main>", '<img alt="x" src="other.png"></main>'),
        "pixels wide": ("<h1>title</h1>", '<h1 style="width: 3000px">title</h1>'),
        "the pointer over": ('["pointerover", "click"]', '["click"]'),
        "shows stays": ("show(marks.indexOf", "((i) => i >= 0 && show(i))(marks.indexOf"),
        "the arrow keys do not": ("at += 1;", "at = 0;"),
        "Escape": ('"Escape"', '"End"'),
        "does not unfold": ("<summary>", '<summary onclick="event.preventDefault()">'),
        "leads nowhere": ("#tip\"", "#gone\""),
        "color-contrast": ("<h1>title</h1>", '<h1 style="color: #ddd">title</h1>'),
        "on paper": ("overflow: visible", "color: black"),
        "there is no picture": ('class="picture"', 'class="other"'),
    }
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        for expected, (old, new) in mistakes.items():
            assert old in good, old
            page.write_text(good.replace(old, new, 1) if old else good)
            found = check(browser, page, axe, None)
            is_seen = any(expected in what for what in found) if expected else not found
            if not is_seen:
                failed += 1
                print(f"self-test: {expected or 'a good page'} gave {found}")
    print(f"{len(mistakes) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Looks at report pages in a real browser.")
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--tables", nargs="*", type=Path, default=[], help="pages that have no pictures, but tables alone")
    parser.add_argument("--steps", nargs="*", type=Path, default=[], help="pages of recorded launches")
    parser.add_argument("--axe", type=Path, help="axe-core's axe.min.js")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    parser.add_argument("--picture", type=Path, help="take the README's picture into this file")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    with Browser() as browser:
        if options.picture:
            readme_picture(browser, options.pages[0], options.picture)
            return 0
        if not options.axe:
            parser.error("--axe is needed")
        axe = options.axe.read_text()
        if options.self_test:
            return self_test(browser, axe)
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
        failed = 0
        pages = options.pages + options.tables + options.steps
        for page in pages:
            wrong = check(browser, page, axe, options.pictures, has_pictures=page in options.pages)
            if page in options.steps:
                browser.look(1280, "light")
                browser.open(page)
                browser.settle(SCROLLED)
                wrong += stepping(browser)
            failed += bool(wrong)
            print(f"{page}: {'good' if not wrong else ''}")
            for what in wrong:
                print(f"  {what}")
    print(f"browser: {len(pages) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
