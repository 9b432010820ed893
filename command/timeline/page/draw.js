// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the lanes. A row costs as many steps as it has pixels, or fewer: events
// that share a pixel are found by a search, not one by one.

const COLORS = 14;
const ARROWS_MAX = 500;		// in view; with more there are none
const FOLDED_HEIGHT = 16;	// of the picture of a folded process
const LABEL_MIN = 38;
const DENSE = 2;		// pixels below which slices are put together
const SHADES = 4;
const TWO_LINES = 32;		// a row so high has a second line

function css_value(name)
{
	return getComputedStyle(document.documentElement)
		.getPropertyValue(name).trim();
}

// Returns colours as #rrggbb, which a canvas takes faster.
function plain_colors(list)
{
	const canvas = new OffscreenCanvas(list.length, 1);
	const c = canvas.getContext('2d', { willReadFrequently: true });

	list.forEach((color, i) => {
		c.fillStyle = color;
		c.fillRect(i, 0, 1, 1);
	});
	const { data } = c.getImageData(0, 0, list.length, 1);

	return list.map((color, i) => '#' + [...data.subarray(4 * i, 4 * i + 3)]
		.map(part => hex(part, 2)).join(''));
}

class Colors {
	constructor(head)
	{
		this.head = head;
		this.rank();
		this.read();
	}

	// What is frequent gets colours that differ most.
	rank()
	{
		const { kinds, classes } = this.head;
		const things = kinds.map(kind => ({ list: 'kind',
			number: kind.number, events: kind.finished }))
			.concat(classes.map(one => ({ list: 'class',
				number: one.number, events: one.events })));

		things.sort((a, b) => b.events - a.events);
		this.kind_rank = [];
		this.class_rank = [];
		let rank = 0;

		for (const thing of things.filter(one => one.list === 'kind'))
			this.kind_rank[thing.number] = rank++ % COLORS;
		// an event that begins or ends something looks like it
		for (const thing of things.filter(one => one.list === 'class')) {
			const { name } = classes[thing.number];
			const kind = kinds.find(one => one.begin === name ||
						one.end === name);

			this.class_rank[thing.number] = kind ?
				this.kind_rank[kind.number] : rank++ % COLORS;
		}
	}

	// Reads the scheme's colours.
	read()
	{
		for (const name of ['back', 'stripe', 'line', 'grid', 'text',
			'soft', 'accent', 'lost', 'density', 'panel'])
			this[name] = css_value('--' + name);
		this.slice_text = css_value('--slice-text');
		const light = css_value('--slice-light');
		const chroma = css_value('--slice-chroma');
		const tick = css_value('--tick-light');
		const dense = css_value('--dense-light');

		this.fill = [];
		this.tick = [];
		this.dense = [];
		for (let i = 0; i < COLORS; i++) {
			// steps of the golden angle: neighbours differ
			const hue = (250 + i * 137.5) % 360;
			const tone = ['oklch(', ' ', ' ' + hue + ')'];

			this.fill.push(tone[0] + light + tone[1] + chroma +
				       tone[2]);
			this.tick.push(tone[0] + tick + tone[1] + 0.14 +
				       tone[2]);
			this.dense.push(tone[0] + dense + tone[1] + 0.115 +
					tone[2]);
		}
		for (const name of ['fill', 'tick', 'dense'])
			this[name] = plain_colors(this[name]);
	}

	kind(number)
	{
		return this.fill[this.kind_rank[number]];
	}

	kind_dense(number)
	{
		return this.dense[this.kind_rank[number]];
	}

	kind_line(number)
	{
		return this.tick[this.kind_rank[number]];
	}

	class(number)
	{
		return this.tick[this.class_rank[number]];
	}
}

class Painter {
	constructor(canvas, head, colors)
	{
		this.canvas = canvas;
		this.head = head;
		this.colors = colors;
		this.context = canvas.getContext('2d', { alpha: false });
		this.widths = new Map();
	}

