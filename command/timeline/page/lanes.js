// SPDX-License-Identifier: LGPL-2.1-or-later
// The lanes: which of them are shown, in which order, and where. Only those
// names are elements of the page that are in sight: a trace of 2,000 processes
// has 6,000.
//
// What must stay true: places are in the order of y, those that are pinned
// first. A lane has a place, or null: its process is folded, or the filter hides
// it.

const PROCESS_HEIGHT = 24;
const LANE_MIN = 24;
const INSTANT_HEIGHT = 14;
const ROW_HEIGHT = 18;
const ROW_LOW = 8;
const ROW_COMMON = 25;
const ROOM_FULL = 0.55;		// lanes take less: there is room for the list
const ROW_MOST = 40;		// where there is room for all lanes
const ROWS_HIGH = 16;		// with more rows than these they are low
const DENSITY_HEIGHT = 26;
const LANE_PAD = 3;
const PINNED_MOST = 0.6;	// the part of the room that never scrolls
const NAMES_BEYOND = 400;	// pixels above and below what is in sight

const by_number = new Intl.Collator('en', { numeric: true }).compare;

// What comes first, of processes and of lanes; less is first.
const ORDERS = {
	first: { process: one => one.first, lane: one => one.lane.id },
	name: { process: one => one.text, lane: one => one.lane.name },
	events: { process: one => -one.events, lane: one => -one.lane.events },
	busy: { process: one => -one.lanes.reduce((sum, lane) =>
		sum + busy_ns(lane), 0), lane: one => -busy_ns(one) },
};

// How long a lane was in slices.
function busy_ns(one)
{
	const [row] = one.rows;

	return row ? row.sum[row.n] : 0;
}

// Sorts by a value that is a number or a text; what is equal keeps its order.
function sort_by(list, value)
{
	const keyed = list.map(one => [value(one), one]);

	keyed.sort(([a], [b]) => typeof a === 'string' ? by_number(a, b) :
		a - b);
	return keyed.map(([, one]) => one);
}

// Where lanes stand. The first `nsticky` places, `sticky` pixels high, do not
// scroll.
class Layout {
	constructor(places, room)
	{
		let y = 0;

		for (const place of places) {
			place.y = y;
			y += place.height;
		}
		this.places = places;
		this.height = y;
		this.nsticky = this.sticky = 0;
		for (const place of places) {
			if (!place.pinned || place.y + place.height >
			    room * PINNED_MOST)
				break;
			place.sticky = true;
			this.nsticky++;
			this.sticky += place.height;
		}
	}

	// The number of the place at a height of the layout.
	find(y)
	{
		const { places } = this;
		let from = 0, to = places.length;

		while (from < to) {
			const middle = from + to >>> 1;

			if (places[middle].y + places[middle].height <= y)
				from = middle + 1;
			else
				to = middle;
		}
		return from;
	}

	// The places that scroll and of which something is in sight.
	visible(top, bottom)
	{
		const from = Math.max(this.nsticky, this.find(top));
		let to = from;

		while (to < this.places.length && this.places[to].y < bottom)
			to++;
		return this.places.slice(from, to);
	}

	pins()
	{
		return this.places.slice(0, this.nsticky);
	}

	// The place at a height of the window, or undefined.
	at(y, top)
	{
		return this.places[this.find(y < this.sticky ? y : y + top)];
	}
}

class Lanes {
	constructor(app)
	{
		this.app = app;
		this.head = app.head;
		this.names = by_id('names');
		this.pins = by_id('pins');
		this.order = 'first';
		this.filter = '';
		this.folded = new Set();
		this.pinned = new Set();
		this.texts = [];
		this.made = new Map();
		this.version = 0;	// of what is shown
	}

	// Takes the lanes of a model, with those of a process together.
	set_model(model)
	{
		const processes = new Map();

		this.model = model;
		for (const one of model.lanes) {
			const { process, first, events } = one.lane;

			if (!events)
				continue;
			if (!processes.has(process))
				processes.set(process, { number: process,
					lanes: [], first: Infinity, events: 0 });
			const own = processes.get(process);

			own.lanes.push(one);
			own.first = Math.min(own.first, first);
			own.events += events;
		}
		this.processes = [...processes.values()].sort((a, b) =>
			a.number - b.number);
		for (const own of this.processes)
			own.text = this.app.report.process_text(
				this.head.processes[own.number],
				own.lanes[0].lane);
		this.n = this.processes.reduce((sum, own) =>
			sum + own.lanes.length, 0);
		this.sorted = null;
	}

	// Processes and their lanes in the order that is wanted.
	in_order()
	{
		const { process, lane } = ORDERS[this.order];

		if (!this.sorted)
			this.sorted = sort_by(this.processes, process)
				.map(own => ({ ...own, lanes: sort_by(
					sort_by(own.lanes, ORDERS.first.lane),
					lane) }));
		return this.sorted;
	}

