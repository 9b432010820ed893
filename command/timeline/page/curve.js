// SPDX-License-Identifier: LGPL-2.1-or-later
// Curves of numeric fields: the value that each event of a name has, until the
// next one. They stand above the lanes.

const CURVE_HEIGHT = 64;
const CURVE_PAD = 7;
const CURVES_MAX = 16;

function is_numeric(member)
{
	return (member.kind === INTEGER && !member.is_length) ||
		member.kind === REAL;
}

// Where the values of a field are, by class: the member, and its place in a
// record.
function field_columns(head, name, field)
{
	const columns = [];

	for (const one of head.classes) {
		let at = 0;

		if (one.name !== name)
			continue;
		for (const member of one.shape.members) {
			if (member.name === field && is_numeric(member))
				columns[one.number] = { member, at };
			at += Math.max(0, member.always);
		}
	}
	return columns;
}

class Curve {
	constructor(name, field)
	{
		this.name = name;
		this.field = field;
	}

	is(name, field)
	{
		return this.name === name && this.field === field;
	}

	// Takes the values of a model's events, in the order of time, from lanes
	// of the mask. Values that are no finite number are left out.
	read(model, mask)
	{
		const columns = field_columns(model.head, this.name,
					      this.field);
		const time = [], value = [], event = [];

		this.member = columns.find(one => one)?.member;
		for (const chunk of model.chunks)
			for (let i = chunk.at; i < chunk.at + chunk.n; i++) {
				const column = columns[model.class[i]];

				if (!column || (mask && !mask[model.lane[i]]))
					continue;
				const number = record_number(chunk.of_class[
					model.class[i]], model.in_class[i],
					column);

				if (!Number.isFinite(number))
					continue;
				time.push(model.time[i]);
				value.push(number);
				event.push(i);
			}
		this.time = Float64Array.from(time);
		this.value = Float64Array.from(value);
		this.event = Uint32Array.from(event);
		this.least = value.reduce((a, b) => Math.min(a, b), Infinity);
		this.most = value.reduce((a, b) => Math.max(a, b), -Infinity);
	}

	text(value)
	{
		return this.member.kind === REAL ? significant(value, 6) :
			integer_text(this.member, BigInt(value));
	}

	// The event whose value holds at a time, or undefined.
	at(ns)
	{
		return this.event[upper_bound(this.time, ns) - 1];
	}

	draw(painter, y, height)
	{
		const { context: c, colors, view } = painter;
		const size = height - 2 * CURVE_PAD - 1;
		const range = this.most - this.least || 1;
		const place = value => y + CURVE_PAD + size * (this.most ===
			this.least ? 0.5 : (this.most - value) / range);

		c.fillStyle = colors.line;
		c.fillRect(0, y + height - 1, view.width, 1);
		if (this.least < 0 && this.most > 0)
			c.fillRect(0, Math.round(place(0)), view.width, 1);
		c.strokeStyle = colors.accent;
		c.lineWidth = 1.25;
		c.beginPath();
		this.draw_steps(painter, place);
		c.stroke();
		if (!this.time.length)
			draw_note(painter, 'no value is loaded', y + height / 2);
		else if (this.least !== this.most)
			draw_note(painter, this.text(this.least),
				  y + height - 9);
		if (this.time.length)
			draw_note(painter, this.text(this.most), y + 9);
	}

	// A pixel that has several values has a line from the least to the most.
	draw_steps(painter, place)
	{
		const { context: c, view, scale } = painter;
		const { time, value } = this;
		const last = upper_bound(time, view.end);
		let i = Math.max(0, upper_bound(time, view.begin) - 1);

		if (i < last)
			c.moveTo(Math.max(-2, painter.x(time[i])),
				 place(value[i]));
		while (i < last) {
			const x = Math.max(-2, painter.x(time[i]));
			const next = Math.max(i + 1, gallop(time, view.begin +
				(Math.floor(x) + 1) / scale, i + 1, last));
			let least = value[i], most = value[i];

			for (let j = i + 1; j < next; j++) {
				least = Math.min(least, value[j]);
				most = Math.max(most, value[j]);
			}
			c.lineTo(x, place(i ? value[i - 1] : value[i]));
			c.lineTo(x, place(least));
			c.lineTo(x, place(most));
			c.lineTo(x, place(value[next - 1]));
			i = next;
		}
		// the last value in view holds until the next one
		if (last && last < time.length)
			c.lineTo(view.width + 2, place(value[last - 1]));
	}
}

// Draws a text at the left of the plot, on a ground of its own.
function draw_note({ context: c, colors }, text, y)
{
	c.fillStyle = colors.back;
	c.fillRect(0, y - 7, c.measureText(text).width + 8, 14);
	c.fillStyle = colors.soft;
	c.fillText(text, 4, y);
}

// Returns a value of a fixed member as a Number.
function record_number(records, i, { member, at })
{
	if (!records.starts)
		records.prepare();
	const from = i * records.row + records.extra + at;

	return member.kind === REAL ? field_real(member, records.view, from) :
		Number(field_integer(member, records.view, from));
}

class Curves {
	constructor(app)
	{
		this.app = app;
		this.list = [];
	}

	find(name, field)
	{
		return this.list.findIndex(curve => curve.is(name, field));
	}

	// Draws the curve of a field, or takes it away.
	toggle(name, field)
	{
		const at = this.find(name, field);

		if (at >= 0)
			this.list.splice(at, 1);
		else if (this.list.length < CURVES_MAX)
			this.list.push(new Curve(name, field));
		this.app.lay_out();
		this.app.report.show(this.app.selected);
	}

	// Takes fields that the trace has.
	set(fields)
	{
		const { head } = this.app;

		this.list = fields.filter(one => field_columns(head, ...one)
			.length).slice(0, CURVES_MAX).map(one =>
			new Curve(...one));
	}

	// Their places; values are read where the lanes or events are others.
	places(model, mask)
	{
		const key = mask ? mask.join('') : '';

		for (const curve of this.list) {
			if (curve.model !== model || curve.key !== key)
				curve.read(model, mask);
			curve.model = model;
			curve.key = key;
		}
		return this.list.map(curve => ({ curve, pinned: true,
						 height: CURVE_HEIGHT }));
	}

	// The name of a field, with a button that draws its curve.
	field_name(event, name)
	{
		const { app } = this;
		const { shape, name: of } = app.head.classes[
			app.model.class[event]];
		const shown = this.find(of, name) >= 0;

		if (!shape.members.some(member => member.name === name &&
					is_numeric(member)))
			return name;
		const made = element('button', { type: 'button', class: 'curve',
			'aria-pressed': shown, title: shown ?
			'Take its curve away' : 'Draw its curve',
			'aria-label': 'Curve of ' + name });

		made.addEventListener('click', () => this.toggle(of, name));
		return element('span', {}, name, made);
	}
}
