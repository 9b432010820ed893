// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page says in words: the tooltip, and the report at the side.
//
// What must stay true: text is set as text; no HTML is made of it.

const LIST_MAX = 60;
const HISTOGRAM_BARS = 40;
// Of a string, what the report and the tooltip have: a table of a cell with very
// many lines takes a browser seconds.
const TEXT_BYTES = 4000;
const TIP_BYTES = 300;

function element(name, attributes, ...children)
{
	const made = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		made.setAttribute(key, value);
	made.append(...children.filter(child => child !== null)
		.map(child => child instanceof Node ? child : String(child)));
	return made;
}

function swatch(color, tick)
{
	const made = element('span', { class: tick ? 'swatch tick' : 'swatch' });

	made.style.background = color;
	return made;
}

// A table with a name and a value in each row.
function value_table(rows, attributes)
{
	return element('table', { class: 'fields', ...attributes },
		...rows.map(([name, value]) => element('tr', {},
			element('th', { scope: 'row' }, name),
			element('td', {}, value))));
}

// The smallest number that is not below so many thousandths of all, as report
// has it.
function quantile(sorted, thousandths)
{
	return sorted[Math.max(1, Math.ceil(sorted.length * thousandths /
					    1000)) - 1];
}

function add_count(map, key, ns)
{
	const count = map.get(key) || { n: 0, ns: 0 };

	count.n++;
	count.ns += ns;
	map.set(key, count);
}

class Report {
	constructor(app)
	{
		this.app = app;
		this.head = app.head;
		this.durations = null;
	}

	set_model(model)
	{
		this.model = model;
		this.durations = null;
		this.items = null;
	}

	// The item that an event belongs to: the slice that it begins or ends, or
	// itself.
	item_of(event)
	{
		const { model } = this;

		if (!model.paired[event])
			return item_of_event(event);
		if (!this.items) {
			this.items = new Int32Array(model.n);
			for (let i = 0; i < model.spans; i++)
				for (const end of this.span_events(i))
					if (model.has(end))
						this.items[end] = i;
		}
		return this.items[event];
	}

	lane_text(number)
	{
		const lane = this.head.lanes[number];
		const process = this.head.processes[lane.process];
		const thread = lane.is_cpu ? 'CPU ' + lane.id :
			(lane.name ? lane.name + ' ' : '') + lane.id;

		return thread + ' of ' + this.process_text(process, lane);
	}

	process_text(process, lane)
	{
		const name = process.name || lane.name || 'process';

		return name + (process.pid >= 0 ? ' ' + process.pid : '');
	}

	name(item)
	{
		return is_span(item) ?
			this.head.kinds[this.model.span_kind[item]].name :
			this.head.classes[this.model.class[-1 - item]].name;
	}

	lane(item)
	{
		return is_span(item) ? this.model.span_lane[item] :
			this.model.lane[-1 - item];
	}

	// The lane in which a slice ends, if this is another one; or null.
	end_lane(item)
	{
		const { model } = this;
		const last = is_span(item) ? model.span_last[item] : -1;

		return model.has(last) && model.lane[last] !== this.lane(item) ?
			this.lane_text(model.lane[last]) : null;
	}

	from(item)
	{
		return is_span(item) ? this.model.span_from[item] :
			this.model.time[-1 - item];
	}

	to(item)
	{
		return is_span(item) ? this.model.span_to[item] :
			this.model.time[-1 - item];
	}

	color(item)
	{
		const { colors } = this.app;

		return is_span(item) ?
			colors.kind(this.model.span_kind[item]) :
			colors.class(this.model.class[-1 - item]);
	}

	title(item)
	{
		return [swatch(this.color(item), !is_span(item)),
			this.name(item)];
	}

	// The events that tell a slice, those that are not loaded, too: that of the
	// begin is the last one.
	span_events(span)
	{
		const { whole, span_first, span_last } = this.model;

		return whole[span] ? [span_last[span]] :
			[span_last[span], span_first[span]];
	}

	// [heading, fields] of each event of an item.
	events(item)
	{
		const { model, head } = this;
		const list = is_span(item) ? this.span_events(item).reverse() :
			[-1 - item];

		return list.map((event, i) => {
			const part = !is_span(item) ? 'Fields' :
				i || list.length < 2 ? 'At its end' :
				'At its begin';

			if (!model.has(event))
				return null;
			return { event, heading: is_span(item) ? part + ': ' +
				 head.classes[model.class[event]].name : part };
		}).filter(one => one);
	}

