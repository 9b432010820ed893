// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: what is in view, what is selected, and what the panels show of it.

const VIEW_MIN_NS = 20;
const EDGE = 0.02;		// empty part at both ends of the whole trace

function by_id(id)
{
	return document.getElementById(id);
}

class App {
	constructor(head, blocks)
	{
		this.head = head;
		this.blocks = blocks;
		this.colors = new Colors(head);
		this.aside = by_id('report');
		this.plot = by_id('plot');
		this.scroll = by_id('scroll');
		this.painter = new Painter(by_id('picture'), head, this.colors);
		this.scale = new Scale(this);
		this.report = new Report(this);
		this.lanes = new Lanes(this);
		this.curves = new Curves(this);
		this.span = new Span(this);
		this.list = new List(this);
		this.link = new Link(this);
		// what was selected in a model that had it, and this one has not
		this.lost = null;
		this.selected = null;
		this.hover = null;
		this.marks = null;
		this.wanted = null;
		this.view = { ...this.whole(), width: 1, height: 1, top: 0 };
		this.costs = [];
		this.frames = 0;
	}

	whole()
	{
		const { begin, span } = this.head;
		const edge = Math.max(VIEW_MIN_NS, (span - begin) * EDGE);

		return { begin: begin - edge, end: span + edge };
	}

	set_model(model)
	{
		const chosen = this.selected === null ? this.lost :
			item_key(this.model, this.selected);

		this.model = model;
		this.selected = this.hover = this.marks = null;
		this.report.set_model(model);
		this.lanes.set_model(model);
		this.lay_out();
		if (chosen !== null) {
			this.choose(item_of_key(model, chosen));
			this.lost = this.selected === null ? chosen : null;
		}
		// the picture comes first
		setTimeout(() => {
			if (this.model === model && this.selected === null)
				this.report.show(null);
		});
		if (by_id('query').value)
			this.search(by_id('query').value);
	}

	// Says anew where lanes stand. What the mouse is over moves away.
	lay_out()
	{
		if (!this.model)
			return;
		this.room = this.scroll.clientHeight;
		this.layout = this.lanes.lay_out(this.room);
		this.hover = null;
		this.tell_lanes();
		// its statistics are of the lanes that are shown
		if (this.span.is_there && this.selected === null)
			this.report.show(null);
		this.request();
	}

	tell_lanes()
	{
		const { lanes } = this;

		by_id('lanes-filter').classList.toggle('none', !lanes.shown);
		by_id('fold-all').setAttribute('aria-expanded',
					       !lanes.all_folded());
		by_id('lanes-filter').title = (lanes.hides() ? 'Shown are ' +
			count_text(lanes.shown) + ' of ' + counted(lanes.n,
			'lane') + '. ' : '') + 'Words in the name or number ' +
			'of a thread or process; -word: without it.';
	}

	// Draws before the next frame.
	request()
	{
		if (this.requested || !this.model)
			return;
		this.requested = true;
		requestAnimationFrame(() => {
			this.requested = false;
			this.paint();
		});
	}

	measure()
	{
		const { view, scroll, plot } = this;

		plot.style.height = scroll.clientHeight + 'px';
		view.width = Math.max(1, plot.clientWidth);
		view.height = Math.max(1, scroll.clientHeight);
		view.top = scroll.scrollTop;
	}

	paint()
	{
		const begin = performance.now();

		if (this.room !== this.scroll.clientHeight)
			this.lay_out();
		this.measure();
		this.lanes.show_names(this.view);
		this.painter.draw(this.model, this.layout, this.view,
				  this.marks);
		this.scale.draw(this.view);
		this.draw_over();
		this.tell_range();
		this.list.update();
		this.link.request();
		this.load_view();
		this.costs.push(performance.now() - begin);
		if (!this.frames++)
			performance.mark('taffrail-picture');
		document.documentElement.dataset.frames = this.frames;
	}

	tell_range()
	{
		const { begin, end } = this.view;
		const { span } = this.head;
		const range = by_id('range');
		const seen = Math.max(0, Math.min(end, span) -
				      Math.max(begin, 0));

		range.textContent = (seen < span ? duration_text(seen) +
			' in view of ' : 'all of ') + duration_text(span);
		range.title = range.textContent;
		range.dataset.begin = begin;
		range.dataset.end = end;
	}

	// Above `each` events, loads those in view, if they are no more.
	async load_view()
	{
		const { head, view, model } = this;

		if (!head.lane_density)
			return;
		const inside = head.chunks.map((chunk, i) => i).filter(i =>
			head.chunks[i].to >= view.begin &&
			head.chunks[i].from <= view.end);
		const n = inside.reduce((sum, i) => sum + head.chunks[i].n, 0);
		const from = n && n <= head.each ? inside[0] : 0;
		const to = n && n <= head.each ? inside[inside.length - 1] + 1 :
			0;
		const key = from + '-' + to;

		if (this.wanted === key || (to && model.from <= from &&
					    model.to >= to))
			return;
		this.wanted = key;
		by_id('summary').textContent = this.summary() + ' · loading …';
		const made = await Promise.all(this.blocks.slice(from, to)
			.map(block => unpack(block, true)));

		if (this.wanted !== key)
			return;
		by_id('summary').textContent = this.summary();
		if (to || model.n)
			this.set_model(new Model(head, made, from));
	}