	// What the filter looks at.
	text(one)
	{
		const { number } = one.lane;

		if (!this.texts[number])
			this.texts[number] = this.app.report.lane_text(number)
				.toLowerCase();
		return this.texts[number];
	}

	// Whether the filter takes a lane: all words are there, and none of those
	// behind a "-". The lane of what is selected is always there.
	takes(one)
	{
		const text = this.text(one);

		return one.lane.number === this.kept || this.words.every(word =>
			word[0] === '-' && word.length > 1 ?
			!text.includes(word.slice(1)) : text.includes(word));
	}

	place_of(one, pinned)
	{
		const dense = this.head.lane_density && !this.model.n;
		const top = LANE_PAD + (dense ? DENSITY_HEIGHT :
			one.instants ? INSTANT_HEIGHT : 0);

		one.place = { one, top, pinned, height: Math.max(LANE_MIN, top +
			LANE_PAD) };
		return one.place;
	}

	// Which places there are, without a height.
	list_places()
	{
		const { model, pinned, folded } = this;
		const places = [];

		this.words = this.filter.toLowerCase().split(/\s+/)
			.filter(word => word);
		for (const one of model.lanes)
			one.place = null;
		this.shown = this.n;
		if (this.words.length)
			this.shown = model.lanes.filter(one => one.lane.events &&
				(pinned.has(one.lane.number) ||
				 this.takes(one))).length;
		places.push(...this.app.curves.places(model, this.mask()));
		for (const number of pinned)
			if (model.lanes[number]?.lane.events)
				places.push(this.place_of(model.lanes[number],
							  true));
		for (const own of this.in_order()) {
			const lanes = own.lanes.filter(one => !one.place &&
						       this.takes(one));
			const is_folded = folded.has(own.number);

			if (lanes.length)
				places.push({ process: own, lanes, is_folded,
					      height: PROCESS_HEIGHT });
			if (!is_folded)
				for (const one of lanes)
					places.push(this.place_of(one, false));
		}
		return places;
	}

	// Says where each lane stands. Rows are as high as the room allows, if all
	// lanes then fit into it.
	lay_out(room)
	{
		const places = this.list_places();
		const rows = places.reduce((sum, { one }) =>
			sum + (one ? one.rows.length : 0), 0);
		const fixed = places.reduce((sum, { one, top, height }) => sum +
			(one && one.rows.length ? top + LANE_PAD : height), 0);
		const roomy = Math.min(ROW_MOST, Math.floor((room - fixed) /
							    rows));

		for (const place of places) {
			const n = place.one ? place.one.rows.length : 0;

			if (!n)
				continue;
			place.row = roomy >= ROW_HEIGHT ? roomy :
				n > ROWS_HIGH ? ROW_LOW : ROW_HEIGHT;
			place.height = Math.max(LANE_MIN, place.top +
				place.row * n + LANE_PAD);
		}
		this.layout = new Layout(places, room);
		this.version++;
		this.forget_names();
		return this.layout;
	}

	// Whether much of a room stays empty if rows are not very high.
	leaves(room)
	{
		return this.layout.places.reduce((sum, { one, height, row }) =>
			sum + height - (one && row ? (row - ROW_COMMON) *
				one.rows.length : 0), 0) < room * ROOM_FULL;
	}

	forget_names()
	{
		const { activeElement: active } = document;

		// a button that was pressed is made anew, and keeps the focus
		this.focus = this.names.contains(active) ? active.dataset.key :
			undefined;
		for (const made of this.made.values())
			made.remove();
		this.made.clear();
		this.names.style.height = this.layout.height + 'px';
		this.pins.style.height = this.layout.sticky + 'px';
	}

	// Makes the names that are in sight, and takes away the others.
	show_names({ top, height })
	{
		const { layout, made } = this;

		for (const [list, parent] of [[layout.pins(), this.pins],
			[layout.visible(top - NAMES_BEYOND, top + height +
					NAMES_BEYOND), this.names]]) {
			const wanted = new Set(list);
			let next = null;

			for (const [place, one] of made) {
				if (one.parentNode !== parent ||
				    wanted.has(place))
					continue;
				one.remove();
				made.delete(place);
			}
			for (const place of list.reverse()) {
				if (!made.has(place))
					parent.insertBefore(this.make_name(
						place), next);
				next = made.get(place);
			}
		}
		if (this.focus !== undefined)
			this.names.querySelector('[data-key="' + this.focus +
						 '"]')?.focus();
		this.focus = undefined;
	}

	make_name(place)
	{
		const made = place.one ? this.lane_name(place) :
			place.curve ? this.curve_name(place.curve) :
			this.process_name(place);

		made.style.top = place.y + 'px';
		made.style.height = place.height + 'px';
		made.setAttribute('role', 'listitem');
		this.made.set(place, made);
		return made;
	}

	// A button that keeps its focus when the names are made anew.
	button(attributes, key, act)
	{
		const made = element('button', { type: 'button', 'data-key': key,
						 ...attributes });

		made.addEventListener('click', act);
		return made;
	}

