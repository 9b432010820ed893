// SPDX-License-Identifier: LGPL-2.1-or-later
// Unpacks the blocks of data that `taffrail timeline` has put into the page.
// head.c and chunk.c describe them.

const [INTEGER, REAL, ENUM, STRING, TEXT, ARRAY, SEQUENCE, STRUCT,
       LIST, VARIANT] =
	[0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const HEAD_VERSION = 3;

function from_base64(text)
{
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	return Uint8Array.from(atob(text), c => c.charCodeAt(0));
}

// Returns the bytes of a block, and takes its text out of the page.
async function unpack(element, keep)
{
	const packed = from_base64(element.textContent);
	const stream = new Blob([packed]).stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));

	if (!keep)
		element.textContent = '';
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
	constructor(bytes)
	{
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset,
					 bytes.byteLength);
		this.at = 0;
	}

	number()
	{
		let value = 0, unit = 1, byte;

		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte & 128);
		return value;
	}

	signed()
	{
		const value = this.number();

		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	i64()
	{
		this.at += 8;
		return this.view.getBigInt64(this.at - 8, true);
	}

	take(n)
	{
		this.at += n;
		return this.bytes.subarray(this.at - n, this.at);
	}

	section()
	{
		return this.take(this.number());
	}

	text()
	{
		return bytes_text(this.section());
	}

	list(read)
	{
		return Array.from({ length: this.number() },
				  (unused, i) => read(this, i));
	}
}

// What describe_field() wrote. `always`: bytes of every value, 0: they differ.
function read_shape(r)
{
	const shape = { kind: r.number(), name: r.text(),
			always: r.number() - 1 };

	if (shape.kind === INTEGER || shape.kind === ENUM ||
	    shape.kind === REAL) {
		const flags = (shape.bytes = r.number(), r.number());

		shape.is_signed = Boolean(flags & 1);
		shape.is_length = Boolean(flags & 2);
		shape.base = r.number();
		shape.bits = r.number();
		shape.unit = r.number();
		shape.labels = r.list(() => ({ name: r.text(), from: r.i64(),
					       to: r.i64() }));
	} else if (shape.kind === TEXT) {
		shape.counted = Boolean(r.number());
		shape.count = r.number();
	} else if (shape.kind === ARRAY || shape.kind === SEQUENCE ||
		   shape.kind === LIST) {
		shape.count = r.number();
		shape.element = read_shape(r);
	} else if (shape.kind === STRUCT || shape.kind === VARIANT) {
		shape.counted = Boolean(r.number());
		shape.members = r.list(read_shape);
	}
	return shape;
}

function fixed_bytes(shape)
{
	return shape.members.reduce((sum, member) =>
		sum + Math.max(0, member.always), 0);
}

function read_density(r)
{
	const fold = r.number();

	return { fold, bins: Uint32Array.from(r.list(() => r.number())) };
}

function read_process(r)
{
	return { host: r.text(), name: r.text(), path: r.text(),
		 pid: r.signed() };
}

function read_lane(r, number)
{
	return { number, process: r.number(), contexts: r.number(),
		 is_cpu: Boolean(r.number()), id: r.signed(), name: r.text(),
		 events: r.number(), first: r.number(), last: r.number() };
}

function read_class(r, number)
{
	const name = r.text();

	return { number, name, shape: read_shape(r), events: r.number() };
}

function read_kind(r)
{
	return { number: r.number(), name: r.text(), begin: r.text(),
		 end: r.text(), finished: r.number(), unfinished: r.number(),
		 ns: r.number() * NS_PER_S + r.number(),
		 p99: r.number(), longest: r.number() };
}

function read_pair(r)
{
	return { begin: r.number(), end: r.number(), from: r.signed(),
		 to: r.signed(), lane: r.number(), kind: r.number(),
		 fate: r.number() };
}

function read_loss(r)
{
	return { path: r.text(), stream: r.text(), events: r.number(),
		 from: r.i64(), to: r.i64() };
}

