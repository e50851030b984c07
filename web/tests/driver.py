"""A browser, by WebDriver: the functions that test.py needs."""

import base64
import json
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": flags}, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            session = self.begin(wanted)
        except BaseException:
            self.process.kill()
            raise
        self.url += "/session/" + session["sessionId"]

    def begin(self, wanted):
        """The driver needs a moment before it listens."""
        for _ in range(100):
            try:
                return self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def go(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args, seconds=20):
        """Waits until the script returns something true."""
        end = time.time() + seconds
        while time.time() < end:
            value = self.run(script, *args)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("never true: " + script + " " + repr(args) + "; " + repr(self.log()))

    def find(self, css):
        return self.call("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def text(self, css):
        return self.run("return document.querySelector(arguments[0])?.innerText", css)

    def texts(self, css):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)", css)

    def value(self, css):
        return self.run("return document.querySelector(arguments[0]).value", css)

    def click(self, css):
        self.call("POST", f"/element/{self.find(css)}/click", {})

    def click_text(self, css, text):
        """The first of some elements with this text in it."""
        script = "return [...document.querySelectorAll(arguments[0])].find((e) => e.innerText.includes(arguments[1]))"
        found = self.wait(script, css, text)
        self.call("POST", f"/element/{found[ELEMENT]}/click", {})

    def type(self, css, text):
        """Types a text instead of the existing one."""
        element = self.find(css)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def keys(self, css, text):
        self.call("POST", f"/element/{self.find(css)}/value", {"text": text})

    def size(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def phone(self, width, height):
        """A narrower window than browsers on a desktop make, until `desktop`."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def desktop(self):
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})

    def shot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self):
        """The errors since the last call."""
        lines = self.call("POST", "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] == "SEVERE"]
