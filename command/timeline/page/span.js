// SPDX-License-Identifier: LGPL-2.1-or-later
// A span of time that the reader chose: its ruler in the picture, and the
// statistics of what is in it.

const SNAP_PIXELS = 6;
const EDGE_PIXELS = 5;
const RULER_HEIGHT = 18;

// Counts what lies in a span of time, both ends included, as `report --begin
// --end` does: events by class; and by kind those slices of which both events are
// in it, and those that begin in it and do not end there. `shown`: which lanes
// count, or null.
function statistics(model, begin, end, shown)
{
	const { spans, span_from, span_to, span_kind, span_fate } = model;
	const first = lower_bound(model.time, begin, 0, model.n);
	const behind = upper_bound(model.time, end, first, model.n);
	const classes = new Map(), kinds = new Map();
	let events = 0;

	for (let i = first; i < behind; i++) {
		if (shown && !shown[model.lane[i]])
			continue;
		events++;
		classes.set(model.class[i], (classes.get(model.class[i]) || 0) +
			    1);
	}
	for (let i = 0; i < spans; i++) {
		const fate = span_fate[i];

		if (span_from[i] < begin || span_from[i] > end ||
		    fate === GIVEN_UP || fate === BACKWARDS ||
		    (shown && !shown[model.span_lane[i]]))
			continue;
		if (!kinds.has(span_kind[i]))
			kinds.set(span_kind[i], { number: span_kind[i],
				unfinished: 0, durations: [] });
		const own = kinds.get(span_kind[i]);

		if (fate === FINISHED && span_to[i] <= end)
			own.durations.push(span_to[i] - span_from[i]);
		else
			own.unfinished++;
	}
	return { events, classes, kinds: [...kinds.values()].map(own => ({
		number: own.number, unfinished: own.unfinished,
		...sums_of(Float64Array.from(own.durations).sort()) })) };
}

// What the tables say of durations, which are sorted.
function sums_of(sorted)
{
	return { finished: sorted.length,
		 ns: sorted.reduce((sum, one) => sum + one, 0),
		 p99: quantile(sorted, 990), longest: quantile(sorted, 1000) };
}

// The span, from `begin` to `end` in whole ns, or none.
class Span {
	constructor(app)
	{
		this.app = app;
		this.clear();
		this.watch_axis(by_id('axis'));
	}

	get is_there()
	{
		return this.begin !== null;
	}

	clear()
	{
		this.begin = this.end = null;
	}

	// An address may have any time: beyond the page there is no date.
	set(a, b)
	{
		const whole = this.app.whole();
		const inside = ns => Math.round(Math.max(whole.begin,
			Math.min(whole.end, ns)));

		this.begin = inside(Math.min(a, b));
		this.end = inside(Math.max(a, b));
	}

	// Shows what is in it. Nothing else is selected then.
	show()
	{
		this.app.select(null);
	}

	// The line that a screen reader says.
	sentence()
	{
		return 'Selected span of ' + duration_text(this.end -
			this.begin) + ' from ' + offset_text(this.begin);
	}

	// The edge that is near a place of the axis: the other one, which stays; or
	// undefined.
	other_edge(x)
	{
		const { app, begin, end } = this;
		const near = ns => Math.abs(app.x(ns) - x) <= EDGE_PIXELS;

		return !this.is_there ? undefined : near(end) ? begin :
			near(begin) ? end : undefined;
	}

	// The time at a place of the plot: an edge of what is there, if it is near.
	snap(x, y)
	{
		const { app } = this;
		const item = app.item_at(x, y);
		const edges = item === null ? [] : [app.report.from(item),
						    app.report.to(item)];
		const near = edges.find(ns => Math.abs(app.x(ns) - x) <=
					SNAP_PIXELS);

		return near === undefined ? app.time(x) : near;
	}

