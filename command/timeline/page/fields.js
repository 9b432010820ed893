// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of fields, out of packed bytes (traces/read/classes.h).

// Returns the number of an INTEGER or ENUM: a Number, or a BigInt of 8 bytes.
function field_integer(shape, view, at)
{
	switch (shape.bytes) {
	case 1:
		return shape.is_signed ? view.getInt8(at) : view.getUint8(at);
	case 2:
		return shape.is_signed ? view.getInt16(at, true) :
			view.getUint16(at, true);
	case 4:
		return shape.is_signed ? view.getInt32(at, true) :
			view.getUint32(at, true);
	default:
		return shape.is_signed ? view.getBigInt64(at, true) :
			view.getBigUint64(at, true);
	}
}

function field_real(shape, view, at)
{
	return shape.bytes === 4 ? view.getFloat32(at, true) :
		view.getFloat64(at, true);
}

function string_end(view, at)
{
	while (at < view.byteLength && view.getUint8(at))
		at++;
	return at;
}

// Returns the number in front of a LIST's elements or a VARIANT's member.
function first_number(view, at)
{
	return at + 4 <= view.byteLength ? view.getUint32(at, true) : 0;
}

// Returns how many bytes a value has that begins at `at`; `length` is the number
// of elements of a SEQUENCE, and the bytes of what is counted.
function field_bytes(shape, view, at, length)
{
	let end = at, inner = 0;

	if (shape.always >= 0)
		return shape.always;
	if (shape.counted)
		return length;
	if (shape.kind === STRING)
		return string_end(view, at) + 1 - at;
	if (shape.kind === STRUCT) {
		for (const member of shape.members) {
			const bytes = field_bytes(member, view, end, inner);

			if (member.is_length && end + 4 <= view.byteLength)
				inner = view.getUint32(end, true);
			end += bytes;
		}
		return end - at;
	}
	if (shape.kind === VARIANT) {
		const member = shape.members[first_number(view, at)];

		return 4 + (member ? field_bytes(member, view, at + 4, 0) : 0);
	}
	let count = shape.kind === SEQUENCE ? length : shape.count;

	if (shape.kind === LIST) {
		count = first_number(view, at);
		end += 4;
	}
	if (shape.element.always > 0)
		return end - at + count * shape.element.always;
	for (let i = count; i > 0 && end < view.byteLength; i--)
		end += field_bytes(shape.element, view, end, 0);
	return end - at;
}

function view_bytes(view, from, to)
{
	return new Uint8Array(view.buffer, view.byteOffset + from, to - from);
}

// The numbers of enum taffrail_how: durations from 16 on, times from 20 on, each
// in ns, us, ms and s.
const FIRST_TIME = 20;
const UNITS = ['ns', 'µs', 'ms', 's'];

// ".25" of 250 with three digits.
function fraction_text(part, digits)
{
	return part ? '.' + String(part).padStart(digits, '0')
		.replace(/0+$/, '') : '';
}

// A duration with every digit that is recorded: "5.2 ms".
function recorded_duration(value, unit)
{
	const size = value < 0n ? -value : value;
	let scale = 1n, digits = 0, step = unit & 3;

	for (; step < 3 && size / scale >= 1000n; step++) {
		scale *= 1000n;
		digits += 3;
	}
	return (value < 0n ? '-' : '') + size / scale +
		fraction_text(size % scale, digits) + ' ' + UNITS[step];
}

// A time since 1970, or null: its year has no form.
function recorded_time(value, unit)
{
	const digits = 3 * (3 - (unit & 3)), scale = 10n ** BigInt(digits);
	const part = (value % scale + scale) % scale;
	const date = new Date(Number((value - part) / scale) * 1000);

	return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ||
		date.getUTCFullYear() < 0 ? null :
		date.toISOString().slice(0, 19) + fraction_text(part, digits) +
		'Z';
}

function unit_text(unit, value)
{
	return unit < FIRST_TIME ? recorded_duration(BigInt(value), unit) :
		recorded_time(BigInt(value), unit) ||
		recorded_duration(BigInt(value), unit) + ' since 1970';
}

function integer_text(shape, value)
{
	if (shape.unit)
		return unit_text(shape.unit, value);
	const bits = shape.bits;
	// babeltrace2 shows whole octal digits of a negative number
	const octal = shape.is_signed ? Math.ceil(bits / 3) * 3 : bits;
	const raw = n => BigInt.asUintN(Math.min(n, 64), BigInt(value));

	switch (shape.base) {
	case 16:
		return '0x' + raw(Math.ceil(bits / 4) * 4).toString(16).toUpperCase();
	case 8:
		return '0' + raw(octal).toString(8);
	case 2:
		return '0b' + raw(bits).toString(2).padStart(bits, '0');
	default:
		return String(value);
	}
}

