// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers, times and strings as text.
//
// What must stay true: bytes of a traced program become text only here, and
// text becomes part of the page only as text, never as HTML.

'use strict';

const NS_PER_S = 1e9;
const ESCAPES = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\0': '\\0' };
// control characters, and what changes the direction of the text around it
const UNSEEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-' +
	'\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]', 'g');
const strict_utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function hex(number, digits)
{
	return number.toString(16).padStart(digits, '0');
}

function escape_char(c)
{
	const code = c.charCodeAt(0);

	return ESCAPES[c] ||
		(code < 0x80 ? '\\x' + hex(code, 2) : '\\u' + hex(code, 4));
}

// Returns how many bytes the character at `at` has, or 0: it is no UTF-8.
function utf8_length(bytes, at)
{
	const first = bytes[at];
	const n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 :
		first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

	for (let i = 1; i < n; i++)
		if (at + i >= bytes.length || (bytes[at + i] & 0xc0) !== 0x80)
			return 0;
	return n;
}

// Decodes what is UTF-8, and shows the other bytes as \xNN.
function decode_piecewise(bytes)
{
	let text = '';

	for (let at = 0; at < bytes.length;) {
		const n = utf8_length(bytes, at);

		try {
			if (!n)
				throw new TypeError('no UTF-8');
			text += strict_utf8.decode(bytes.subarray(at, at + n));
			at += n;
		} catch (e) {
			text += '\\x' + hex(bytes[at++], 2);
		}
	}
	return text;
}

function bytes_text(bytes)
{
	let text;

	try {
		text = strict_utf8.decode(bytes);
	} catch (e) {
		text = decode_piecewise(bytes);
	}
	return text.replace(UNSEEN, escape_char);
}

function quoted(text)
{
	return '"' + text + '"';
}

// 1234567 as 1,234,567.
function count_text(n)
{
	return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function counted(n, noun)
{
	return count_text(n) + ' ' + noun + (n === 1 ? '' : 's');
}

function significant(value, digits)
{
	return String(Number(value.toPrecision(digits)));
}

// A duration with four digits: "12.35 µs".
function duration_text(ns)
{
	const size = Math.abs(ns);

	if (size < 1000)
		return significant(ns, 4) + ' ns';
	if (size < 1e6)
		return significant(ns / 1e3, 4) + ' µs';
	if (size < 1e9)
		return significant(ns / 1e6, 4) + ' ms';
	if (size < 60e9)
		return significant(ns / 1e9, 4) + ' s';
	return Math.floor(ns / 60e9) + ' min ' +
		significant(ns / 1e9 % 60, 3) + ' s';
}

// A duration to the nanosecond, too.
function exact_duration(ns)
{
	const rounded = Math.round(ns);

	if (rounded < 1000)
		return rounded + ' ns';
	return duration_text(ns) + ' (' + count_text(rounded) + ' ns)';
}

// Seconds since the first event, with nine digits.
function offset_text(ns)
{
	const rounded = Math.round(Math.abs(ns));

	return (ns < 0 ? '−' : '+') + Math.floor(rounded / NS_PER_S) + '.' +
		String(rounded % NS_PER_S).padStart(9, '0') + ' s';
}

// The time of day, in the zone of the machine that made the page.
function clock_text(head, ns)
{
	const at = head.first + BigInt(Math.round(ns));
	const second = at / 1000000000n - (at < 0n ? 1n : 0n);
	const date = new Date((Number(second) + head.zone) * 1000);
	const rest = at - second * 1000000000n;

	if (Number.isNaN(date.getTime()))
		return String(at) + ' ns since 1970';
	return date.toISOString().slice(0, 19).replace('T', ' ') + '.' +
		String(rest).padStart(9, '0');
}

function zone_text(seconds)
{
	const minutes = Math.abs(seconds) / 60;

	return 'UTC' + (!seconds ? '' : (seconds < 0 ? '−' : '+') +
		String(Math.floor(minutes / 60)).padStart(2, '0') + ':' +
		String(Math.round(minutes % 60)).padStart(2, '0'));
}

// The unit in which times of this size are shown on the axis.
function axis_unit(ns)
{
	return ns < 2e3 ? [1, 'ns'] : ns < 2e6 ? [1e3, 'µs'] :
		ns < 2e9 ? [1e6, 'ms'] : [1e9, 's'];
}

// Reads "1.5ms" as nanoseconds; NaN for another text.
function parse_duration(text)
{
	const found = /^(-?[0-9.]+)\s*(ns|us|µs|ms|s|)$/.exec(text);
	const unit = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9, '': 1 };

	return found ? Number(found[1]) * unit[found[2]] : NaN;
}
