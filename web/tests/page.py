"""The page in a browser, with the functions that all tests need."""

import base64
import pathlib
import re
import subprocess
import time

from driver import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
# Every kind of file that can hold code objects.
FILES = ROOT / "cli" / "tests" / "cli" / "files"


class Page(Browser):
    def __init__(self, page, tool, shots):
        super().__init__()
        self.page = pathlib.Path(page).resolve().as_uri()
        self.tool_path, self.shots = tool, pathlib.Path(shots)
        self.shots.mkdir(parents=True, exist_ok=True)

    def open(self, hash_="", size=(1280, 1000)):
        self.size(*size)
        self.go("about:blank")
        self.go(self.page + hash_)
        self.wait("return document.documentElement.dataset.ready")

    def hash(self):
        return self.run("return location.hash")

    def state(self, name):
        found = re.search(rf"[#&]{name}=([^&]*)", self.hash())
        return found[1] if found else None

    def tool(self, *args):
        done = subprocess.run([self.tool_path, *args], capture_output=True, text=True)
        return done.stdout + done.stderr

    def words(self):
        return self.state("words").split("_") if self.state("words") else []

    def picture(self, name):
        # Colours and the listing need some time to settle.
        time.sleep(0.2)
        self.shot(self.shots / f"{name}.png")

    def drop(self, name, data):
        """Drops a file, as if it came from the desktop. A large one in parts: a call takes only so much."""
        self.run("window.parts = []")
        text = base64.b64encode(data).decode()
        for start in range(0, len(text), 4 << 20):
            self.run("window.parts.push(arguments[0])", text[start : start + (4 << 20)])
        self.run(
            """const bytes = Uint8Array.from(atob(parts.join("")), (c) => c.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], arguments[0]));
            document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));""",
            name,
        )


def same(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


# A generator of pseudo-random numbers that are the same in every browser.
RANDOM = "let seed = 1; const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 7;"