	process_name({ process: own, lanes, is_folded })
	{
		const process = this.head.processes[own.number];
		const made = element('div', { class: 'process',
			title: process.path }, this.button({ class: 'fold',
			'aria-expanded': !is_folded, 'aria-label': (is_folded ?
				'Unfold ' : 'Fold ') + own.text }, 'fold' +
			own.number, () => this.fold(own.number)),
			element('span', { class: 'name' }, process.name ||
				lanes[0].lane.name || 'process'));

		if (process.pid >= 0)
			made.append(element('span', { class: 'id' },
					    process.pid));
		if (is_folded || lanes.length < own.lanes.length)
			made.append(element('span', { class: 'more' },
				(lanes.length < own.lanes.length ?
				 count_text(lanes.length) + ' of ' : '') +
				counted(own.lanes.length, 'lane')));
		made.addEventListener('click', event => {
			if (event.target.tagName !== 'BUTTON')
				this.fold(own.number);
		});
		return made;
	}

	curve_name({ name, field })
	{
		return element('div', { class: 'lane pinned', title: field +
			' of ' + name }, element('span', { class: 'name' },
			field), element('span', { class: 'id' }, name),
			this.button({ class: 'pin close', 'aria-label':
				'Take the curve of ' + field + ' away',
				title: 'Take the curve away' }, 'close',
				() => this.app.curves.toggle(name, field)));
	}

	lane_name({ one, pinned })
	{
		const { lane, hidden } = one;
		const { report, selected } = this.app;
		const name = lane.is_cpu ? 'CPU' : lane.name || 'thread';
		const chosen = selected !== null &&
			report.lane(selected) === lane.number;

		return element('div', { class: 'lane' + (chosen ? ' chosen' :
			'') + (pinned ? ' pinned' : ''),
			title: report.lane_text(lane.number) + ', ' +
			counted(lane.events, 'event') + (hidden ? '; ' +
			counted(hidden, 'slice') + ' below row ' + ROWS_MAX +
			' not drawn' : '') },
			element('span', { class: 'name' }, name),
			element('span', { class: 'id' }, lane.id + (pinned ?
				' of ' + report.process_text(this.head
				.processes[lane.process], lane) : '')),
			element('span', { class: 'more' },
				count_text(lane.events) + (hidden ? ' !' : '')),
			this.button({ class: 'pin', tabindex: '-1',
				'aria-pressed': pinned, 'aria-label': 'Pin ' +
				report.lane_text(lane.number), title: pinned ?
				'Let it scroll (p)' : 'Keep it in sight (p)' },
				'pin' + lane.number, () =>
				this.pin(lane.number)));
	}

	// Marks the name of the selected item's lane.
	choose(number)
	{
		for (const [{ one }, made] of this.made)
			if (one)
				made.classList.toggle('chosen',
					one.lane.number === number);
	}

	// Makes an item's lane a place, if it has none.
	uncover(number)
	{
		const { lane, place } = this.model.lanes[number];

		if (place)
			return;
		this.folded.delete(lane.process);
		this.kept = number;
		this.app.lay_out();
	}

	fold(process)
	{
		if (!this.folded.delete(process))
			this.folded.add(process);
		this.app.lay_out();
	}

	all_folded()
	{
		return this.processes.every(own => this.folded.has(own.number));
	}

	// Folds all processes, or unfolds them, if all are folded.
	fold_all()
	{
		this.folded = new Set(this.all_folded() ? [] : this.processes
			.map(own => own.number));
		this.app.lay_out();
	}

	pin(number)
	{
		if (!this.pinned.delete(number))
			this.pinned.add(number);
		this.app.lay_out();
	}

	set_filter(text)
	{
		this.filter = text;
		this.kept = undefined;
		by_id('lanes-filter').value = text;
		this.app.lay_out();
	}

	set_order(order)
	{
		this.order = Object.hasOwn(ORDERS, order) &&
			by_id('lanes-order').querySelector('[value="' + order +
							   '"]') ?
			order : 'first';
		this.sorted = null;
		by_id('lanes-order').value = this.order;
		this.app.lay_out();
	}

	// Whether the filter hides a lane.
	hides()
	{
		return this.shown < this.n;
	}

	// Which lanes are shown, those of folded processes, too; null: all are.
	mask()
	{
		if (!this.hides())
			return null;
		return Uint8Array.from(this.model.lanes, one =>
			Number(this.pinned.has(one.lane.number) ||
			       this.takes(one)));
	}
}

function watch_lanes(app)
{
	const { lanes } = app;
	const filter = by_id('lanes-filter'), order = by_id('lanes-order');

	filter.addEventListener('input', () => lanes.set_filter(filter.value));
	order.addEventListener('change', () => lanes.set_order(order.value));
	by_id('fold-all').addEventListener('click', () => lanes.fold_all());
	// of a part of the slices, how busy a lane is is not known
	if (app.head.lane_density)
		order.querySelector('[value="busy"]').remove();
}
