// SPDX-License-Identifier: LGPL-2.1-or-later
// Items of a lane that are next to another one, or to a time.

// Returns an item of a lane that is next to an item in the order of begin.
function neighbour(model, one, time, item, way)
{
	const own = key_of(model, item);
	let best = null, best_key = null;
	const offer = candidate => {
		const key = key_of(model, candidate);

		if ((way > 0 ? before(own, key) : before(key, own)) &&
		    (!best_key || (way > 0 ? before(key, best_key) :
				   before(best_key, key)))) {
			best = candidate;
			best_key = key;
		}
	};

	for (const row of one.rows) {
		const i = lower_bound(row.from, time);

		for (let j = Math.max(0, i - 2); j < Math.min(row.n, i + 3);
		     j++)
			offer(row.span[j]);
	}
	const at = is_span(item) ? lower_bound(one.time, time) :
		lower_bound(one.event, -1 - item);

	for (let j = Math.max(0, at - 2); j < Math.min(one.instants, at + 3);
	     j++)
		offer(item_of_event(one.event[j]));
	return best;
}

function key_of(model, item)
{
	return is_span(item) ? [model.span_from[item], model.span_first[item],
				model.row[item]] :
		[model.time[-1 - item], -1 - item, 0];
}

function before(a, b)
{
	const i = a.findIndex((value, at) => value !== b[at]);

	return i >= 0 && a[i] < b[i];
}

// Returns the item of a lane whose begin is nearest to a time, or null.
function nearest(model, one, time)
{
	let best = null, least = Infinity;
	const offer = (item, at) => {
		if (Math.abs(at - time) < least) {
			least = Math.abs(at - time);
			best = item;
		}
	};

	for (const row of one.rows) {
		const i = lower_bound(row.from, time);

		for (let j = Math.max(0, i - 1); j <= i && j < row.n; j++)
			offer(row.span[j], row.from[j]);
	}
	const i = lower_bound(one.time, time);

	for (let j = Math.max(0, i - 1); j <= i && j < one.instants; j++)
		offer(item_of_event(one.event[j]), one.time[j]);
	return best;
}
