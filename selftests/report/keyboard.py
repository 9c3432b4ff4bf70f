# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Read a page by keyboard alone, in headless Chromium: `python3 keyboard.py PAGE LINKS`.

Tab reaches the LINKS first of what takes the focus, in the order of the page, and shows where
it is; Enter on a mark goes to its record. Prints what is wrong, and exits with 1 then.
"""
import sys

from browser import ENTER, TAB, Browser

# Number of what has the focus, whether it can be seen, and whether that is shown
FOCUS = """
const a = document.activeElement;
const all = [...document.querySelectorAll("a[href], button, [tabindex]")];
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
            wrong.append(f"Tab {number}: place, in sight, shown: {focus}")
    href = browser.run(MARK)
    browser.press(ENTER)
    target = browser.run(TARGET)
    if target != [href, href[1:], True]:
        wrong.append(f"Enter on the mark {href} leads to {target}")
    browser.end()
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