	// The line that a screen reader says.
	sentence(item)
	{
		const fields = this.events(item).map(({ event }) =>
			this.model.fields(event, TIP_BYTES).map(([name, value]) =>
				name + ' ' + value).join(', '));

		return this.name(item) + (is_span(item) ? ', slice of ' +
			duration_text(this.to(item) - this.from(item)) :
			', event') + ' at ' + offset_text(this.from(item)) +
			', in ' + this.lane_text(this.lane(item)) + '. ' +
			fields.filter(text => text).join('; ');
	}

	// All fields of an item, for the tooltip.
	tip(item)
	{
		const parts = [element('b', {}, ...this.title(item))];
		const facts = [];

		if (is_span(item))
			facts.push(['duration', exact_duration(this.to(item) -
				this.from(item))]);
		facts.push(['time', offset_text(this.from(item))],
			   ['', clock_text(this.head, this.from(item))],
			   ['in', this.lane_text(this.lane(item))]);
		if (this.end_lane(item))
			facts.push(['ends in', this.end_lane(item)]);
		if (is_span(item) && this.model.span_fate[item])
			facts.push(['', FATES[this.model.span_fate[item]]]);
		parts.push(value_table(facts));
		for (const { event, heading } of this.events(item)) {
			parts.push(element('h4', {}, heading),
				value_table(this.model.fields(event, TIP_BYTES)
					.concat(this.model.contexts(event))));
		}
		return parts;
	}

	show(item)
	{
		const parts = item === null ? this.app.span.is_there ?
			this.of_time() : this.overall() :
			is_span(item) ? this.of_span(item) :
			this.of_event(item);

		this.app.aside.replaceChildren(this.copy_button(), ...parts);
		if (item !== null && is_span(item))
			this.draw_histogram(item);
		this.app.aside.scrollTop = 0;
	}

	copy_button()
	{
		const made = element('button', { type: 'button', id:
			'report-copy', title: 'Copy the report as text ' +
			'(Ctrl+C)' }, 'Copy');

		made.addEventListener('click', () => copy_text(this.app,
			report_text(this.app.aside), made));
		return made;
	}

	heading(text)
	{
		return element('h3', {}, text);
	}

	times(item)
	{
		const { head, model } = this;
		const from = this.from(item), to = this.to(item);
		const rows = [[is_span(item) ? 'Begins' : 'Time',
			       offset_text(from)],
			      ['', clock_text(head, from)]];

		if (is_span(item)) {
			rows.unshift(['Duration', exact_duration(to - from)]);
			rows.push([model.span_fate[item] ? 'Seen until' :
				   'Ends', offset_text(to)]);
		}
		rows.push(['In', this.lane_text(this.lane(item))]);
		if (this.end_lane(item))
			rows.push(['Ends in', this.end_lane(item)]);
		return value_table(rows, { id: 'times' });
	}

	field_tables(item)
	{
		const parts = [];

		for (const { event, heading } of this.events(item))
			parts.push(this.heading(heading),
				value_table(this.model.fields(event, TEXT_BYTES)
					.map(([name, text]) => [this.app.curves
					.field_name(event, name), text])
					.concat(this.model.contexts(event))));
		if (!parts.length)
			parts.push(element('p', { class: 'soft' }, 'Its fields' +
				' are not loaded: zoom in to its begin or end.'));
		return parts;
	}

	of_span(item)
	{
		const fate = this.model.span_fate[item];

		return [element('h2', {}, ...this.title(item)),
			fate ? element('p', { class: 'soft' }, 'This slice was ' +
				FATES[fate] + '.') : null,
			this.times(item), ...this.field_tables(item),
			...this.among(item), ...this.inside(item)]
			.filter(part => part);
	}

	// The way to the slice that an event ends.
	ended_slice(event)
	{
		const span = this.item_of(event);

		if (!is_span(span))
			return [];
		const go = element('button', { type: 'button', id: 'to-slice' },
				   'To its slice');

		go.addEventListener('click', () => this.app.select(span));
		return [element('p', { class: 'soft' }, 'It ends a slice ' +
			'of ' + duration_text(this.to(span) -
			this.from(span)) + ' in ' + this.lane_text(
			this.lane(span)) + '.'), go];
	}