	// view: begin, end in ns; width, height in pixels; top: of the layout
	draw(model, layout, view, marks)
	{
		const c = this.context;

		this.ratio = fit(this.canvas, view.width, view.height);
		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		c.font = '12px system-ui, "Segoe UI", "Noto Sans", ' +
			'"DejaVu Sans", sans-serif';
		c.textBaseline = 'middle';
		this.view = view;
		this.model = model;
		this.marks = marks;
		this.scale = view.width / (view.end - view.begin);
		this.draw_back(view.height);
		for (const place of layout.visible(view.top, view.top +
						   view.height))
			this.draw_place(place, place.y - view.top);
		if (layout.sticky) {
			this.draw_back(layout.sticky);
			for (const place of layout.pins())
				this.draw_place(place, place.y);
			c.fillStyle = this.colors.soft;
			c.fillRect(0, layout.sticky - 1, view.width, 1);
		}
		this.draw_arrows(layout);
	}

	// Arrows from the end of a slice to the event that ends it, where this is in
	// another lane.
	draw_arrows(layout)
	{
		const { begin, end } = this.view;
		const { span_to, across } = this.model;
		const list = [];

		for (let i = 0; i < across.length && list.length <= ARROWS_MAX;
		     i++)
			if (span_to[across[i]] >= begin &&
			    span_to[across[i]] <= end)
				list.push(across[i]);
		this.arrows = 0;
		if (list.length <= ARROWS_MAX)
			for (const span of list)
				this.draw_arrow(layout, span);
	}

	draw_arrow({ sticky }, span)
	{
		const { context: c, model, view, marks, colors } = this;
		const { place: from } = model.lanes[model.span_lane[span]];
		const { place: to } = model.lanes[model.lane[
			model.span_last[span]]];

		if (!from || !to)
			return;
		const shown = (place, y) => place.sticky ? place.y + y :
			Math.max(sticky, place.y + y - view.top);
		const x = Math.round(this.x(model.span_to[span])) + 0.5;
		const row = Math.min(model.row[span], ROWS_MAX - 1);
		const start = shown(from, from.top + (row + 0.5) * from.row);
		const tip = shown(to, to.y < from.y || (to.sticky &&
			!from.sticky) ? LANE_PAD + INSTANT_HEIGHT : LANE_PAD);
		const way = tip < start ? -1 : 1;

		if (Math.max(start, tip) <= sticky && !from.sticky ||
		    Math.min(start, tip) > view.height)
			return;
		this.arrows++;
		c.globalAlpha = !marks || marks.spans[span] ? 0.9 : 0.2;
		c.strokeStyle = c.fillStyle = colors.kind_line(
			model.span_kind[span]);
		c.lineWidth = 1;
		c.beginPath();
		c.moveTo(x, start);
		c.lineTo(x, tip);
		c.stroke();
		c.beginPath();
		c.moveTo(x, tip);
		c.lineTo(x - 3.5, tip - 6 * way);
		c.lineTo(x + 3.5, tip - 6 * way);
		c.fill();
		c.globalAlpha = 1;
	}

	draw_place(place, y)
	{
		if (place.one)
			this.draw_lane(place, y);
		else if (place.curve)
			place.curve.draw(this, y, place.height);
		else
			this.draw_process(place, y);
	}

	x(ns)
	{
		return (ns - this.view.begin) * this.scale;
	}

	// The ground that lanes stand on, with a grid of times.
	draw_back(height)
	{
		const c = this.context;

		c.fillStyle = this.colors.back;
		c.fillRect(0, 0, this.view.width, height);
		c.fillStyle = this.colors.grid;
		for (const at of ticks(this.view).list)
			c.fillRect(Math.round(this.x(at)), 0, 1, height);
	}

	draw_process(place, y)
	{
		const c = this.context;

		c.fillStyle = this.colors.panel;
		c.fillRect(0, y, this.view.width, place.height);
		if (place.is_folded)
			this.draw_folded(place, y + (place.height -
						     FOLDED_HEIGHT) / 2);
		c.fillStyle = this.colors.line;
		c.fillRect(0, y + place.height - 1, this.view.width, 1);
	}

	// How busy the lanes of a folded process are, as bars, and below them where
	// they have events that are no slices.
	draw_folded({ lanes }, y)
	{
		const { view, model, colors, scale, context: c } = this;
		const busy = new Float64Array(Math.ceil(view.width) + 1);
		const seen = new Uint8Array(busy.length);

		if (this.head.lane_density && !model.n) {
			for (const { lane } of lanes) {
				const { bins, fold } = this.head.lane_density[
					lane.number];

				counts_by_pixel(bins, this.head.bin_ns * 2 **
					fold, view).forEach((n, x) => {
					busy[x] += n;
				});
			}
			draw_counts(c, busy, busy.reduce((a, b) => Math.max(a,
				b), 1), y, FOLDED_HEIGHT, colors.density);
			return;
		}
		for (const { rows, time } of lanes) {
			if (rows.length)
				add_busy(busy, rows[0], view, scale);
			add_seen(seen, time, view, scale);
		}
		draw_counts(c, busy, lanes.length, y, FOLDED_HEIGHT - 4,
			    colors.density);
		c.fillStyle = colors.soft;
		seen.forEach((is_seen, x) => {
			if (is_seen)
				c.fillRect(x, y + FOLDED_HEIGHT - 3, 1, 3);
		});
	}