	summary()
	{
		const { head } = this;
		const processes = new Set(head.lanes.map(lane => lane.process));

		return counted(head.events, 'event') + ' · ' +
			processes.size + (processes.size === 1 ? ' process' :
			' processes') + ' · ' +
			counted(head.lanes.length, 'lane') + ' · ' +
			duration_text(head.span);
	}

	x(ns)
	{
		const { begin, end, width } = this.view;

		return (ns - begin) / (end - begin) * width;
	}

	time(x)
	{
		const { begin, end, width } = this.view;

		return begin + x / width * (end - begin);
	}

	// Where an item stands in the plot.
	box(item)
	{
		const { report, view, model } = this;
		const one = model.lanes[report.lane(item)];
		const { y, top, row, sticky } = one.place;
		const from = this.x(report.from(item));
		const at = y - (sticky ? 0 : view.top);

		if (is_span(item))
			return { x: from, y: at + top + model.row[item] * row,
				 width: Math.max(2, this.x(report.to(item)) -
						 from), height: row - 1 };
		return { x: from - 2, y: at + LANE_PAD - 1, width: 6,
			 height: INSTANT_HEIGHT };
	}

	draw_over()
	{
		const { view, colors } = this;
		const canvas = by_id('over');
		const ratio = fit(canvas, view.width, view.height);
		const c = canvas.getContext('2d');

		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.clearRect(0, 0, view.width, view.height);
		c.strokeStyle = colors.soft;
		c.lineWidth = 1;
		if (this.hover !== null)
			this.outline(c, this.hover);
		c.strokeStyle = colors.accent;
		c.lineWidth = 2;
		if (this.selected !== null)
			this.outline(c, this.selected);
		this.span.draw(c);
		if (this.mouse_x !== undefined) {
			c.globalAlpha = 0.5;
			c.fillStyle = colors.soft;
			c.fillRect(this.mouse_x, 0, 1, view.height);
		}
		if (this.band) {
			const [a, b] = this.band;

			c.globalAlpha = 0.18;
			c.fillStyle = colors.accent;
			c.fillRect(Math.min(a, b), 0, Math.abs(b - a),
				   view.height);
		}
		c.globalAlpha = 1;
	}

	outline(c, item)
	{
		// the process of its lane may be folded
		if (!this.model.lanes[this.report.lane(item)].place)
			return;
		const { x, y, width, height } = this.box(item);
		const left = Math.max(-4, x - 1);
		const right = Math.min(this.view.width + 4, x + width + 1);

		c.strokeRect(left, y - 1, right - left, height + 2);
	}

	// Returns the item at a place of the plot, or null.
	item_at(x, y)
	{
		const { layout, view } = this;
		const place = layout.at(y, view.top);

		if (place?.curve) {
			const event = place.curve.at(this.time(x + 1));

			return event === undefined ? null :
				this.report.item_of(event);
		}
		if (!place || !place.one)
			return null;
		const inside = y + (place.sticky ? 0 : view.top) - place.y;

		if (inside < place.top || !place.one.rows.length)
			return this.instant_at(place.one, x);
		return this.span_at(place.one.rows[Math.floor((inside -
			place.top) / place.row)], x);
	}

	instant_at(one, x)
	{
		const { time, event } = one;
		const i = lower_bound(time, this.time(x));
		let best = null, least = 6;

		for (const j of [i - 1, i]) {
			const away = Math.abs(this.x(time[j]) + 1 - x);

			if (away <= least) {
				least = away;
				best = item_of_event(event[j]);
			}
		}
		return best;
	}

	span_at(row, x)
	{
		if (!row)
			return null;
		const i = upper_bound(row.from, this.time(x)) - 1;
		let best = null, least = 4;

		for (const j of [i, i + 1]) {
			if (j < 0 || j >= row.n)
				continue;
			const left = this.x(row.from[j]);
			const right = this.x(row.to[j]);
			const away = x < left ? left - x : Math.max(0, x -
								    right);

			if (away < least) {
				least = away;
				best = row.span[j];
			}
		}
		return best;
	}

	set_view(begin, end)
	{
		const whole = this.whole();
		const most = whole.end - whole.begin;
		const size = Math.min(most, Math.max(VIEW_MIN_NS, end - begin));
		let from = (begin + end) / 2 - size / 2;

		from = Math.min(whole.end - size, Math.max(whole.begin, from));
		this.view.begin = from;
		this.view.end = from + size;
		this.request();
	}

	// Zooms by a factor below 1 (in) or above (out); the time at x stays.
	zoom(factor, x = this.view.width / 2)
	{
		const { begin, end } = this.view;
		const at = this.time(x);
		const size = Math.max(VIEW_MIN_NS, (end - begin) * factor);
		const real = size / (end - begin);

		this.set_view(at - (at - begin) * real, at + (end - at) * real);
	}