	of_event(item)
	{
		const { model, head } = this;
		const one = model.lanes[this.lane(item)];
		const name = this.name(item);
		const like_it = event => head.classes[model.class[event]]
			.name === name;
		const at = lower_bound(one.event, -1 - item);
		const like = step => {
			let i = at + step;

			while (i >= 0 && i < one.instants &&
			       !like_it(one.event[i]))
				i += step;
			return i < 0 || i >= one.instants ? 'none' :
				duration_text(Math.abs(one.time[i] -
						       one.time[at]));
		};

		return [element('h2', {}, ...this.title(item)),
			...this.ended_slice(-1 - item),
			this.times(item), ...this.field_tables(item),
			this.heading('Among events of this name'),
			value_table([
				['Count', count_text(head.classes
					.filter(one => one.name === name)
					.reduce((sum, one) => sum + one.events,
						0))],
				['Since the one before, here', like(-1)],
				['Until the next, here', like(1)],
			], { id: 'among' })];
	}

	// Collects the durations of all slices that finished, by kind, and which is
	// the longest.
	collect()
	{
		const { spans, span_from, span_to, span_kind, span_fate } =
			this.model;
		const kinds = [];

		for (let i = 0; i < spans; i++) {
			const kind = kinds[span_kind[i]] ||= { n: 0, at: 0,
				longest: -1, most: -1 };

			kind.n += Number(span_fate[i] === FINISHED);
		}
		for (const kind of kinds)
			if (kind)
				kind.list = new Float64Array(kind.n);
		for (let i = 0; i < spans; i++) {
			const kind = kinds[span_kind[i]];
			const duration = span_to[i] - span_from[i];

			if (span_fate[i] !== FINISHED)
				continue;
			kind.list[kind.at++] = duration;
			if (duration > kind.most) {
				kind.most = duration;
				kind.longest = i;
			}
		}
		return kinds;
	}

	// The durations of all slices of a kind, sorted.
	sorted(kind)
	{
		this.durations ||= this.collect();
		const own = this.durations[kind] || { longest: -1,
			list: new Float64Array(0) };

		if (!own.sorted) {
			own.sorted = own.list.sort();
			own.total = own.sorted.reduce((sum, one) => sum + one,
						      0);
		}
		return own;
	}

	// Whether events are missing that the page could show elsewhere.
	is_part()
	{
		return this.model.n < this.head.events;
	}

	// What the numbers of a kind's slices are about.
	among_what(kind, n)
	{
		const all = this.head.kinds[kind].finished;

		if (!this.is_part() || n >= all)
			return [this.heading('Among ' + counted(n, 'slice') +
					     ' of this name')];
		return [this.heading('Among ' + count_text(n) + ' of ' +
				     counted(all, 'slice') + ' of this name'),
			element('p', { class: 'soft' }, 'Loaded are the ' +
				'longest of all, and those in view: the ' +
				'numbers are of these alone.')];
	}

	among(item)
	{
		const kind = this.model.span_kind[item];
		const { sorted, total, longest } = this.sorted(kind);
		const own = this.to(item) - this.from(item);
		const n = sorted.length;

		if (!n)
			return [];
		const below = lower_bound(sorted, own);
		const go = element('button', { type: 'button' },
				   'Go to the longest');

		go.addEventListener('click', () => this.app.select(longest,
								   true));
		return [...this.among_what(kind, n),
			element('p', { id: 'rank' }, n < 2 ? 'The only one.' :
				'Longer than ' + significant(
				Math.min(100 * below / n, 99.9), 3) +
				' % of them.'),
			element('canvas', { id: 'histogram', role: 'img',
				'aria-label': 'How many slices have which ' +
				'duration' }),
			value_table([
				['Count', count_text(n)],
				['Total', exact_duration(total)],
				['Mean', duration_text(total / n)],
				['Shortest', exact_duration(sorted[0])],
				['Median', duration_text(quantile(sorted,
								  500))],
				['90 % below', duration_text(quantile(sorted,
								      900))],
				['99 % below', duration_text(quantile(sorted,
								      990))],
				['Longest', exact_duration(sorted[n - 1])],
			], { id: 'among' }),
			longest === item ? element('p', { class: 'soft' },
				'This is the longest.') : go];
	}