	draw_lane(place, y)
	{
		const { one, height, row, top } = place;
		const c = this.context;

		c.fillStyle = this.colors.line;
		c.fillRect(0, y + height - 1, this.view.width, 1);
		if (this.head.lane_density && !this.model.n)
			this.draw_density(one, y + LANE_PAD);
		else if (one.instants)
			this.draw_instants(one, y + LANE_PAD);
		one.rows.forEach((slices, i) => {
			const at = y + top + i * row;

			if (at + row >= 0 && at <= this.view.height)
				this.draw_row(one, slices, at, row - 1, i);
		});
	}

	// The number of hits among a row's slices, up to each.
	hits_of(one, i)
	{
		return this.marks ? this.marks.rows(one, i) : null;
	}

	draw_row(one, slices, y, height, number)
	{
		const { begin, end, width } = this.view;
		const { from, to, span } = slices;
		const hits = this.hits_of(one, number);
		let i = lower_bound(to, begin);

		for (; i < slices.n && from[i] < end;) {
			const left = this.x(from[i]);
			const right = this.x(to[i]);

			if (right - left >= DENSE) {
				this.draw_slice(span[i], Math.max(left, -2),
					Math.min(right, width + 2), y, height,
					!hits || hits[i + 1] > hits[i]);
				i++;
				continue;
			}
			const pixel = Math.floor(Math.max(0, left));
			const last = this.dense_end(slices, i, pixel + 1);

			this.draw_dense(slices, i, last, pixel, y, height,
					hits);
			i = last;
		}
		this.end_pixels();
	}

	// Returns the first slice behind i that does not begin in front of the
	// pixel, or is wide.
	dense_end(slices, i, pixel)
	{
		const ns = this.view.begin + pixel / this.scale;
		let last = gallop(slices.from, ns, i + 1, slices.n);

		if (last - 1 > i &&
		    (slices.to[last - 1] - slices.from[last - 1]) *
		    this.scale >= DENSE)
			last--;
		return last;
	}

	draw_dense(slices, i, last, pixel, y, height, hits)
	{
		const part = (slices.sum[last] - slices.sum[i]) * this.scale;
		const shade = Math.ceil(Math.min(1, Math.max(0.1, part)) *
					SHADES) / SHADES;
		const hit = !hits || hits[last] > hits[i];
		const middle = slices.span[i + (last - i >> 1)];
		const kind = this.model.span_kind[middle];

		this.pixel(pixel, y, height, hits && hit ? this.colors.accent :
			last - i === 1 ? this.colors.kind(kind) :
			this.colors.kind_dense(kind),
			(hit ? 1 : 0.2) * (0.4 + 0.6 * shade));
	}

	// Draws a pixel of a row; equal ones that follow each other become one
	// rectangle. end_pixels() must follow.
	pixel(x, y, height, color, alpha)
	{
		const { run } = this;

		if (run && run.y === y && run.x + run.n === x &&
		    run.color === color && run.alpha === alpha) {
			run.n++;
			return;
		}
		this.end_pixels();
		this.run = { x, y, n: 1, height, color, alpha };
	}

	end_pixels()
	{
		const { context: c, run } = this;

		this.run = null;
		if (!run)
			return;
		c.globalAlpha = run.alpha;
		c.fillStyle = run.color;
		c.fillRect(run.x, run.y, run.n, run.height);
		c.globalAlpha = 1;
	}

	draw_slice(span, left, right, y, height, hit)
	{
		const c = this.context;
		const kind = this.model.span_kind[span];
		const width = right - left;

		c.globalAlpha = hit ? 1 : 0.22;
		c.fillStyle = this.colors.kind(kind);
		c.fillRect(left, y, Math.max(1, width - 0.6), height);
		if (this.model.span_fate[span] !== FINISHED)
			this.draw_open(right, y, height, width);
		if (this.marks && hit) {
			c.fillStyle = this.colors.accent;
			c.fillRect(left, y + height - 2, width - 0.6, 2);
		}
		if (width >= LABEL_MIN && height >= 11)
			this.draw_label(span, kind, left, width, y, height);
		c.globalAlpha = 1;
	}