function read_head(bytes)
{
	const r = new Reader(bytes);

	if (r.number() !== HEAD_VERSION)
		throw new Error('the page has data of another version');
	const head = { first: r.i64(), span: r.number() };

	head.zones = r.list(() => ({ from: Number(r.i64()),
				     ahead: r.signed() }));
	head.events = r.number();
	head.each = r.number();
	head.paths = r.list(() => r.text());
	head.processes = r.list(read_process);
	head.contexts = r.list(read_shape);
	head.lanes = r.list(read_lane);
	head.classes = r.list(read_class);
	head.kinds = [];
	for (const kind of r.list(read_kind))
		head.kinds[kind.number] = kind;
	head.chunks = r.list(() => ({ n: r.number(), from: r.number(),
				      to: r.number() }));
	head.pairs = r.list(read_pair);
	head.longest = r.list(read_pair);
	// a whole call may begin before the first event
	head.begin = head.pairs.filter(is_whole).reduce((least, { from }) =>
		Math.min(least, from), 0);
	head.losses = r.list(read_loss);
	head.problems = r.list(() => ({ where: r.text(), fact: r.text() }));
	head.notes = r.list(() => r.text());
	head.bin_ns = 2 ** r.number();
	head.density = read_density(r);
	head.lane_density = r.number() ?
		head.lanes.map(() => read_density(r)) : null;
	return head;
}

// Reads a column of n numbers.
function read_numbers(section, to, from, n)
{
	let at = 0;

	for (let i = 0; i < n; i++) {
		let byte = section[at++];
		let value = byte & 127;

		for (let unit = 128; byte & 128; unit *= 128) {
			byte = section[at++];
			value += (byte & 127) * unit;
		}
		to[from + i] = value;
	}
	return to;
}

// Records of a class or lane in a chunk; see records.c. Columns become rows when
// the first record is wanted.
class Records {
	constructor(r, members, extra)
	{
		this.members = members;
		this.row = extra + members.reduce((sum, member) =>
			sum + Math.max(0, member.always), 0);
		this.extra = extra;
		this.n = r.number();
		this.columns = r.take(this.n * this.row);
		this.loose = r.section();
		this.rows = null;
		this.starts = null;
	}

	prepare()
	{
		const { n, row, columns } = this;
		const rows = new Uint8Array(n * row);

		for (let column = 0; column < row; column++) {
			let byte = 0;

			for (let i = 0; i < n; i++) {
				byte = byte + columns[column * n + i] & 255;
				rows[i * row + column] = byte;
			}
		}
		this.rows = rows;
		this.view = new DataView(rows.buffer);
		this.columns = null;
		this.loose_view = new DataView(this.loose.buffer,
			this.loose.byteOffset, this.loose.byteLength);
		this.find_starts();
	}

	// Finds where the loose members of each record begin.
	find_starts()
	{
		this.starts = new Uint32Array(this.n + 1);
		if (!this.loose.length)
			return;
		for (let i = 0, at = 0; i < this.n; i++) {
			this.starts[i + 1] = at;
			this.each(i, (member, view, from, to) => {
				if (view === this.loose_view)
					this.starts[i + 1] = to;
			});
			at = this.starts[i + 1];
		}
	}

	// Calls take(member, view, from, to, length) for each member of a record,
	// until it returns true. Returns whether it did.
	each(i, take)
	{
		let at = i * this.row + this.extra, loose, length = 0;

		if (!this.starts)
			this.prepare();
		loose = this.starts[i];
		for (const member of this.members) {
			let view = this.loose_view, from = loose, to;

			if (member.always > 0) {
				view = this.view;
				from = at;
				at += member.always;
				to = at;
			} else {
				loose += field_bytes(member, view, loose,
						     length);
				loose = Math.min(loose, view.byteLength);
				to = loose;
			}
			if (take(member, view, from, to, length))
				return true;
			if (member.is_length)
				length = Number(field_integer(member, view,
							      from));
		}
		return false;
	}

	cpu(i)
	{
		if (!this.starts)
			this.prepare();
		return this.view.getUint32(i * this.row, true);
	}
}