	pan(part)
	{
		const { begin, end } = this.view;
		const step = (end - begin) * part;

		this.set_view(begin + step, end + step);
	}

	show_whole()
	{
		const { begin, end } = this.whole();

		this.set_view(begin, end);
	}

	zoom_to(item)
	{
		const from = this.report.from(item), to = this.report.to(item);
		const { begin, end } = this.view;
		const edge = is_span(item) ? Math.max(10, (to - from) * 0.15) :
			Math.max(100, (end - begin) / 16);

		this.set_view(from - edge, to + edge);
		this.show_lane(item);
	}

	// Moves as little as needed to see an item.
	reveal(item)
	{
		const { begin, end } = this.view;
		const from = this.report.from(item), to = this.report.to(item);
		const size = end - begin;

		if (from > end || to < begin || (to - from < size &&
						 (from < begin || to > end))) {
			const middle = to - from < size ? (from + to) / 2 : from;

			this.set_view(middle - size / 2, middle + size / 2);
		}
		this.show_lane(item);
	}

	show_lane(item)
	{
		const number = this.report.lane(item);

		this.lanes.uncover(number);
		if (this.model.lanes[number].place.sticky)
			return;
		this.measure();
		const { y, height } = this.box(item);
		const top = this.scroll.scrollTop;
		const { sticky } = this.layout;

		if (y < sticky)
			this.scroll.scrollTop = top + y - sticky -
				PROCESS_HEIGHT;
		else if (y + height > this.view.height)
			this.scroll.scrollTop = top + y + height -
				this.view.height + LANE_MIN;
	}

	select(item, zoom)
	{
		this.choose(item);
		if (item !== null && zoom)
			this.zoom_to(item);
		else if (item !== null)
			this.reveal(item);
		this.request();
	}

	// Shows what is selected; the view stays.
	choose(item)
	{
		this.selected = item;
		this.lost = null;
		this.report.show(item);
		this.lanes.choose(item === null ? -1 : this.report.lane(item));
		this.list.reveal();
		by_id('said').textContent = item === null ?
			this.span.is_there ? this.span.sentence() :
			'Nothing is selected.' : this.report.sentence(item);
	}

	// Selects the next (1) or previous (-1) item in the selected one's lane.
	step(way)
	{
		const { report, selected } = this;

		if (selected === null) {
			this.select_first();
			return;
		}
		const one = this.model.lanes[report.lane(selected)];
		const next = neighbour(this.model, one, report.from(selected),
				       selected, way);

		if (next !== null)
			this.select(next);
	}

	select_first()
	{
		const { places } = this.layout;

		for (const { one } of places.filter(place => place.one)) {
			const item = nearest(this.model, one, Math.max(0,
				this.view.begin));

			if (item !== null) {
				this.select(item);
				return;
			}
		}
	}

	// Selects the item of the next lane that has one, down (1) or up (-1).
	step_lane(way)
	{
		const lanes = this.layout.places.filter(place => place.one);
		const { report, selected } = this;

		if (selected === null) {
			this.select_first();
			return;
		}
		let i = lanes.findIndex(({ one }) => one.lane.number ===
					report.lane(selected)) + way;

		for (; i >= 0 && i < lanes.length; i += way) {
			const item = nearest(this.model, lanes[i].one,
					     report.from(selected));

			if (item !== null) {
				this.select(item);
				return;
			}
		}
	}

	find(text)
	{
		by_id('query').value = text;
		this.search(text);
	}

	async search(text)
	{
		const output = by_id('hits');
		const search = new Search(this.model, text);

		this.searching = search;
		this.marks = null;
		this.hit = -1;
		this.ahead = 0;
		output.className = '';
		output.textContent = '';
		delete output.dataset.done;
		this.request();
		const marks = await search.run(part => {
			if (this.searching === search && part < 1)
				output.textContent = 'searching ' +
					Math.floor(100 * part) + ' %';
		}, () => this.searching !== search);

		if (this.searching !== search)
			return;
		this.marks = marks;
		output.dataset.done = text;
		if (marks)
			this.tell_hits(output, marks.items.length);
		if (marks && this.ahead)
			this.step_hit(this.ahead);
		this.request();
	}

	// What is not loaded was not searched.
	tell_hits(output, n)
	{
		const { model, head } = this;

		output.className = n ? '' : 'none';
		output.textContent = !model.n ? 'zoom in to search' :
			counted(n, 'hit') + (model.n < head.events ?
					     ' loaded' : '');
	}

	step_hit(way)
	{
		const items = this.marks ? this.marks.items : [];

		// the search still runs: it goes there when it has come to its end
		if (!this.marks)
			this.ahead = way;
		if (!items.length)
			return;
		this.hit = this.hit < 0 && way < 0 ? items.length - 1 :
			(this.hit + way + items.length) % items.length;
		by_id('hits').textContent = count_text(this.hit + 1) + ' of ' +
			counted(items.length, 'hit');
		this.select(items[this.hit]);
	}
}