	// A drag over the axis selects; a click there selects nothing.
	watch_axis(axis)
	{
		const { app } = this;
		const at = event => event.clientX -
			axis.getBoundingClientRect().left;
		let start = null, anchor = 0;
		const move = event => {
			const x = at(event);

			axis.classList.toggle('edge', this.other_edge(x) !==
					      undefined);
			if (start === null || Math.abs(x - start) <
			    CLICK_PIXELS)
				return;
			this.set(anchor, app.time(x));
			app.draw_over();
		};
		const up = event => {
			if (start !== null && Math.abs(at(event) - start) <
			    CLICK_PIXELS)
				this.clear();
			if (start !== null)
				this.show();
			start = null;
		};

		axis.addEventListener('pointerdown', event => {
			if (event.button !== 0)
				return;
			axis.setPointerCapture(event.pointerId);
			start = at(event);
			anchor = this.other_edge(start) ?? app.time(start);
		});
		axis.addEventListener('pointermove', move);
		axis.addEventListener('pointerup', up);
		axis.addEventListener('pointercancel', () => {
			start = null;
		});
	}

	// Takes the time of the selected item, else the time in view.
	take()
	{
		const { app } = this;
		const { selected, report, view } = app;

		if (selected === null)
			this.set(Math.max(0, view.begin), Math.min(
				app.head.span, view.end));
		else
			this.set(report.from(selected), report.to(selected));
		this.show();
	}

	// Goes on to the selected item.
	extend()
	{
		const { selected, report } = this.app;

		if (selected === null || !this.is_there) {
			this.take();
			return;
		}
		this.set(Math.min(this.begin, report.from(selected)),
			 Math.max(this.end, report.to(selected)));
		this.show();
	}

	zoom()
	{
		const edge = Math.max(10, (this.end - this.begin) * 0.05);

		this.app.set_view(this.begin - edge, this.end + edge);
	}

	// The ruler: the span, and how long it is.
	draw(c)
	{
		if (!this.is_there)
			return;
		const { view, colors } = this.app;
		const left = this.app.x(this.begin);
		const right = this.app.x(this.end);
		const from = Math.max(0, left), to = Math.min(view.width, right);

		if (to < 0 || from > view.width)
			return;
		c.fillStyle = colors.accent;
		c.globalAlpha = 0.1;
		c.fillRect(from, 0, Math.max(1, to - from), view.height);
		c.globalAlpha = 1;
		c.fillRect(left - 0.5, 0, 1, view.height);
		c.fillRect(right - 0.5, 0, 1, view.height);
		this.draw_length(c, left, right, (from + to) / 2);
	}

	draw_length(c, left, right, middle)
	{
		const { view, colors } = this.app;
		const text = duration_text(this.end - this.begin);

		c.font = '12px system-ui, "Segoe UI", "Noto Sans", ' +
			'"DejaVu Sans", sans-serif';
		const width = c.measureText(text).width + 10;
		const x = Math.max(0, Math.min(view.width - width,
					       middle - width / 2));
		const y = RULER_HEIGHT / 2 + 1;

		if (right - left > width + 16) {
			c.fillRect(left, y - 0.5, right - left, 1);
			for (const [at, way] of [[left, 5], [right, -5]]) {
				c.beginPath();
				c.moveTo(at, y);
				c.lineTo(at + way, y - 4);
				c.lineTo(at + way, y + 4);
				c.fill();
			}
		}
		c.fillStyle = colors.accent;
		c.fillRect(x, 1, width, RULER_HEIGHT);
		c.fillStyle = colors.back;
		c.textBaseline = 'middle';
		c.fillText(text, x + 5, y + 1);
	}

	// Whether each event in it is loaded.
	is_loaded()
	{
		const { head, model } = this.app;
		const { chunks } = head;
		const before = chunks[model.from - 1];
		const next = chunks[model.to];

		if (model.n === head.events)
			return true;
		if (!model.n || (before && before.to >= this.begin))
			return false;
		// behind the last chunk, events are there as density only
		return next ? next.from > this.end :
			chunks[model.to - 1].to > this.end;
	}

	// A command that prints the same, or null: the path is not known.
	command()
	{
		const { head } = this.app;
		const at = ns => head.first + BigInt(ns) + 'ns';

		if (!head.paths.length || head.paths.some(path =>
			path.includes('\\')))
			return null;
		return ['taffrail report', '--begin', at(this.begin), '--end',
			at(this.end), ...head.paths.map(path =>
			/^[\w./+-]+$/.test(path) ? path : "'" + path
			.replaceAll("'", "'\\''") + "'")].join(' ');
	}
}