	// A slice that has no end is torn off at its right.
	draw_open(right, y, height, width)
	{
		const c = this.context;
		const depth = Math.min(5, width / 2);

		c.fillStyle = this.colors.back;
		c.beginPath();
		c.moveTo(right + 1, y);
		for (let i = 0; i <= 4; i++)
			c.lineTo(right - (i % 2 ? 0 : depth),
				 y + height * i / 4);
		c.lineTo(right + 1, y + height);
		c.fill();
	}

	draw_label(span, kind, left, width, y, height)
	{
		const from = Math.max(left, 0);
		const room = Math.min(left + width, this.view.width) - from - 8;
		const name = short_name(this.head.kinds[kind].name);
		const long = name + '  ' + duration_text(
			this.model.span_to[span] - this.model.span_from[span]);
		const text = this.cut(this.text_width(long) <= room ? long :
				      name, room);

		if (!text)
			return;
		this.context.fillStyle = this.colors.slice_text;
		const fields = height >= TWO_LINES ? this.cut(this.fields_text(
			span), room) : '';

		this.context.fillText(text, from + 4, y + (fields ? height / 2 -
			7 : height / 2 + 1));
		if (fields)
			this.context.fillText(fields, from + 4, y + height / 2 +
					      9);
	}

	// The fields of a slice's begin, for the second line of a high row.
	fields_text(span)
	{
		const first = this.model.span_first[span];

		return this.model.has(first) ? this.model.fields(first, 200)
			.map(([name, text]) => name + ' ' + text).join('  ')
			.slice(0, 200) : '';
	}