	draw_histogram(item)
	{
		const canvas = document.getElementById('histogram');
		const { sorted } = this.sorted(this.model.span_kind[item]);

		if (!canvas)
			return;
		const width = canvas.clientWidth, height = 74, base = 58;
		const ratio = fit(canvas, width, height);
		const c = canvas.getContext('2d');
		const least = Math.max(1, sorted[0]);
		const most = Math.max(least * 1.01, sorted[sorted.length - 1]);
		const bar = ns => Math.floor(Math.log(Math.max(least, ns) /
			least) / Math.log(most / least) * HISTOGRAM_BARS *
			0.9999);
		const counts = new Uint32Array(HISTOGRAM_BARS);
		const { colors } = this.app;

		for (const ns of sorted)
			counts[bar(ns)]++;
		const top = counts.reduce((a, b) => Math.max(a, b), 1);
		const own = bar(Math.min(most, this.to(item) -
					 this.from(item)));

		c.scale(ratio, ratio);
		counts.forEach((n, i) => {
			const size = n ? Math.max(2, base * n / top) : 0;

			c.fillStyle = i === own ? colors.accent :
				colors.density;
			c.fillRect(i * width / HISTOGRAM_BARS, base - size,
				   width / HISTOGRAM_BARS - 1, size);
		});
		c.fillStyle = colors.line;
		c.fillRect(0, base, width, 1);
		c.fillStyle = colors.soft;
		c.font = '11px system-ui, sans-serif';
		c.textBaseline = 'bottom';
		c.fillText(duration_text(sorted[0]), 0, height);
		c.textAlign = 'right';
		c.fillText(duration_text(sorted[sorted.length - 1]), width,
			   height);
	}

	// What lies inside a slice in its lane, by name.
	inside(item)
	{
		const { model } = this;
		const one = model.lanes[this.lane(item)];
		const from = this.from(item), to = this.to(item);
		const kinds = new Map(), classes = new Map();
		const depth = model.row[item];
		let children = 0;

		if (this.is_part() && !(model.has(model.span_first[item]) &&
					model.has(model.span_last[item])))
			return [this.heading('Inside it'), element('p', {
				class: 'soft', id: 'unloaded' }, 'What is ' +
				'inside is not loaded: zoom in to all of it.')];

		for (let i = depth + 1; i < one.rows.length; i++) {
			const row = one.rows[i];

			for (let j = lower_bound(row.from, from);
			     j < row.n && row.from[j] <= to; j++) {
				const span = row.span[j];
				const ns = row.to[j] - row.from[j];

				// calls of a coroutine may go on behind it
				if (!this.is_behind(span, item) ||
				    row.to[j] > to)
					continue;
				children += i === depth + 1 ? ns : 0;
				add_count(kinds, model.span_kind[span], ns);
			}
		}
		for (let j = lower_bound(one.time, from);
		     j < one.instants && one.time[j] <= to; j++)
			add_count(classes, model.class[one.event[j]], 0);
		return this.inside_parts(kinds, classes, to - from - children);
	}

	// Whether a slice began behind the begin of another, at the same time, too.
	is_behind(span, item)
	{
		return this.model.span_first[span] >=
			this.model.span_first[item];
	}

	inside_parts(kinds, classes, self)
	{
		const parts = [this.heading('Inside it')];

		if (!kinds.size && !classes.size)
			return parts.concat(element('p', { class: 'soft' },
				'No other event of this lane.'));
		parts.push(value_table([['Not in slices below it',
					 exact_duration(self)]], { id: 'self' }));
		parts.push(this.name_table('inside', kinds, classes));
		return parts;
	}

	// A table of names, what took longest first.
	name_table(id, kinds, classes)
	{
		const { head } = this;
		const { colors } = this.app;
		const rows = [...kinds].sort((a, b) => b[1].ns - a[1].ns ||
			b[1].n - a[1].n)
			.map(([number, { n, ns }]) => [head.kinds[number].name,
				swatch(colors.kind(number)), count_text(n),
				duration_text(ns)]);

		for (const [number, { n }] of [...classes]
			.sort((a, b) => b[1].n - a[1].n))
			rows.push([head.classes[number].name,
				   swatch(colors.class(number), true),
				   count_text(n), '']);
		return this.table(id, ['Name', 'Count', 'Total'], rows);
	}

	// A table whose rows are [name, swatch, number ...]; with `wide`, a name has
	// a line of its own.
	table(id, heads, rows, wide)
	{
		const table = element('table', { id, ...wide ? { class: 'wide' }
			: {} }, element('tr', {}, ...heads.map((text, i) => element('th', i ?
				{ class: 'number', scope: 'col' } :
				{ scope: 'col' }, text))));

		table.style.setProperty('--columns', heads.length - 1);
		for (const row of rows.slice(0, LIST_MAX))
			table.append(this.name_row(...row));
		if (rows.length > LIST_MAX)
			table.append(element('tr', {}, element('td', {}, '… ' +
				count_text(rows.length - LIST_MAX) + ' more')));
		return table;
	}

