// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of some chunks, as slices and instants in lanes.
//
// What must stay true: slices of a row do not overlap, and are in the order of
// time; so are the instants of a lane. Every search by time relies on it.

const ROWS_MAX = 64;
const PART_NS = 2 ** 50;
const FINISHED = 0, GIVEN_UP = 3;
const FATES = ['', 'not finished when the trace ended',
	       'left: a call around it returned first, or its thread ended',
	       'given up: too many were open',
	       'wrong: its end is before its begin, the trace is damaged',
	       'open when its rule ended'];
// What an event is, if it is no instant alone: it ends a slice that is in another
// lane, and is an instant in its own; or it stands for nothing but its slice.
const OF_SLICE = 1, ENDS_ELSEWHERE = 2;
// PAGE_BACKWARDS of private.h
const BACKWARDS = 4;

// Returns the first index of a sorted array whose value is at least (or, with
// `above`, more than) the value wanted.
function lower_bound(array, value, from = 0, to = array.length)
{
	while (from < to) {
		const middle = from + to >>> 1;

		if (array[middle] < value)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

function upper_bound(array, value, from = 0, to = array.length)
{
	while (from < to) {
		const middle = from + to >>> 1;

		if (array[middle] <= value)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

// Whether a pair of the head is one that one event tells, at the end.
function is_whole(pair)
{
	return pair.begin === pair.end && pair.fate === FINISHED;
}

class Model {
	// blocks: unpacked chunks `from`, `from` + 1 ... of the page
	constructor(head, blocks, from)
	{
		this.head = head;
		this.from = from;
		this.to = from + blocks.length;
		this.first = head.chunks.slice(0, from)
			.reduce((sum, chunk) => sum + chunk.n, 0);
		this.chunks = blocks.map((bytes, i) =>
			this.open(new Reader(bytes), i));
		this.n = this.chunks.reduce((sum, chunk) => sum + chunk.n, 0);
		this.time = new Float64Array(this.n);
		this.lane = new Uint32Array(this.n);
		this.class = new Uint32Array(this.n);
		this.in_class = new Uint32Array(this.n);
		this.in_lane = new Uint32Array(this.n);
		for (const chunk of this.chunks)
			this.read_events(chunk);
		this.take_pairs();
		for (const chunk of this.chunks)
			this.read_pairs(chunk);
		this.sort_spans();
		this.place();
	}

	open(r, i)
	{
		const n = r.number();
		const chunk = { n, from: r.number(), at: 0 };
		const members = contexts =>
			this.head.contexts[contexts].members;

		chunk.at = this.chunks_n || 0;
		this.chunks_n = chunk.at + n;
		chunk.times = r.section();
		chunk.lanes = r.section();
		chunk.classes = r.section();
		chunk.npairs = r.number();
		chunk.ends = r.section();
		chunk.begins = r.section();
		chunk.kinds = r.section();
		chunk.spans = r.section();
		chunk.of_class = [];
		chunk.of_lane = [];
		for (let j; (j = r.number()) > 0;)
			chunk.of_class[j - 1] = new Records(r,
				this.head.classes[j - 1].shape.members, 0);
		for (let j; (j = r.number()) > 0;)
			chunk.of_lane[j - 1] = new Records(r,
				members(this.head.lanes[j - 1].contexts), 4);
		return chunk;
	}

	read_events(chunk)
	{
		const { at, n } = chunk;
		const classes = new Uint32Array(this.head.classes.length);
		const lanes = new Uint32Array(this.head.lanes.length);
		let whole = 0, part = 0;

		read_numbers(chunk.times, this.time, at, n);
		read_numbers(chunk.lanes, this.lane, at, n);
		read_numbers(chunk.classes, this.class, at, n);
		for (let i = at; i < at + n; i++) {
			part += this.time[i];
			// a double has no room for more: the sum is rounded once
			if (part >= PART_NS) {
				const full = part - part % PART_NS;

				whole += full;
				part -= full;
			}
			this.time[i] = chunk.from + (whole + part);
			this.in_class[i] = classes[this.class[i]]++;
			this.in_lane[i] = lanes[this.lane[i]]++;
		}
		chunk.times = chunk.lanes = chunk.classes = null;
	}

	// Takes those pairs of the head of which an end is in these chunks, or
	// which go on over all of them; without chunks, the longest pairs.
	take_pairs()
	{
		const { first, n, head, time } = this;
		const list = !head.lane_density ? head.pairs : !n ?
			head.longest : head.pairs.filter(pair =>
				(is_whole(pair) ? pair.from <= time[n - 1] :
				 pair.begin < first + n) && pair.end >= first);
		const room = list.length + this.chunks.reduce((sum, chunk) =>
			sum + chunk.npairs, 0);

		this.spans = 0;
		// numbers of events in this model, or below 0 or above n
		this.span_first = new Float64Array(room);
		this.span_last = new Float64Array(room);
		this.span_from = new Float64Array(room);
		this.span_to = new Float64Array(room);
		this.span_lane = new Uint32Array(room);
		this.span_kind = new Uint16Array(room);
		this.span_fate = new Uint8Array(room);
		this.whole = new Uint8Array(room);
		for (const pair of list)
			this.add_span(is_whole(pair) ? NaN : pair.begin - first,
				pair.fate ===
				FINISHED || pair.fate === BACKWARDS ?
				pair.end - first : NaN, pair.from, pair.to,
				pair.lane, pair.kind, pair.fate);
	}

	// Without a `first`, one event tells the slice, at the end: the first event
	// of the time takes the place of that of the begin.
	add_span(first, last, from, to, lane, kind, fate)
	{
		const i = this.spans++;

		this.whole[i] = Number(Number.isNaN(first));
		this.span_first[i] = !this.whole[i] ? first :
			this.first && from < this.time[0] ? -1 :
			lower_bound(this.time, from);
		this.span_last[i] = last;
		this.span_from[i] = from;
		this.span_to[i] = Math.max(from, to);
		this.span_lane[i] = lane;
		this.span_kind[i] = kind;
		this.span_fate[i] = fate;
	}

	// Returns the chunk's events, those of each lane together, and where each
	// lane's begin.
	by_lane(chunk)
	{
		const starts = new Uint32Array(this.head.lanes.length + 1);
		const events = new Uint32Array(chunk.n);

		for (let i = 0; i < chunk.n; i++)
			starts[this.lane[chunk.at + i] + 1]++;
		for (let i = 1; i < starts.length; i++)
			starts[i] += starts[i - 1];
		for (let i = chunk.at; i < chunk.at + chunk.n; i++)
			events[starts[this.lane[i]] + this.in_lane[i]] = i;
		return [starts, events];
	}

	read_pairs(chunk)
	{
		const n = chunk.npairs;
		const [starts, events] = this.by_lane(chunk);
		const ends = read_numbers(chunk.ends, new Uint32Array(n), 0, n);
		const begins = read_numbers(chunk.begins, new Uint32Array(n), 0,
					    n);
		const kinds = read_numbers(chunk.kinds, new Uint32Array(n), 0,
					   n);
		const nwhole = begins.reduce((sum, one) => sum + !one, 0);
		const whole = read_numbers(chunk.spans, new Float64Array(nwhole),
					   0, nwhole);
		let end = chunk.at, at = 0;

		for (let i = 0; i < n; i++) {
			const back = begins[i] >>> 1;

			end += ends[i];
			if (!begins[i]) {
				this.add_span(NaN, end, this.time[end] -
					      whole[at++], this.time[end],
					      this.lane[end], kinds[i],
					      FINISHED);
				continue;
			}
			const begin = begins[i] & 1 ?
				events[starts[this.lane[end]] +
				       this.in_lane[end] - back] : end - back;

			this.add_span(begin, end, this.time[begin],
				      this.time[end], this.lane[begin],
				      kinds[i], FINISHED);
		}
		chunk.ends = chunk.begins = chunk.kinds = chunk.spans = null;
	}

	// Puts spans in the order of their begin, the longer one first.
	sort_spans()
	{
		const { spans, n, span_first, span_from, span_to } = this;
		const before = [], inside = [], mixed = new Set();
		const starts = new Uint32Array(n + 2);
		const order = new Uint32Array(spans);

		for (let i = 0; i < spans; i++) {
			if (span_first[i] >= 0 && span_first[i] < n)
				starts[span_first[i] + 1]++;
			else
				before.push(i);
		}
		before.sort((a, b) => span_from[a] - span_from[b] ||
			span_first[a] - span_first[b] ||
			span_to[b] - span_to[a]);
		order.set(before);
		starts[0] = before.length;
		for (let i = 1; i < starts.length; i++)
			starts[i] += starts[i - 1];
		for (let i = spans - 1; i >= 0; i--)
			if (span_first[i] >= 0 && span_first[i] < n)
				inside.push(i);
		const next = starts.slice();

		// what ended last comes first: it is the longer one
		for (const i of inside) {
			order[next[span_first[i]]++] = i;
			if (this.whole[i])
				mixed.add(span_first[i]);
		}
		// but whole ones begin at any time before the event
		for (const event of mixed)
			order.subarray(starts[event], starts[event + 1]).sort(
				(a, b) => span_from[a] - span_from[b] ||
				span_to[b] - span_to[a] || b - a);
		this.order = order;
	}

	// Gives each span its row, and each lane its rows and instants.
	place()
	{
		this.row = new Uint16Array(this.spans);
		this.paired = new Uint8Array(this.n);
		this.lanes = this.head.lanes.map(lane => ({
			lane, ends: [], counts: [], top: 0, rows: [],
			instants: 0, hidden: 0 }));
		for (const i of this.order)
			this.place_span(i);
		this.across = [];
		for (const i of this.order)
			this.mark_events(i);
		for (const lane of this.lanes)
			lane.rows = lane.counts.map(n => ({
				n: 0, from: new Float64Array(n),
				to: new Float64Array(n),
				sum: new Float64Array(n + 1),
				span: new Uint32Array(n) }));
		for (const i of this.order)
			this.fill_row(i);
		this.fill_instants();
	}

	// Says what the events of a slice are. Those of two lanes are in `across`.
	mark_events(i)
	{
		const first = this.span_first[i], last = this.span_last[i];

		if (first >= 0 && !this.whole[i])
			this.paired[first] = OF_SLICE;
		if (!this.has(last))
			return;
		if (this.lane[last] === this.span_lane[i]) {
			this.paired[last] = OF_SLICE;
			return;
		}
		this.across.push(i);
		this.paired[last] ||= ENDS_ELSEWHERE;
	}

	place_span(i)
	{
		const lane = this.lanes[this.span_lane[i]];
		const from = this.span_from[i];
		let row;

		while (lane.top && lane.ends[lane.top - 1] <= from)
			lane.top--;
		row = lane.top;
		if (row >= ROWS_MAX)
			row = lane.ends.findIndex(end => end <= from);
		if (row < 0) {
			this.row[i] = ROWS_MAX;
			lane.hidden++;
			return;
		}
		lane.ends[row] = this.span_to[i];
		lane.counts[row] = (lane.counts[row] || 0) + 1;
		lane.top = Math.max(lane.top, row + 1);
		this.row[i] = row;
	}

	fill_row(i)
	{
		if (this.row[i] >= ROWS_MAX)
			return;
		const row = this.lanes[this.span_lane[i]].rows[this.row[i]];
		const at = row.n++;

		row.from[at] = this.span_from[i];
		row.to[at] = this.span_to[i];
		row.span[at] = i;
		row.sum[at + 1] = row.sum[at] + this.span_to[i] -
			this.span_from[i];
	}

	fill_instants()
	{
		const counts = new Uint32Array(this.lanes.length);

		for (let i = 0; i < this.n; i++)
			if (this.paired[i] !== OF_SLICE)
				counts[this.lane[i]]++;
		this.lanes.forEach((lane, i) => {
			lane.time = new Float64Array(counts[i]);
			lane.event = new Uint32Array(counts[i]);
		});
		for (let i = 0; i < this.n; i++) {
			if (this.paired[i] === OF_SLICE)
				continue;
			const lane = this.lanes[this.lane[i]];

			lane.time[lane.instants] = this.time[i];
			lane.event[lane.instants++] = i;
		}
	}

	chunk_of(event)
	{
		return this.chunks.find(chunk => event < chunk.at + chunk.n);
	}

	has(event)
	{
		return event >= 0 && event < this.n;
	}

	// Returns the records of an event's class and lane, and its numbers there.
	records(event)
	{
		const chunk = this.chunk_of(event);

		return { fields: chunk.of_class[this.class[event]],
			 contexts: chunk.of_lane[this.lane[event]],
			 in_fields: this.in_class[event],
			 in_contexts: this.in_lane[event] };
	}

	// With `most`, longer strings are cut to so many bytes.
	fields(event, most)
	{
		const r = this.records(event);

		return record_texts(r.fields, r.in_fields, most);
	}

	contexts(event)
	{
		const r = this.records(event);

		return [['cpu_id', String(r.contexts.cpu(r.in_contexts))]]
			.concat(record_texts(r.contexts, r.in_contexts));
	}
}
