// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Zoom of the chart's time axis. Without this script the chart is as the command wrote it.
"use strict";
{
	const MINUTE = 60 * 1000, DAY = 24 * 60 * MINUTE;
	const HELP = "Zoom: drag over the chart, or turn the wheel with Ctrl; in the chart, " +
		     "the keys +, -, \u2190, \u2192, and 0 for all";
	const BUTTONS = [["+", "+", "Zoom in"], ["-", "-", "Zoom out"],
			 ["\u2190", "ArrowLeft", "Earlier"], ["\u2192", "ArrowRight", "Later"],
			 ["All", "0", "All times"]];
	// Pixels that a mouse moves before that is no click
	const DRAG = 4;
	// Between the bar of an incident and its name, as in chart.c
	const GAP = 4;

	const svg = document.querySelector("#chart svg"), axis = svg.querySelector(".axis");
	const width = svg.viewBox.baseVal.width;
	// What axis.c says. Times are milliseconds, those of elements from the axis' beginning on.
	const [left, right, least, letter] = numbers(["left", "right", "least", "letter"]);
	const [begin, span, ticks] = numbers(["begin", "span", "ticks"]);
	const steps = axis.dataset.steps.split(" ").map(Number), isMono = "mono" in axis.dataset;
	const rects = svg.querySelectorAll("rect[data-t]");
	const marks = [...svg.querySelectorAll(".marks a")].map(link => [link, readRecords(link)]);
	const tools = document.createElement("div"), output = document.createElement("output");

	// The times that are shown, and functions that bring the chart as written back
	let from = 0, to = span;
	const undo = [];
	let drag = null, hasDragged = false;

	function numbers(names) {
		return names.map(name => +axis.dataset[name]);
	}

	// The records that a mark is for
	function readRecords(link) {
		const more = link.dataset.more ? link.dataset.more.split(" ") : [];

		return [link.getAttribute("href").slice(2), ...more].map(seq => {
			const row = document.getElementById("r" + seq);

			return { seq, row, ms: +row.dataset.t };
		});
	}

	function clamp(value, low, high) {
		return Math.max(low, Math.min(value, high));
	}

	function place(ms) {
		return left + (ms - from) / (to - from) * (right - left);
	}

	function timeAt(x) {
		return from + (x - left) / (right - left) * (to - from);
	}

	function set(element, name, value) {
		const old = element.getAttribute(name);

		undo.push(() => old === null ? element.removeAttribute(name) :
					       element.setAttribute(name, old));
		element.setAttribute(name, value);
	}

	// As write_label() of axis.c does
	function label(ms, step) {
		const iso = new Date(ms).toISOString();

		if (isMono)
			return (ms / 1000).toFixed(3) + "s";
		if (step >= DAY)
			return iso.slice(5, 10);
		return iso.slice(11, step >= MINUTE ? 16 : step >= 1000 ? 19 : 23);
	}

	// A path begins at its place; what follows is its shape.
	function movedPath(path, x) {
		return path.getAttribute("d").replace(/^M[\d.]+/, "M" + x.toFixed(1));
	}

	function moveAxis() {
		const step = steps.find(s => (to - from) / s < ticks) || steps[steps.length - 1];
		const old = [...axis.childNodes], [oldLine, oldText] = axis.children;

		undo.push(() => {
			axis.textContent = "";
			axis.append(...old);
		});
		axis.textContent = "";
		for (let n = Math.ceil((begin + from) / step); n * step <= begin + to; n++) {
			const line = oldLine.cloneNode(), text = oldText.cloneNode();
			const x = place(n * step - begin), words = label(n * step, step);

			line.setAttribute("d", movedPath(line, x));
			text.setAttribute("x", x.toFixed(1));
			text.classList.toggle("end", x + words.length * letter / 2 > width);
			text.textContent = words;
			axis.append(line, text);
		}
	}

	// The state in a bar, if there is room, or the name of an incident beside its bar
	function moveText(text, x1, x2, ends) {
		const length = text.textContent.length * letter, line = text.getAttribute("y");
		let x = (x1 + x2) / 2, fits = x2 - x1 > length + 8;

		if (!text.classList.contains("on")) {
			x = x2 + GAP + length > width ? x1 - GAP - length : x2 + GAP;
			fits = x >= Math.max(left, ends.get(line) || 0);
			if (fits)
				ends.set(line, x + length);
		}
		set(text, "x", x.toFixed(1));
		set(text, "display", fits ? "inline" : "none");
	}

	// @ends: of the incidents' names so far, for each line
	function moveRect(rect, ends) {
		const [start, end] = rect.dataset.t.split(" ").map(Number), link = rect.parentNode;
		const thin = Math.min(rect.getAttribute("width"), least);
		const x1 = clamp(place(start), left, right), text = link.querySelector("text");
		const x2 = Math.max(clamp(place(end), left, right), x1 + thin);

		if (end < from || start > to) {
			set(link, "display", "none");
			return;
		}
		set(rect, "x", x1.toFixed(1));
		set(rect, "width", (x2 - x1).toFixed(1));
		if (text)
			moveText(text, x1, x2, ends);
	}

	// As write_mark() of chart_marks.c does
	function markTitle(records) {
		const [{ seq, row }] = records, more = records.length - 1;

		return `${row.cells[1].textContent} ${row.cells[3].textContent}` +
		       (more ? ` and ${more} more, #${seq} to #${records[more].seq}` : `, #${seq}`);
	}

	// Records of a mark have marks of their own when they are no longer at one place.
	function moveMark(link, records) {
		const bucket = record => Math.floor(2 * place(record.ms)), groups = [];

		for (const record of records.filter(({ ms }) => ms >= from && ms <= to)) {
			const last = groups[groups.length - 1];

			if (last && bucket(last[0]) === bucket(record))
				last.push(record);
			else
				groups.push([record]);
		}
		if (groups.length === 1 && groups[0].length === records.length) {
			const path = link.querySelector("path");

			set(path, "d", movedPath(path, place(records[0].ms)));
			return;
		}
		for (const group of groups) {
			const copy = link.cloneNode(true), path = copy.querySelector("path");

			copy.setAttribute("href", "#r" + group[0].seq);
			copy.dataset.more = group.slice(1).map(({ seq }) => seq).join(" ");
			if (group.length === 1)
				delete copy.dataset.more;
			copy.querySelector("title").textContent = markTitle(group);
			path.setAttribute("d", movedPath(path, place(group[0].ms)));
			link.before(copy);
			undo.push(() => copy.remove());
		}
		set(link, "display", "none");
	}

	function isAll() {
		return to - from >= span;
	}

	function moment(ms) {
		const date = span < DAY || isMono ? "" : label(begin + ms, DAY) + " ";

		return date + label(begin + ms, 0);
	}

	function draw() {
		const hadFocus = svg.contains(document.activeElement), ends = new Map();

		while (undo.length)
			undo.pop()();
		output.textContent = `${moment(from)} to ${moment(to)}`;
		if (!isAll()) {
			moveAxis();
			rects.forEach(rect => moveRect(rect, ends));
			marks.forEach(([link, records]) => moveMark(link, records));
		}
		// What had the focus may be gone.
		if (hadFocus && (!svg.contains(document.activeElement) ||
				 document.activeElement.closest("[display=none]")))
			svg.focus({ preventScroll: true });
	}

	// All, or at least a millisecond
	function show(start, length) {
		const size = clamp(length, 1, span);

		from = clamp(start, 0, span - size);
		to = from + size;
		draw();
	}

	// What is at @ms stays where it is.
	function zoom(factor, ms) {
		const size = clamp((to - from) / factor, 1, span);

		show(ms - (ms - from) / (to - from) * size, size);
	}

	function pan(part) {
		show(from + part * (to - from), to - from);
	}

	// Whether the key has done something
	function press(key) {
		const before = [from, to].join();

		if (key === "+" || key === "=")
			zoom(2, (from + to) / 2);
		else if (key === "-")
			zoom(1 / 2, (from + to) / 2);
		else if (key === "ArrowLeft")
			pan(-1 / 4);
		else if (key === "ArrowRight")
			pan(1 / 4);
		else if (key === "0" || key === "Home")
			show(0, span);
		return [from, to].join() !== before;
	}

	function xOf(event) {
		const point = new DOMPoint(event.clientX, event.clientY);

		return point.matrixTransform(svg.getScreenCTM().inverse()).x;
	}

	function beginDrag(event) {
		const x = xOf(event);

		hasDragged = false;
		if (event.button === 0 && event.pointerType !== "touch" && x >= left)
			drag = { x, clientX: event.clientX, rect: null };
	}

	function moveDrag(event) {
		const x = clamp(xOf(event), left, right);

		if (!drag || (!drag.rect && Math.abs(event.clientX - drag.clientX) < DRAG))
			return;
		if (!drag.rect) {
			svg.setPointerCapture(event.pointerId);
			drag.rect = document.createElementNS(svg.namespaceURI, "rect");
			drag.rect.setAttribute("class", "selected");
			drag.rect.setAttribute("height", svg.viewBox.baseVal.height);
			svg.append(drag.rect);
		}
		drag.rect.setAttribute("x", Math.min(x, drag.x));
		drag.rect.setAttribute("width", Math.abs(x - drag.x));
	}

	function endDrag(event) {
		const { x, rect } = drag || {};

		drag = null;
		if (!rect)
			return;
		rect.remove();
		hasDragged = event.type === "pointerup";
		if (hasDragged) {
			const times = [x, clamp(xOf(event), left, right)].map(timeAt);

			show(Math.min(...times), Math.abs(times[1] - times[0]));
		}
	}

	function listen() {
		svg.addEventListener("keydown", event => {
			if (!event.ctrlKey && !event.altKey && !event.metaKey && press(event.key))
				event.preventDefault();
		});
		svg.addEventListener("wheel", event => {
			if (!event.ctrlKey)
				return;
			event.preventDefault();
			zoom(Math.exp(-event.deltaY / 300), timeAt(clamp(xOf(event), left, right)));
		}, { passive: false });
		svg.addEventListener("pointerdown", beginDrag);
		svg.addEventListener("pointermove", moveDrag);
		svg.addEventListener("pointerup", endDrag);
		svg.addEventListener("pointercancel", endDrag);
		svg.addEventListener("dblclick", () => show(0, span));
		for (const type of ["dragstart", "selectstart"])
			svg.addEventListener(type, event => drag && event.preventDefault());
		// Not the one of a key, which has no detail
		svg.addEventListener("click", event => {
			if (hasDragged && event.detail)
				event.preventDefault();
		}, true);
	}

	function addTools() {
		const help = document.createElement("span");

		tools.className = "zoom";
		for (const [sign, key, name] of BUTTONS) {
			const button = document.createElement("button");

			button.type = "button";
			button.textContent = sign;
			button.title = `${name} (key ${sign === "All" ? key : sign} in the chart)`;
			button.setAttribute("aria-label", name);
			button.addEventListener("click", () => press(key));
			tools.append(button);
		}
		help.id = "zoom";
		help.textContent = HELP;
		tools.append(help, output);
		svg.before(tools);
		svg.setAttribute("tabindex", "0");
		svg.setAttribute("aria-describedby", help.id);
		draw();
	}

	if (span > 1) {
		addTools();
		listen();
	}
}