	name_row(name, color, ...numbers)
	{
		const row = element('tr', { class: 'link', tabindex: '0',
			title: 'Search for this name' },
			element('td', {}, color, name),
			...numbers.map(text => element('td',
				{ class: 'number' }, text)));
		const find = () => this.app.find(quoted(name));

		row.addEventListener('click', find);
		row.addEventListener('keydown', event => {
			if (event.key === 'Enter')
				find();
		});
		return row;
	}

	// The slices of each kind, as report counts them: those that did not finish
	// have a column of their own.
	slices_table(list)
	{
		const { head } = this;
		const { colors } = this.app;
		const kinds = list.filter(kind => kind.finished ||
					  kind.unfinished)
			.sort((a, b) => b.ns - a.ns || b.finished - a.finished);
		const open = kinds.some(kind => kind.unfinished);

		return kinds.length ? [this.heading('Slices by name'),
			this.table('by-name', ['Name', 'Count',
				...open ? ['Not finished'] : [], 'Total',
				'Mean', '99 %', 'Longest'],
			kinds.map(({ number, finished, unfinished, ns, p99,
				     longest }) => [head.kinds[number].name,
				swatch(colors.kind(number)),
				count_text(finished),
				...open ? [count_text(unfinished)] : [],
				...(finished ? [ns, ns / finished, p99, longest]
					.map(duration_text) : Array(4)
					.fill(''))]), true)] : [];
	}

	// Events by name, those that begin or end a slice, too. `count` says how
	// many a class has.
	events_table(count)
	{
		const { colors } = this.app;
		const names = new Map();

		for (const one of this.head.classes) {
			const own = names.get(one.name) || { number: one.number,
							     n: 0 };

			own.n += count(one);
			names.set(one.name, own);
		}
		return [this.heading('Events by name'),
			this.table('events', ['Name', 'Count'],
				[...names].filter(([, one]) => one.n)
				.sort((a, b) => b[1].n - a[1].n)
				.map(([name, { number, n }]) => [name,
					swatch(colors.class(number), true),
					count_text(n)]))];
	}

	// The report of a span of time.
	of_time()
	{
		const { head, app, model } = this;
		const { span, lanes } = app;
		const { begin, end } = span;
		const zoom = element('button', { type: 'button' }, 'Zoom to it');
		const loaded = span.is_loaded();
		const counts = loaded && statistics(model, begin, end,
						    lanes.mask());
		const command = span.command();

		zoom.addEventListener('click', () => span.zoom());
		return [element('h2', {}, 'Selected span'), value_table([
			['Lasts', exact_duration(end - begin)],
			['In a second', end > begin ? significant(NS_PER_S /
				(end - begin), 4) + ' times' : ''],
			['Begins', offset_text(begin)],
			['', clock_text(head, begin)],
			['Ends', offset_text(end)], ['', clock_text(head, end)],
			['Lanes', lanes.hides() ? count_text(lanes.shown) +
				' of ' + counted(lanes.n, 'lane') : 'all'],
			...loaded ? [['Events', count_text(counts.events)]] : [],
		], { id: 'times' }), zoom, ...loaded ? [
			...this.slices_table(counts.kinds),
			...this.events_table(one => counts.classes.get(
				one.number) || 0)] : [element('p', {
			class: 'soft', id: 'unloaded' }, 'Not all events of ' +
			'this span are loaded: zoom in to it.')],
			...loaded && command && !lanes.hides() ?
			[this.heading('As text'), element('code', { id:
				'command' }, command)] : []];
	}

	// The report of all, while nothing is selected. What is loaded makes no
	// difference.
	overall()
	{
		const { head } = this;

		return [element('h2', {}, 'What is here'),
			value_table([
				['Begins', clock_text(head, 0, true)],
				['Ends', clock_text(head, head.span, true)],
				['Lasts', exact_duration(head.span)],
				['Events', count_text(head.events)],
				['From', head.paths.join(', ')],
			], { id: 'times' }),
			...this.slices_table(head.kinds.filter(kind => kind)),
			...this.events_table(one => one.events)];
	}
}