function real_text(shape, value)
{
	if (shape.bytes === 4 && Number.isFinite(value)) {
		for (let digits = 1; digits < 9; digits++) {
			const text = value.toPrecision(digits);

			if (Math.fround(Number(text)) === value)
				return String(Number(text));
		}
	}
	return Object.is(value, -0) ? '-0' : String(value);
}

function enum_text(shape, value)
{
	const raw = BigInt.asIntN(64, BigInt(value));
	const unsigned = BigInt.asUintN(64, raw);
	const names = shape.labels.filter(label => shape.is_signed ?
		label.from <= raw && raw <= label.to :
		BigInt.asUintN(64, label.from) <= unsigned &&
		unsigned <= BigInt.asUintN(64, label.to))
		.map(label => label.name);

	return names.length ? names.join(' | ') + ' (' + value + ')' :
		String(value);
}

const ELEMENTS_SHOWN = 256;

function elements_text(shape, view, at, n)
{
	const texts = [];

	for (let i = 0; i < n && i < ELEMENTS_SHOWN; i++) {
		const bytes = field_bytes(shape.element, view, at, 0);

		if (at + bytes > view.byteLength)
			break;
		texts.push(field_text(shape.element, view, at, at + bytes, 0));
		at += bytes;
	}
	if (n > ELEMENTS_SHOWN)
		texts.push('… ' + count_text(n - ELEMENTS_SHOWN) + ' more');
	return '[' + texts.join(', ') + ']';
}

function struct_text(shape, view, at)
{
	const texts = [];
	let length = 0;

	for (const member of shape.members) {
		const bytes = field_bytes(member, view, at, length);

		if (at + bytes > view.byteLength)
			break;
		if (member.is_length)
			length = view.getUint32(at, true);
		else
			texts.push(member.name + ' = ' + field_text(member,
				view, at, at + bytes, length));
		at += bytes;
	}
	return '{' + texts.join(', ') + '}';
}

// Returns a string's bytes, without the NUL behind it.
function string_bytes(shape, view, from, to)
{
	return view_bytes(view, from, Math.min(to, string_end(view, from)));
}

function variant_text(shape, view, from, to)
{
	const index = first_number(view, shape.counted ? from - 8 : from);
	const member = shape.members[index];

	from += shape.counted ? 0 : 4;
	return member ? field_text(member, view, from, to, 0) : '';
}

function field_text(shape, view, from, to, length)
{
	switch (shape.kind) {
	case INTEGER:
		return integer_text(shape, field_integer(shape, view, from));
	case REAL:
		return real_text(shape, field_real(shape, view, from));
	case ENUM:
		return enum_text(shape, field_integer(shape, view, from));
	case STRING:
	case TEXT:
		return quoted(bytes_text(string_bytes(shape, view, from, to),
					 UNSEEN_QUOTED));
	case ARRAY:
		return elements_text(shape, view, from, shape.count);
	case SEQUENCE:
		return elements_text(shape, view, from, length);
	case LIST:
		return elements_text(shape, view, from + 4,
				     first_number(view, from));
	case VARIANT:
		return variant_text(shape, view, from, to);
	default:
		return struct_text(shape, view, from);
	}
}

// Returns where a string of more bytes than `most` is cut, in front of a
// character; or 0.
function string_cut(shape, view, from, to, most)
{
	let at = from + most;

	if ((shape.kind !== STRING && shape.kind !== TEXT) || at >= to ||
	    at >= string_end(view, from))
		return 0;
	for (let i = 0; i < 3 && (view.getUint8(at) & 0xc0) === 0x80; i++)
		at--;
	return at;
}

// Returns [name, text] of each member of a record. Strings of more bytes than
// `most` are cut.
function record_texts(records, i, most = Infinity)
{
	const texts = [];

	records.each(i, (member, view, from, to, length) => {
		if (member.is_length)
			return;
		const cut = string_cut(member, view, from, to, most);
		const text = field_text(member, view, from, cut || to, length);

		texts.push([member.name, cut ? text.slice(0, -1) + '… ' +
			counted(Math.min(to, string_end(view, from)) - cut,
				'byte') + ' more' : text]);
	});
	return texts;
}
