// SPDX-License-Identifier: LGPL-2.1-or-later
// The search. An item is a slice or an instant; as a number, slice i is i, and
// the instant that is event i is -1 - i.

const FIND_SLICE_MS = 12;	// the page answers in between
const FIND_STEP = 512;
const COMPARE = /^([A-Za-z_][\w.]*)(<=|>=|!=|=|<|>)(.*)$/;

function item_of_event(event)
{
	return -1 - event;
}

function is_span(item)
{
	return item >= 0;
}

// Splits a query into words; "..." keeps blanks.
function parse_query(text)
{
	const words = text.match(/(?:[^\s"]|"[^"]*"?)+/g) || [];

	return words.map(word => {
		const plain = word.replace(/"/g, '');
		const parts = COMPARE.exec(plain);

		if (parts)
			return { field: parts[1], operator: parts[2],
				 value: parts[3], number: as_number(parts[3]),
				 duration: Boolean(DURATION.exec(parts[3])
						   ?.[2]) };
		return { word: plain.toLowerCase(), number: as_number(plain),
			 bytes: new TextEncoder().encode(plain.toLowerCase()) };
	}).filter(term => term.field || term.word);
}

// Returns the number that a text is, or null.
function as_number(text)
{
	if (/^-?(0x[0-9a-f]+|\d+)$/i.test(text)) {
		const size = BigInt(text.replace('-', ''));

		return text[0] === '-' ? -size : size;
	}
	return text.trim() && Number.isFinite(Number(text)) ? Number(text) :
		null;
}

function compare(a, operator, b)
{
	switch (operator) {
	case '=': return a == b;	// a Number and a BigInt, too
	case '!=': return a != b;
	case '<': return a < b;
	case '>': return a > b;
	case '<=': return a <= b;
	default: return a >= b;
	}
}

// Whether bytes have these in them; capital letters of ASCII count as small.
function has_bytes(view, from, to, bytes)
{
	const last = to - bytes.length;

	for (let at = from; at <= last; at++) {
		let i = 0;

		for (; i < bytes.length; i++) {
			const byte = view.getUint8(at + i);

			if ((byte >= 65 && byte <= 90 ? byte + 32 : byte) !==
			    bytes[i])
				break;
		}
		if (i === bytes.length)
			return true;
	}
	return false;
}

function word_in_field(term, member, view, from, to, length)
{
	switch (member.kind) {
	case STRING:
		return has_bytes(view, from, to - 1, term.bytes);
	case TEXT:
		return has_bytes(view, from, Math.min(to,
			string_end(view, from)), term.bytes);
	case INTEGER:
		return term.number !== null && !member.is_length &&
			field_integer(member, view, from) == term.number;
	case REAL:
		return term.number !== null &&
			field_real(member, view, from) == Number(term.number);
	default:
		return field_text(member, view, from, to, length)
			.toLowerCase().includes(term.word);
	}
}

function field_compares(term, member, view, from, to, length)
{
	const numeric = member.kind === INTEGER || member.kind === ENUM;

	if (member.unit && term.duration)
		return compare(Number(field_integer(member, view, from)) *
			       1000 ** (member.unit & 3), term.operator,
			       parse_duration(term.value));
	if (term.number !== null && numeric)
		return compare(field_integer(member, view, from),
			       term.operator, term.number);
	if (term.number !== null && member.kind === REAL)
		return compare(field_real(member, view, from), term.operator,
			       Number(term.number));
	if (member.kind === STRING || member.kind === TEXT)
		return compare(bytes_text(string_bytes(member, view, from, to)),
			       term.operator, term.value);
	let text = field_text(member, view, from, to, length);

	if (member.kind === ENUM)
		text = text.replace(/ \(-?\d+\)$/, '');
	return compare(text, term.operator, term.value);
}

// Marks what was found, for the painter.
class Marks {
	constructor(model)
	{
		this.spans = new Uint8Array(model.spans);
		this.events = new Uint8Array(model.n);
		this.sums = new Map();
		this.items = [];
	}

	sum(key, flags, numbers)
	{
		let sum = this.sums.get(key);

		if (!sum) {
			sum = new Uint32Array(numbers.length + 1);
			for (let i = 0; i < numbers.length; i++)
				sum[i + 1] = sum[i] + flags[numbers[i]];
			this.sums.set(key, sum);
		}
		return sum;
	}

	rows(one, i)
	{
		return this.sum(one.rows[i], this.spans, one.rows[i].span);
	}

	instants(one)
	{
		return this.sum(one, this.events, one.event);
	}
}

class Search {
	constructor(model, text)
	{
		this.model = model;
		this.head = model.head;
		this.terms = parse_query(text);
		this.marks = new Marks(model);
		for (const term of this.terms)
			this.prepare(term);
	}

	// Which names have the word; "app/request" is app:request, as in a rule.
	prepare(term)
	{
		const word = term.word, other = word?.replace('/', ':');
		const has = thing => Boolean(word) &&
			[word, other].some(w =>
				thing.name.toLowerCase().includes(w));

		term.kinds = this.head.kinds.map(has);
		term.classes = this.head.classes.map(has);
		term.is_duration = term.field === 'dur' &&
			!Number.isNaN(parse_duration(term.value));
	}

	event_has(event, term)
	{
		const r = this.model.records(event);

		if (term.word)
			return r.fields.each(r.in_fields,
				(member, view, from, to, length) =>
				word_in_field(term, member, view, from, to,
					      length));
		const take = (member, view, from, to, length) =>
			member.name === term.field && field_compares(term,
				member, view, from, to, length);

		return r.fields.each(r.in_fields, take) ||
			r.contexts.each(r.in_contexts, take) ||
			(term.field === 'cpu_id' && term.number !== null &&
			 compare(r.contexts.cpu(r.in_contexts), term.operator,
				 term.number));
	}

	span_has(i, term)
	{
		const { model } = this;
		const first = model.span_first[i], last = model.span_last[i];
		const named = event => model.has(event) &&
			term.classes[model.class[event]];

		if (term.is_duration)
			return compare(model.span_to[i] - model.span_from[i],
				       term.operator,
				       parse_duration(term.value));
		return term.kinds[model.span_kind[i]] || named(first) ||
			named(last) ||
			(model.has(first) && this.event_has(first, term)) ||
			(model.has(last) && this.event_has(last, term));
	}

	instant_has(event, term)
	{
		return term.classes[this.model.class[event]] ||
			(!term.is_duration && this.event_has(event, term));
	}

	// Marks a slice, and its end, if that is an instant of another lane.
	mark_span(i)
	{
		const last = this.model.span_last[i];

		this.marks.spans[i] = 1;
		if (this.model.paired[last] === ENDS_ELSEWHERE)
			this.marks.events[last] = 1;
	}

	// Looks at some items from the last place on. Returns whether some are
	// left.
	step()
	{
		const { model, terms, marks } = this;

		this.at = this.at || 0;
		const end = Math.min(this.at + FIND_STEP,
				     model.spans + model.n);

		for (; this.at < end; this.at++) {
			const event = this.at - model.spans;

			if (event < 0) {
				const i = model.order[this.at];

				if (terms.every(term => this.span_has(i, term)))
					this.mark_span(i);
			} else if (!model.paired[event] && terms.every(term =>
				   this.instant_has(event, term))) {
				marks.events[event] = 1;
			}
		}
		return this.at < model.spans + model.n;
	}

	// Puts what was found in the order of time.
	collect()
	{
		const { model, marks } = this;
		const spans = Array.from(model.order)
			.filter(i => marks.spans[i]);
		let next = 0;

		for (let event = 0; event < model.n; event++) {
			if (!marks.events[event] || model.paired[event])
				continue;
			while (next < spans.length && model.span_from[
				spans[next]] <= model.time[event])
				marks.items.push(spans[next++]);
			marks.items.push(item_of_event(event));
		}
		while (next < spans.length)
			marks.items.push(spans[next++]);
		return marks;
	}

	// Calls tell(part) now and then. Returns the marks, or null if `stopped()`.
	async run(tell, stopped)
	{
		const all = this.model.spans + this.model.n;

		if (!this.terms.length)
			return null;
		for (let left = true; left;) {
			const begin = performance.now();

			while (left && performance.now() - begin <
			       FIND_SLICE_MS)
				left = this.step();
			tell(all ? this.at / all : 1);
			await new Promise(resolve => setTimeout(resolve));
			if (stopped())
				return null;
		}
		return this.collect();
	}
}
