// SPDX-License-Identifier: LGPL-2.1-or-later
// The page's address: what is in view, selected, searched and shown stands behind
// its "#", so a copy of the page shows the same to another reader.
//
// What must stay true: an address is written by anybody. Each of its parts is
// checked, and a part that makes no sense is left out.

const LINK_PAUSE_MS = 300;	// browsers refuse very frequent changes

// "0-2,5" of the numbers 0, 1, 2 and 5.
function ranges_text(numbers)
{
	const list = [...numbers].sort((a, b) => a - b);
	const parts = [];

	for (let i = 0, from = 0; i < list.length; i++) {
		if (list[i] + 1 === list[i + 1])
			continue;
		parts.push(from < i ? list[from] + '-' + list[i] : list[i]);
		from = i + 1;
	}
	return parts.join(',');
}

// The numbers below `most` that such a text has.
function ranges_of(text, most)
{
	const numbers = [];

	for (const part of text.split(',')) {
		const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
		const last = found ? Math.min(found[2] ?? found[1], most - 1) :
			-1;

		for (let n = found ? Number(found[1]) : 0; n <= last; n++)
			numbers.push(n);
	}
	return numbers;
}

// Two numbers "A_B" of which B is not less, or null.
function interval_of(text)
{
	const found = /^(-?[\d.]{1,24})_(-?[\d.]{1,24})$/.exec(text);
	const [begin, end] = found ? [Number(found[1]), Number(found[2])] :
		[NaN, NaN];

	return begin <= end ? [begin, end] : null;
}

// Tells an item in a way that holds in other models of the trace: an event by its
// number among all, a slice by its place.
function item_key(model, item)
{
	return is_span(item) ? ['s', model.span_lane[item],
		model.span_kind[item], model.span_from[item],
		model.span_to[item]].join('_') :
		'e_' + (model.first + -1 - item);
}

// Returns the item of a model, or null.
function item_of_key(model, key)
{
	const [type, ...numbers] = key.split('_');
	const [a, kind, from, to] = numbers.map(Number);
	const event = a - model.first;

	if (type === 'e')
		return Number.isInteger(event) && model.has(event) &&
			model.paired[event] !== OF_SLICE ? item_of_event(event) : null;
	if (type !== 's' || !model.lanes[a])
		return null;
	for (let i = 0; i < model.spans; i++)
		if (model.span_from[i] === from && model.span_to[i] === to &&
		    model.span_lane[i] === a && model.span_kind[i] === kind)
			return i;
	return null;
}

class Link {
	constructor(app)
	{
		this.app = app;
		addEventListener('hashchange', () => {
			if (location.hash !== this.written)
				this.restore();
		});
		by_id('link').addEventListener('click', event => {
			this.write();
			copy_text(app, location.href, event.target);
		});
	}

	// All that differs from the page as it opens.
	parts()
	{
		const { app } = this;
		const { lanes, span, view, selected } = app;
		const whole = app.whole();
		const parts = [];
		const put = (name, value) => {
			if (value !== '' && value !== null)
				parts.push(name + '=' +
					   encodeURIComponent(value));
		};
		const round = ns => Number(ns.toFixed(2));

		if (view.begin !== whole.begin || view.end !== whole.end)
			put('view', round(view.begin) + '_' + round(view.end));
		put('span', span.is_there ? span.begin + '_' + span.end : '');
		put('item', selected === null ? app.lost ?? '' :
		    item_key(app.model, selected));
		put('find', by_id('query').value.trim());
		put('lanes', lanes.filter);
		put('order', lanes.order === 'first' ? '' : lanes.order);
		put('fold', ranges_text(lanes.folded));
		put('pin', [...lanes.pinned].join(','));
		put('curve', app.curves.list.map(({ name, field }) =>
			[name, field].map(encodeURIComponent).join('|'))
			.join(','));
		put('list', app.list.is_open === app.list.at_first ? '' :
		    Number(app.list.is_open));
		return parts;
	}

	// Writes the address soon.
	request()
	{
		if (!this.timer)
			this.timer = setTimeout(() => this.write(),
						LINK_PAUSE_MS);
	}

	write()
	{
		const hash = '#' + this.parts().join('&');

		clearTimeout(this.timer);
		this.timer = null;
		if (hash === this.written || (hash === '#' && !location.hash))
			return;
		try {
			history.replaceState(null, '', hash);
		} catch (e) {
			// a browser that forbids it for files: no address
		}
		this.written = location.hash;
	}

	// Takes what the address has. What it does not have is as in a page that
	// was just opened.
	restore()
	{
		const { app } = this;
		const { lanes, list, head } = app;
		const parts = new Map(location.hash.slice(1).split('&').map(
			part => [part.slice(0, part.indexOf('=')),
				 decoded(part.slice(part.indexOf('=') + 1))]));
		const text = name => parts.get(name) ?? '';
		const view = interval_of(text('view'));
		const span = interval_of(text('span'));

		this.written = location.hash;
		lanes.folded = new Set(ranges_of(text('fold'),
						 head.processes.length));
		lanes.pinned = new Set(text('pin').split(',').flatMap(one =>
			ranges_of(one, head.lanes.length)));
		lanes.order = 'first';
		app.curves.set(text('curve').split(',').map(one =>
			one.split('|').map(decoded)).filter(one =>
			one.length === 2));
		lanes.set_filter(text('lanes').slice(0, 1000));
		lanes.set_order(text('order'));
		list.open(text('list') ? text('list') === '1' : list.at_first);
		if (span)
			app.span.set(...span);
		else
			app.span.clear();
		this.restore_item(text('item'));
		if (view)
			app.set_view(...view);
		else
			app.show_whole();
		app.find(text('find').slice(0, 1000));
	}

	// In a page that shows a density first, the item may come with the events.
	restore_item(key)
	{
		const { app } = this;
		const item = item_of_key(app.model, key);

		app.choose(item);
		app.lost = item === null && /^[se]_[\d_.-]{1,99}$/.test(key) ?
			key : null;
		if (item === null)
			return;
		app.lanes.uncover(app.report.lane(item));
		app.show_lane(item);
	}
}

// A part of an address as text; "" if it is no text.
function decoded(part)
{
	try {
		return decodeURIComponent(part);
	} catch (e) {
		return '';
	}
}
