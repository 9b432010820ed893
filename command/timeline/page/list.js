// SPDX-License-Identifier: LGPL-2.1-or-later
// The list of the events in view, and text for the clipboard. Of the list, only
// rows in sight are elements.
//
// What must stay true: text is set as text; no HTML is made of it.

const LINE_HEIGHT = 20;
// Browsers place nothing behind some 17 million pixels: rows of a longer list are
// found by the part of the way that was scrolled.
const LIST_HEIGHT_MAX = 8e6;
const LIST_PAUSE_MS = 80;	// after the view moved
const COPY_MAX = 100000;
const ROW_BYTES = 1000;		// of a string; a row has no room for more

// The line of an event as `view` prints it.
function event_line(report, event, before)
{
	const { head, model } = report;
	const process = head.processes[head.lanes[model.lane[event]].process];
	const braces = list => '{ ' + list.map(([name, text]) => name + ' = ' +
		text).join(', ') + ' }';
	const [cpu, ...contexts] = model.contexts(event);
	const since = before === null ? '+?.?????????' :
		offset_text(model.time[event] - model.time[before])
		.replace(' s', '');

	return '[' + clock_text(head, model.time[event]).slice(11) + '] (' +
		since + ') ' + process.host + ':' + process.name +
		(process.pid >= 0 ? ':(' + process.pid + ')' : '') + ' ' +
		head.classes[model.class[event]].name + ': ' + [[cpu], contexts,
		model.fields(event)].filter(list => list.length).map(braces)
		.join(', ');
}

class List {
	constructor(app)
	{
		this.app = app;
		this.section = by_id('list');
		this.rows = by_id('rows');
		this.at_first = false;	// whether it is open then
		this.events = [];
		this.made = new Map();
		this.rows.addEventListener('scroll', () => this.show_rows());
		this.rows.addEventListener('click', event => {
			const row = event.target.closest('[data-at]');

			if (row)
				this.pick(Number(row.dataset.at));
		});
		this.rows.addEventListener('keydown', event => this.key(event));
		by_id('list-button').addEventListener('click', () =>
			this.toggle());
		by_id('list-copy').addEventListener('click', event =>
			copy_text(app, this.text(), event.target));
	}

	get is_open()
	{
		return !this.section.hidden;
	}

	open(is_open)
	{
		this.section.hidden = !is_open;
		by_id('list-button').setAttribute('aria-pressed', is_open);
		this.key_of = undefined;
		this.app.request();
	}

	toggle()
	{
		this.open(!this.is_open);
	}

