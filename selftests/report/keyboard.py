# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Read a page by keyboard alone, in headless Chromium: `python3 keyboard.py PAGE LINKS`.

Tab reaches each of the LINKS first links, in the order of the page, and shows where it is;
Enter on a mark goes to its record. Prints what is wrong, and exits with 1 then.
"""
import json
import subprocess
import sys
import urllib.error
import urllib.request

TAB, ENTER = "\ue004", "\ue007"
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

    def end(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


# Number of the link that has the focus, whether it can be seen, and whether that is shown
FOCUS = """
const a = document.activeElement, all = [...document.querySelectorAll("a[href]")];
const r = a.getBoundingClientRect(), s = getComputedStyle(a);
return [all.indexOf(a), r.bottom > 0 && r.top < innerHeight,
        s.outlineStyle != "none" && parseFloat(s.outlineWidth) > 0];
"""
# The first mark of a chart
MARK = """
const mark = document.querySelector(".marks a[href]");
mark.focus();
return mark.getAttribute("href");
"""
TARGET = """
const t = document.querySelector(":target"), r = t && t.getBoundingClientRect();
return [location.hash, t && t.id, Boolean(t) && r.bottom > 0 && r.top < innerHeight];
"""


def main():
    page, links = sys.argv[1], int(sys.argv[2])
    wrong = []
    browser = Browser()
    browser.call("POST", "/url", {"url": "file://" + page})
    for number in range(links):
        browser.press(TAB)
        focus = browser.run(FOCUS)
        if focus != [number, True, True]:
            wrong.append(f"Tab to link {number}: link, in sight, shown: {focus}")
    href = browser.run(MARK)
    browser.press(ENTER)
    target = browser.run(TARGET)
    if target != [href, href[1:], True]:
        wrong.append(f"Enter on the mark {href} leads to {target}")
    browser.end()
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
