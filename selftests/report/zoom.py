# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Zoom the chart of a page in headless Chromium: `python3 zoom.py PAGE`.

The page is that of the hour: see page.c. Prints what is wrong, and exits with 1 then.
"""
import sys

from browser import CONTROL, ENTER, LEFT, TAB, Browser

MINUTE = 60 * 1000
# The chart as it is now
CHART = """
const svg = document.querySelector("#chart svg"), box = svg.getBoundingClientRect();
const scale = box.width / svg.viewBox.baseVal.width, axis = svg.querySelector(".axis").dataset;
const seen = e => !e.closest("[display=none]"), marks = [...svg.querySelectorAll(".marks a")];
const others = a => (a.dataset.more || "").split(" ").filter(Boolean);
const times = a => [a.getAttribute("href").slice(2), ...others(a)].map(
	seq => +document.getElementById("r" + seq).dataset.t);
const blind = svg.querySelector(".blind rect"), mark = marks.find(seen);
const markBox = mark && mark.querySelector("path").getBoundingClientRect();
return {
	html: svg.outerHTML,
	labels: [...svg.querySelectorAll(".axis text")].map(e => e.textContent),
	places: [...svg.querySelectorAll(".axis text")].map(e => +e.getAttribute("x")),
	range: document.querySelector(".zoom output").textContent,
	blind: seen(blind) ? +blind.getAttribute("width") : 0,
	shapes: new Set([...svg.querySelectorAll(".marks path")].map(
		e => e.getAttribute("d").replace(/^M\\S+ \\d+/, ""))).size,
	marks: marks.length,
	shown: marks.filter(seen).flatMap(times),
	widest: Math.max(...[...svg.querySelectorAll("rect[data-t]")].filter(seen).map(
		e => +e.getAttribute("x") + +e.getAttribute("width"))),
	focus: document.activeElement == svg,
	outline: getComputedStyle(svg).outlineStyle,
	href: mark && mark.getAttribute("href"),
	mark: mark && [markBox.x + markBox.width / 2, markBox.y + markBox.height / 2],
	hash: location.hash,
	scrolled: scrollY,
	left: box.x + scale * axis.left, right: box.x + scale * axis.right, y: box.y + scale * 200,
	span: +axis.span,
};
"""
# After a link was followed
RETURN = """
history.replaceState(null, "", location.pathname);
scrollTo(0, 0);
document.querySelector("#chart svg").focus();
"""

wrong = []


def is_(what, got, wanted):
    if got != wanted:
        wrong.append(f"{what}: {str(got)[:200]}, wanted {str(wanted)[:200]}")


def near(what, got, wanted, by):
    if abs(got - wanted) > by:
        wrong.append(f"{what}: {got}, wanted {wanted}")


def ms_of(label):
    """Of HH:MM, HH:MM:SS and HH:MM:SS.mmm, in the hour from 10:00 on"""
    parts = [float(part) for part in label.split(":")] + [0]
    return round(((parts[0] - 10) * 3600 + parts[1] * 60 + parts[2]) * 1000)


def by_keys(browser, full):
    while not browser.run(CHART)["focus"]:
        browser.keys(TAB)
    is_("the focus is shown", browser.run(CHART)["outline"], "solid")
    browser.keys("+")
    half = browser.run(CHART)
    low, high = (ms_of(end) for end in half["range"].split(" to "))
    near("+ shows half of the time", (high - low) / full["span"], 0.5, 0.001)
    near("... in the middle", low + high, ms_of("11:00") - full["span"] + ms_of("11:00"), 4)
    near("a bar is twice as wide", half["blind"] / full["blind"], 2, 0.01)
    is_("marks have one of their shapes", half["shapes"], full["shapes"])
    is_("other labels", half["labels"] != full["labels"], True)
    first = ms_of("11:00") - full["span"]
    is_("marks outside are hidden", sorted(set(half["shown"])),
        sorted({t for t in full["shown"] if low <= t + first <= high}))
    is_("bars end with the axis", half["widest"] <= 892, True)
    for label, x in zip(half["labels"], half["places"]):
        near(f"place of {label}", x, 190 + 700 * (ms_of(label) - low) / (high - low), 0.2)
    browser.keys(LEFT)
    later = browser.run(CHART)
    near("left: a quarter earlier", ms_of(later["range"].split(" to ")[0]),
         low - (high - low) / 4, 2)
    browser.keys("-")
    is_("- zooms out", browser.run(CHART)["html"], full["html"])
    browser.keys("+", LEFT, "+", "0")
    is_("0 shows all, as it was", browser.run(CHART)["html"], full["html"])
    browser.keys(*"+" * 40)
    least = browser.run(CHART)["range"].split(" to ")
    near("a millisecond is left", ms_of(least[1]) - ms_of(least[0]), 1, 1)
    is_("... with labels", len(browser.run(CHART)["labels"]) > 0, True)
    browser.keys("0")


def by_mouse(browser, full):
    y, left, right = full["y"], full["left"], full["right"]
    browser.mouse((left + 1, y), "pointerDown", (left + 50, y), (right - 1, y), "pointerUp")
    most = browser.run(CHART)
    is_("almost all: the labels of the command", most["labels"], full["labels"][:-1])
    is_("... is another picture", most["html"] == full["html"], False)
    browser.mouse((left + 9, y), "pointerDown", "pointerUp", "pointerDown", "pointerUp")
    is_("a double click shows all", browser.run(CHART)["html"], full["html"])
    # From a link on, to the right end
    x, y = full["mark"]
    browser.mouse((x, y), "pointerDown", (x + 50, y), (right + 20, y), "pointerUp")
    part = browser.run(CHART)
    low, high = (ms_of(end) for end in part["range"].split(" to "))
    near("a drag zooms to its beginning", high - low,
         full["span"] * (right - x) / (right - left), full["span"] / 500)
    is_("... and follows no link", part["hash"], "")
    browser.mouse(part["mark"], "pointerDown", (part["mark"][0] + 2, part["mark"][1]), "pointerUp")
    is_("a click does", browser.run(CHART)["hash"], part["href"])
    browser.run(RETURN)
    browser.keys("0")
    wheel = {"type": "wheel", "id": "wheel", "actions": [{
        "type": "scroll", "x": round((left + right) / 2), "y": round(full["y"]), "deltaX": 0, "deltaY": -200}]}
    down, up = ({"type": "key", "id": "keys", "actions": [{"type": t, "value": CONTROL}]}
                for t in ("keyDown", "keyUp"))
    browser.act(wheel)
    is_("the wheel alone does not zoom", browser.run(CHART)["html"], full["html"])
    browser.act(down)
    browser.act(wheel)
    browser.act(up)
    is_("... with Ctrl it does", browser.run(CHART)["blind"] > full["blind"] * 1.5, True)
    browser.run("document.querySelector('.zoom button:last-of-type').click()")
    is_("the button All shows all", browser.run(CHART)["html"], full["html"])


def apart(browser, full):
    """What fails at 10:08:02 has few marks, until there is room."""
    near_it = 8 * MINUTE + 1000, 8 * MINUTE + 8000
    first = ms_of("11:00") - full["span"]
    low, high = (full["left"] + (t - first) / full["span"] * (full["right"] - full["left"])
                 for t in near_it)
    browser.mouse((low - 1, full["y"]), "pointerDown", (low + 9, full["y"]), (high + 1, full["y"]),
                  "pointerUp")
    zoomed = browser.run(CHART)
    for t in sorted(set(zoomed["shown"])):
        is_(f"records at {t} have as many marks", zoomed["shown"].count(t), full["shown"].count(t))
    is_("there are more marks", zoomed["marks"] > full["marks"], True)
    titles = browser.run("""return [...document.querySelectorAll(".marks a:not([data-more]) title")]
        .map(e => e.textContent)""")
    is_("... with titles of their own", any(" and " in title for title in titles), False)
    browser.run("document.querySelector('.marks a:not([display])').focus()")
    browser.keys(ENTER)
    is_("Enter follows the link of one", browser.run(CHART)["hash"], zoomed["href"])


def main():
    browser = Browser()
    try:
        browser.call("POST", "/window/rect", {"width": 1440, "height": 1100})
        browser.call("POST", "/url", {"url": "file://" + sys.argv[1]})
        full = browser.run(CHART)
        by_keys(browser, full)
        by_mouse(browser, full)
        apart(browser, full)
    finally:
        browser.end()
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