	// Finds the events in view anew, when the view has stopped to move.
	update()
	{
		const { app } = this;
		const { begin, end } = app.view;
		const key = [begin, end, app.model.from, app.model.n,
			     app.lanes.version, app.marks ? by_id('query').value :
			     ''].join(' ');

		if (!this.is_open || key === this.key_of)
			return;
		this.key_of = key;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.find(), LIST_PAUSE_MS);
	}

	// Which events are in view, in lanes that are shown; with a search, only
	// those of its hits.
	find()
	{
		const { app } = this;
		const { model, view, marks } = app;
		const from = lower_bound(model.time, view.begin, 0, model.n);
		const to = upper_bound(model.time, view.end, from, model.n);
		const mask = app.lanes.mask();
		const events = [];

		for (let i = from; i < to; i++)
			if ((!mask || mask[model.lane[i]]) && (!marks ||
			    this.is_hit(i)))
				events.push(i);
		this.events = events;
		this.tell();
		for (const row of this.made.values())
			row.remove();
		this.made.clear();
		by_id('rows-room').style.height = this.height() + 'px';
		this.show_rows();
		this.reveal();
		this.section.dataset.shown = this.key_of;
	}

	is_hit(event)
	{
		const { marks, report } = this.app;
		const item = report.item_of(event);

		return Boolean(is_span(item) ? marks.spans[item] :
			       marks.events[event]);
	}

	tell()
	{
		const { model, head, marks } = this.app;

		by_id('list-count').textContent = !model.n ?
			'zoom in: events are not loaded' :
			counted(this.events.length, 'event') + ' in view' +
			(marks ? ' of hits' : '') + (model.n < head.events ?
			', of those loaded' : '');
	}

	height()
	{
		return Math.min(LIST_HEIGHT_MAX, this.events.length *
				LINE_HEIGHT);
	}

	// The row at the top, with its fraction.
	top()
	{
		const { scrollTop, clientHeight } = this.rows;
		const all = this.events.length * LINE_HEIGHT;
		const room = this.height();

		return (all <= room ? scrollTop : scrollTop / Math.max(1, room -
			clientHeight) * (all - clientHeight)) / LINE_HEIGHT;
	}

	show_rows()
	{
		const { rows, made, events } = this;
		const top = this.top();
		const from = Math.floor(top);
		const to = Math.min(events.length, Math.ceil(top + rows
			.clientHeight / LINE_HEIGHT) + 1);

		for (const [at, row] of made)
			if (at < from || at >= to) {
				row.remove();
				made.delete(at);
			}
		for (let at = from; at < to; at++) {
			if (!made.has(at))
				by_id('rows-room').append(this.make_row(at));
			made.get(at).style.top = rows.scrollTop + (at - top) *
				LINE_HEIGHT + 'px';
		}
		this.choose();
	}

	make_row(at)
	{
		const { report, model, head } = this.app;
		const event = this.events[at];
		const number = model.class[event];
		const before = at ? duration_text(model.time[event] -
			model.time[this.events[at - 1]]) : '';
		const made = element('div', { role: 'option', id: 'row' + at,
			'data-at': at, 'aria-posinset': at + 1,
			'aria-setsize': this.events.length },
			...[offset_text(model.time[event]).replace(' s', ''),
				before, report.lane_text(model.lane[event])]
			.map(text => element('span', {}, text)),
			element('span', {}, swatch(this.app.colors.class(number),
				true), head.classes[number].name),
			element('span', {}, model.fields(event, ROW_BYTES)
				.map(([name, text]) => name + ' = ' + text)
				.join(', ')));

		this.made.set(at, made);
		return made;
	}

	// Marks the rows of what is selected.
	choose()
	{
		const { selected, report } = this.app;
		const own = selected === null ? [] : report.events(selected)
			.map(({ event }) => event);

		for (const [at, row] of this.made)
			row.setAttribute('aria-selected',
					 own.includes(this.events[at]));
	}

	// Selects what an event of the list belongs to.
	pick(at)
	{
		const { app } = this;

		this.rows.setAttribute('aria-activedescendant', 'row' + at);
		app.select(app.report.item_of(this.events[at]));
		// it may be the end of a slice, whose begin is elsewhere
		this.at = at;
		this.scroll_to(at);
	}

	// Goes to a row, which the rows then show.
	go(at)
	{
		const { events } = this;

		if (!events.length)
			return;
		at = Math.max(0, Math.min(events.length - 1, at));
		this.scroll_to(at);
		this.pick(at);
	}

	scroll_to(at)
	{
		const { rows, events } = this;
		const seen = rows.clientHeight / LINE_HEIGHT;
		const all = events.length * LINE_HEIGHT;
		const top = this.top();
		const wanted = at < top ? at : at + 1 > top + seen ?
			at + 1 - seen : top;

		if (wanted !== top)
			rows.scrollTop = all <= this.height() ? wanted *
				LINE_HEIGHT : wanted * LINE_HEIGHT / (all -
				rows.clientHeight) * (this.height() -
				rows.clientHeight);
	}

	// Shows the row of what was selected elsewhere.
	reveal()
	{
		const { selected, report } = this.app;
		const [own] = selected === null ? [] : report.events(selected);
		const at = own ? lower_bound(this.events, own.event) : -1;

		if (!this.is_open)
			return;
		if (own && this.events[at] === own.event) {
			this.at = at;
			this.scroll_to(at);
		}
		this.choose();
	}

	key(event)
	{
		const page = Math.floor(this.rows.clientHeight / LINE_HEIGHT);
		const at = this.at ?? -1;
		const to = { ArrowDown: at + 1, ArrowUp: at - 1,
			     PageDown: at + page, PageUp: at - page, Home: 0,
			     End: this.events.length - 1 }[event.key];

		if (to === undefined || event.ctrlKey || event.altKey ||
		    event.metaKey)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.go(to);
	}

	text()
	{
		const { report } = this.app;
		const lines = this.events.slice(0, COPY_MAX).map((event, i) =>
			event_line(report, event, i ? this.events[i - 1] :
				   null));

		if (this.events.length > COPY_MAX)
			lines.push('... ' + count_text(this.events.length -
				   COPY_MAX) + ' more');
		return lines.map(line => line + '\n').join('');
	}
}

// What the report says, a line for each row.
function report_text(aside)
{
	const lines = [];

	for (const part of aside.querySelectorAll('h2, h3, p, tr, code'))
		if (part.tagName !== 'TR')
			lines.push((part.tagName === 'H3' ? '\n' : '') +
				   part.textContent);
		else
			lines.push([...part.cells].map(cell => cell.textContent)
				.join('\t'));
	return lines.join('\n') + '\n';
}

// Copies a text. The browser asks the page for it, so it needs no permission, and
// works in a page that is a file.
function copy_text(app, text, button)
{
	app.copied = text;
	const done = document.execCommand('copy');
	const old = button.textContent;

	delete app.copied;
	by_id('said').textContent = done ? 'Copied.' : 'It cannot be copied.';
	if (button.dataset.old)
		return;
	button.dataset.old = old;
	button.textContent = done ? 'Copied' : 'Not copied';
	setTimeout(() => {
		button.textContent = old;
		delete button.dataset.old;
	}, 1200);
}

// Without marked text, Ctrl+C copies the list, if it has the focus, or the
// report.
function watch_copy(app)
{
	document.addEventListener('copy', event => {
		const { activeElement: active } = document;
		const marked = !document.getSelection().isCollapsed ||
			active?.tagName === 'INPUT';

		if (app.copied === undefined && marked)
			return;
		event.clipboardData.setData('text/plain', app.copied ??
			(active === app.list.rows ? app.list.text() :
			 report_text(app.aside)));
		event.preventDefault();
	});
}
