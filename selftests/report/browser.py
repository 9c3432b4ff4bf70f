# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Headless Chromium by ChromeDriver, for keyboard.py and zoom.py."""
import json
import subprocess
import sys
import urllib.error
import urllib.request

TAB, ENTER, CONTROL, LEFT = "\ue004", "\ue007", "\ue009", "\ue012"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A session of ChromeDriver (W3C WebDriver)."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.url = "http://127.0.0.1:" + line.split()[-1].rstrip(".")
                break
        else:
            sys.exit("chromedriver does not start")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"args": options}}}
        answer = self.call("POST", "/session", {"capabilities": wanted})
        self.url += "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{path}: {error.read().decode()}")

    def press(self, key):
        active = self.call("GET", "/element/active")[ELEMENT]
        self.call("POST", f"/element/{active}/value", {"text": key})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def act(self, *sources):
        self.call("POST", "/actions", {"actions": list(sources)})

    def keys(self, *keys):
        """Press and release them one after the other, wherever the focus is."""
        steps = [{"type": t, "value": key} for key in keys for t in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keys", "actions": steps})

    def mouse(self, *steps):
        """Moves to (x, y), or up and down with the button."""
        actions = [{"type": s, "button": 0} if isinstance(s, str) else
                   {"type": "pointerMove", "x": round(s[0]), "y": round(s[1])} for s in steps]
        self.act({"type": "pointer", "id": "mouse", "actions": actions})

    def end(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
