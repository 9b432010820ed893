// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers, times and strings as text.
//
// What must stay true: bytes of a traced program become text only here, and
// text becomes part of the page only as text, never as HTML.

'use strict';

const NS_PER_S = 1e9;
// as view writes them
const ESCAPES = { '\0': '\\0', '\x07': '\\a', '\b': '\\b', '\t': '\\t',
		  '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r',
		  '\x1b': '\\e', '"': '\\"', '\\': '\\\\' };
// control characters, and what changes the direction of the text around it
const UNSEEN_SET = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f' +
	'\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb';
const UNSEEN = new RegExp('[' + UNSEEN_SET + ']', 'g');
// in quotes, so that no string looks like two
const UNSEEN_QUOTED = new RegExp('[' + UNSEEN_SET + '"\\\\]', 'g');
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

// Returns how many bytes the character at `at` has, or 0: it is no UTF-8. The
// second byte tells the short forms, surrogates and large numbers.
function utf8_length(bytes, at)
{
	const first = bytes[at];
	const n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 :
		first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

	for (let i = 1; i < n; i++)
		if (at + i >= bytes.length || (bytes[at + i] & 0xc0) !== 0x80)
			return 0;
	const [least, most] = { 0xe0: [0xa0, 0xbf], 0xed: [0x80, 0x9f],
				0xf0: [0x90, 0xbf], 0xf4: [0x80, 0x8f] }[first] ||
		[0, 0xff];

	return n > 1 && (bytes[at + 1] < least || bytes[at + 1] > most) ? 0 : n;
}

// Shows what is UTF-8 as text, and the other bytes as \xNN.
function decode_piecewise(bytes, unseen)
{
	let text = '', from = 0;
	const put = to => {
		text += strict_utf8.decode(bytes.subarray(from, to))
			.replace(unseen, escape_char);
	};

	for (let at = 0; at < bytes.length;) {
		const n = utf8_length(bytes, at);

		at += n;
		if (n)
			continue;
		put(at);
		text += '\\x' + hex(bytes[at++], 2);
		from = at;
	}
	put(bytes.length);
	return text;
}

function bytes_text(bytes, unseen = UNSEEN)
{
	try {
		return strict_utf8.decode(bytes).replace(unseen, escape_char);
	} catch (e) {
		return decode_piecewise(bytes, unseen);
	}
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

// The parts that are not 0, each with its unit: "2 h 5 min".
function parts_text(parts)
{
	return parts.filter(([n]) => n).map(([n, unit]) => n + ' ' + unit)
		.join(' ');
}

// From a minute on: what it rounds to decides how many units it has.
function long_duration(ns)
{
	const tenths = Math.round(ns / 1e8);
	const seconds = Math.round(ns / 1e9);
	const minutes = Math.round(ns / 60e9);

	if (tenths < 36000)
		return parts_text([[Math.floor(tenths / 600), 'min'],
				   [tenths % 600 / 10, 's']]);
	if (seconds < 86400)
		return parts_text([[Math.floor(seconds / 3600), 'h'],
				   [Math.floor(seconds / 60) % 60, 'min'],
				   [seconds % 60, 's']]);
	return parts_text([[Math.floor(minutes / 1440), 'd'],
			   [Math.floor(minutes / 60) % 24, 'h'],
			   [minutes % 60, 'min']]);
}

// A duration with four digits, "12.35 µs"; or "2 min 5.1 s", "3 h 25 min 4 s",
// "2 d 3 h 4 min".
function duration_text(ns)
{
	const size = Math.abs(ns), sign = ns < 0 ? '-' : '';

	if (size < 0.001)
		return '0 ns';
	for (const [unit, name, most] of [[1, 'ns', 1000], [1e3, 'µs', 1000],
		[1e6, 'ms', 1000], [NS_PER_S, 's', 60]]) {
		const value = Number((size / unit).toPrecision(4));

		// what rounds to 1000 is 1 of the next unit
		if (value < most)
			return sign + value + ' ' + name;
	}
	return sign + long_duration(size);
}

// A duration to the nanosecond, too.
function exact_duration(ns)
{
	const rounded = Math.round(ns);

	if (Math.abs(rounded) < 1000)
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

// How far the clock on the wall was ahead of UTC in a second since 1970, on the
// machine that made the page.
function zone_of(head, second)
{
	const { zones } = head;
	let i = zones.length - 1;

	while (i > 0 && zones[i].from > second)
		i--;
	return zones[i].ahead;
}

function zone_text(seconds)
{
	const digits = n => String(n).padStart(2, '0');
	const size = Math.abs(seconds);

	return 'UTC' + (!seconds ? '' : (seconds < 0 ? '−' : '+') +
		digits(Math.floor(size / 3600)) + ':' +
		digits(Math.floor(size / 60) % 60) +
		(size % 60 ? ':' + digits(size % 60) : ''));
}

// The date and time that view prints; without a date before 1970. If the clocks
// were changed in the time of the page, or for `zone`, with the zone.
function clock_text(head, ns, zone = head.zones.length > 1)
{
	const at = head.first + BigInt(Math.round(ns));
	const size = at < 0n ? -at : at;
	const second = Number(size / 1000000000n);
	const rest = '.' + String(size % 1000000000n).padStart(9, '0');

	if (at < 0n)
		return '-' + second + rest;
	const ahead = zone_of(head, second);

	return new Date((second + ahead) * 1000).toISOString().slice(0, 19)
		.replace('T', ' ') + rest +
		(zone ? ' ' + zone_text(ahead) : '');
}

// The unit in which times of this size are shown on the axis.
function axis_unit(ns)
{
	return ns < 2e3 ? [1, 'ns'] : ns < 2e6 ? [1e3, 'µs'] :
		ns < 2e9 ? [1e6, 'ms'] : [1e9, 's'];
}

const DURATION = /^(-?[0-9.]+)\s*(ns|us|µs|ms|s|min|h|d|)$/;

// Reads "1.5ms" as nanoseconds; NaN for another text.
function parse_duration(text)
{
	const found = DURATION.exec(text);
	const unit = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9, min: 60e9,
		       h: 3600e9, d: 86400e9, '': 1 };

	return found ? Number(found[1]) * unit[found[2]] : NaN;
}