	text_width(text)
	{
		let width = this.widths.get(text);

		if (width === undefined) {
			if (this.widths.size > 20000)
				this.widths.clear();
			width = this.context.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	// Cuts a text to what fits into so many pixels.
	cut(text, room)
	{
		const width = this.text_width(text);
		const n = Math.floor(text.length * room / width) - 1;

		if (width <= room)
			return text;
		return n < 3 ? '' : text.slice(0, n) + '…';
	}

	draw_instants(one, y)
	{
		const { begin, end, width } = this.view;
		const { time, event } = one;
		const hits = this.marks ? this.marks.instants(one) : null;
		const last = upper_bound(time, end);

		for (let i = lower_bound(time, begin); i < last;) {
			const pixel = Math.floor(this.x(time[i]));
			const next = gallop(time, begin + (pixel + 1) /
				this.scale, i + 1, last);
			const right = next < last ? this.x(time[next]) : width;

			this.draw_tick(event[i], next - i, pixel, right - pixel,
				y, !hits ? 0 : hits[next] > hits[i] ? 1 : -1);
			i = next;
		}
		this.end_pixels();
	}

	draw_tick(event, n, x, room, y, hit)
	{
		const c = this.context;
		const number = this.model.class[event];
		const many = Math.min(SHADES, Math.ceil(Math.log2(n))) / SHADES;
		const height = INSTANT_HEIGHT - 2;
		const color = hit > 0 ? this.colors.accent :
			this.colors.class(number);
		const alpha = hit < 0 ? 0.22 : 1;

		if (n > 1 || room <= 4) {
			this.pixel(x, y, height, color, n > 1 ?
				alpha * (0.55 + 0.45 * many) : alpha);
			return;
		}
		c.globalAlpha = alpha;
		c.fillStyle = color;
		c.fillRect(x, y, 2, height);
		if (room >= LABEL_MIN + 8) {
			const text = this.cut(short_name(
				this.head.classes[number].name), room - 10);

			c.fillStyle = this.colors.text;
			c.fillText(text, x + 5, y + height / 2 + 1);
		}
		c.globalAlpha = 1;
	}

	draw_density(one, y)
	{
		draw_bars(this.context, this.head.lane_density[
			one.lane.number], this.head.bin_ns, this.view, y,
			DENSITY_HEIGHT - 4, this.colors.density);
	}
}

// Draws how many events each pixel has, as high as the pixel with most.
function draw_bars(c, density, bin_ns, view, y, height, color)
{
	const counts = counts_by_pixel(density.bins, bin_ns * 2 **
				       density.fold, view);

	draw_counts(c, counts, counts.reduce((a, b) => Math.max(a, b), 0), y,
		    height, color);
}

// Draws a bar for each pixel; `most` is as high as there is room.
function draw_counts(c, counts, most, y, height, color)
{
	c.fillStyle = color;
	counts.forEach((n, x) => {
		const bar = n ? Math.max(1.5, height * Math.sqrt(n / most)) : 0;

		if (bar)
			c.fillRect(x, y + height - bar, 1, bar);
	});
}

// Adds to each pixel the part of it in which a row has slices.
function add_busy(busy, { from, to, sum, n }, view, scale)
{
	const { begin, end, width } = view;

	for (let i = lower_bound(to, begin); i < n && from[i] < end;) {
		const left = Math.max(0, (from[i] - begin) * scale);
		const right = Math.min(width, (to[i] - begin) * scale);
		const pixel = Math.floor(left);

		if (right - left < 1) {
			const next = gallop(from, begin + (pixel + 1) / scale,
					    i + 1, n);

			// the last of them may be long: it has a turn of its own
			const last = next - i > 1 && (to[next - 1] -
				from[next - 1]) * scale >= 1 ? next - 1 : next;

			busy[pixel] += (sum[last] - sum[i]) * scale;
			i = last;
			continue;
		}
		for (let x = pixel; x < right; x++)
			busy[x] += Math.min(right, x + 1) - Math.max(left, x);
		i++;
	}
}

// Notes the pixels in which there are instants.
function add_seen(seen, time, view, scale)
{
	const { begin, end } = view;
	const last = upper_bound(time, end);

	for (let i = lower_bound(time, begin); i < last;) {
		const pixel = Math.floor((time[i] - begin) * scale);

		seen[pixel] = 1;
		i = gallop(time, begin + (pixel + 1) / scale, i + 1, last);
	}
}

// Spreads bins over the pixels of a view.
function counts_by_pixel(bins, bin_ns, view)
{
	const counts = new Float64Array(Math.ceil(view.width));
	const ns = (view.end - view.begin) / view.width;

	for (let x = 0; x < counts.length; x++) {
		const from = (view.begin + x * ns) / bin_ns;
		const to = (view.begin + (x + 1) * ns) / bin_ns;

		if (to < 0 || from >= bins.length)
			continue;
		if (to - from < 1) {
			counts[x] = (bins[Math.max(0, Math.floor(from))] || 0) *
				(to - from);
			continue;
		}
		for (let i = Math.max(0, Math.floor(from)); i < to &&
		     i < bins.length; i++)
			counts[x] += bins[i];
	}
	return counts;
}

// Returns the first index from `from` on whose value is at least `value`. What is
// near is found first.
function gallop(array, value, from, to)
{
	let step = 1, at = from;

	while (at < to && array[at] < value) {
		from = at + 1;
		at += step;
		step *= 2;
	}
	return lower_bound(array, value, from, Math.min(at, to));
}

// Names are "CHANNEL:NAME"; where there is little room, NAME says enough.
function short_name(name)
{
	const at = name.indexOf(':');

	return at < 0 || name.includes(',') ? name : name.slice(at + 1);
}

// Gives a canvas the pixels of the screen. Returns how many one of CSS has.
function fit(canvas, width, height)
{
	const ratio = window.devicePixelRatio || 1;
	const w = Math.round(width * ratio), h = Math.round(height * ratio);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	return ratio;
}

// Returns a round time that is not below another: 1, 2 or 5 of a power of ten,
// or whole minutes, hours and days.
function round_step(about)
{
	const decimal = (size, unit) => {
		const power = 10 ** Math.floor(Math.log10(size / unit));

		return unit * ([1, 2, 5, 10].map(n => n * power)
			.find(n => n * unit >= size) || size / unit);
	};

	if (about <= 20e9)
		return decimal(about, 1);
	return [30e9, ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]
		.map(minutes => minutes * 60e9)].find(n => n >= about) ||
		decimal(about, 86400e9);
}

// Round times in a view, some 110 pixels apart.
function ticks(view)
{
	const about = (view.end - view.begin) / Math.max(1, view.width) * 110;
	const step = round_step(about);
	const list = [];

	for (let i = Math.ceil(view.begin / step);
	     i * step <= view.end && list.length < 100; i++)
		list.push(i * step);
	return { step, list };
}
