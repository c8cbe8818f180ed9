#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""report.html, junit.xml and metrics.prom of a tree with everything in it: whole, valid, and drawn.
usage: test_report.py TGEN SOURCE DIRECTORY"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import example

TGEN, SOURCE, WHERE = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PAGE = WHERE / "report.html"
CHARTS = 22  # of the example, at least


def holds(condition, text):
    if not condition:
        raise AssertionError(text)


class Page(html.parser.HTMLParser):
    """What is in the page: ids, references, elements."""

    def __init__(self):
        super().__init__()
        self.ids, self.references, self.elements, self.headings, self.handlers = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("src", "href"):
                self.references.append(value)
            if key.startswith("on"):
                self.handlers.append((tag, key))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))


def page():
    """one file that refers to nothing else, with headings in order and names that stay text"""
    text = PAGE.read_text(encoding="utf-8")
    parsed = Page()
    parsed.feed(text)
    holds(all(r.startswith("#") for r in parsed.references), f"refers to {parsed.references}")
    holds(not re.search(r"url\(\s*['\"]?(?!#)", text), "a style refers to something")
    holds("img" not in parsed.elements and not parsed.handlers, "a name became an element")
    holds(len(set(parsed.ids)) == len(parsed.ids), f"ids twice: {sorted(parsed.ids)}")
    for before, after in zip(parsed.headings, parsed.headings[1:]):
        holds(after <= before + 1, f"headings skip a level: {parsed.headings}")
    for title in ("Change of throughput against plain", "Repeats: throughput"):
        holds(text.count(f"<figcaption>{title} ") == 1, f"no chart: {title}")
    for landmark in ("header", "main", "nav", "footer"):
        holds(landmark in parsed.elements, f"no {landmark}")
    holds(text.count('<figure class="chart">') == text.count("The figures of this chart") >= CHARTS,
          "charts and their tables")


def valid():
    """valid HTML, by tidy"""
    if shutil.which("tidy") is None:
        raise unittest_skip("tidy is not installed")
    done = subprocess.run(["tidy", "-quiet", "-errors", "--drop-empty-elements", "no", str(PAGE)], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # its tables are older than SVG within HTML, where these attributes belong
    bad = [line for line in done.stdout.splitlines() if "<svg> proprietary attribute" not in line]
    holds(not bad, "\n".join(bad[:10]))


class Skipped(Exception):
    pass


def unittest_skip(text):
    return Skipped(text)


def chromium(*words, path=PAGE):
    program = shutil.which("chromium")
    if program is None:
        raise Skipped("chromium is not installed")
    profile = WHERE / "profile"
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--enable-logging=stderr", "--v=0", f"--user-data-dir={profile}", "--virtual-time-budget=8000",
         "--host-resolver-rules=MAP * ~NOTFOUND", *words, path.as_uri()],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    shutil.rmtree(profile, ignore_errors=True)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    holds(not said, "the page's console:\n" + "\n".join(said[:5]))
    return done.stdout


def drawn():
    """in Chromium every chart is drawn, with series in it, and nothing is said on the console"""
    dom = chromium("--window-size=1200,2000", "--dump-dom")
    plots = re.findall(r'<div class="plot".*?</svg>', dom, re.DOTALL)
    holds(len(plots) >= CHARTS, f"{len(plots)} charts were drawn")
    for plot in plots:
        holds(plot.count("<path") >= 3, f"an empty chart: {plot[:400]}")


def pictures():
    """on a desk and a phone, light and dark, and on paper: pictures in the build directory"""
    if os.environ.get("TGEN_LONG") != "1":
        raise Skipped("with TGEN_LONG=1")
    for name, words in {"desk": ["--window-size=1200,6000"], "phone": ["--window-size=360,6000"],
                        "dark": ["--window-size=1200,6000", "--blink-settings=preferredColorScheme=0"]}.items():
        target = WHERE / f"{name}.png"
        chromium("--hide-scrollbars", f"--screenshot={target}", *words)
        holds(target.stat().st_size > 20000, f"{name}: an empty picture")
    target = WHERE / "paper.pdf"
    chromium(f"--print-to-pdf={target}", "--no-pdf-header-footer")
    holds(target.read_bytes()[:5] == b"%PDF-" and target.stat().st_size > 20000, "paper: an empty file")


def phone():
    """nothing is wider than a phone"""
    text = PAGE.read_text(encoding="utf-8")
    probe = WHERE / "probe.html"
    probe.write_text(text.replace("</body>", "<script>parent.postMessage('wide ' + document.documentElement.scrollWidth"
                                             " + ' of ' + window.innerWidth, '*');</script></body>"), encoding="utf-8")
    # a window cannot be that narrow, a frame can
    frame = WHERE / "frame.html"
    frame.write_text("<script>onmessage = (e) => { document.title = e.data; };</script>"
                     "<iframe src='probe.html' width='360' height='800' style='border: 0'></iframe>", encoding="utf-8")
    dom = chromium("--window-size=800,900", "--dump-dom", path=frame)
    wide, room = map(int, re.search(r"<title>wide (\d+) of (\d+)", dom).groups())
    holds(room == 360, f"a frame of {room} pixels")
    holds(wide <= room, f"{wide} pixels wide in a window of {room}")


def junit():
    """JUnit XML, by the schema"""
    if shutil.which("xmllint") is None:
        raise Skipped("xmllint is not installed")
    done = subprocess.run(["xmllint", "--noout", "--schema", str(SOURCE / "tests/report/junit.xsd"),
                           str(WHERE / "junit.xml")], check=False, text=True, stderr=subprocess.PIPE)
    holds(done.returncode == 0, done.stderr[:2000])
    text = (WHERE / "junit.xml").read_text(encoding="utf-8")
    for part in ("<failure", "<error", "<skipped", "throughput = "):
        holds(part in text, f"no {part}")


def prometheus():
    """Prometheus's text format, by its own parser"""
    try:
        from prometheus_client.parser import text_string_to_metric_families  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Skipped("python3-prometheus-client is not installed") from error
    text = (WHERE / "metrics.prom").read_text(encoding="utf-8")
    seen = set()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            holds(key not in seen, f"twice: {key}")
            seen.add(key)
    holds(len(seen) > 30, f"{len(seen)} series")


def main():
    shutil.rmtree(WHERE, ignore_errors=True)
    WHERE.mkdir(parents=True)
    tree = example.tree()
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        schema = json.loads(subprocess.run([TGEN, "schema", "results"], check=True, stdout=subprocess.PIPE).stdout)
        jsonschema.Draft202012Validator(schema).validate(tree)
    except ImportError:
        pass
    (WHERE / "results.json").write_text(json.dumps(tree), encoding="utf-8")
    subprocess.run([TGEN, "report", str(WHERE)], check=True)
    failed = skipped = 0
    for case in (page, valid, junit, prometheus, drawn, phone, pictures):
        try:
            case()
            print(f"ok    {case.__doc__}")
        except Skipped as reason:
            skipped += 1
            print(f"skip  {case.__doc__}: {reason}")
        except AssertionError as error:
            failed += 1
            print(f"FAIL  {case.__doc__}\n{error}")
    print(f"{failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    os.environ.setdefault("HOME", str(WHERE))
    main()
