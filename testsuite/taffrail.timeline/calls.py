# SPDX-License-Identifier: LGPL-2.1-or-later
# Works with pages of calls, as picture.py does.
#	calls.py WHAT PAGE ...
#
#	nested PAGE N		the page of nested.py's N calls
#	stacks PAGE		the page of a program with coroutines
#	parts PAGE N REPORT	nested.py's, with a density first; REPORT is JSON
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
import nested as made  # noqa: E402
import picture  # noqa: E402
from picture import drawn  # noqa: E402
from timeline import check, check_equal  # noqa: E402
from times import duration_text, number_of  # noqa: E402


def slices(page):
    """[begin, end, row] of the slices, in ns from the call of fn:main."""
    return page.js('(m => Array.from(m.order, i => [m.span_from[i], m.span_to[i],'
                   'm.row[i]].map((v, k) => v + (k < 2) * arguments[0])))'
                   '(timeline.model)', next(made.calls(1))[0])


def check_calls(page, what, got, calls):
    """Each call is a slice in the row of its depth, in the order of begin."""
    check_equal('%s: each call, with begin, end and depth' % what, got, [
        [begin, end, depth - 1] for end, begin, depth in sorted(
            calls, key=lambda call: (call[1], call[2]))])


def nested(page, path, n):
    """Calls that one event tells."""
    check_calls(page, 'whole calls', slices(page), made.calls(int(n)))
    check_equal('whole calls: no tick', page.js(
        'timeline.model.lanes[0].instants'), 0)
    check('whole calls: the first begin is in view', page.js(
        'timeline.view.begin < timeline.model.span_from['
        'timeline.model.order[0]]'))
    page.js('timeline.select(timeline.model.order[4])')
    check_equal('a whole call: its event', page.js(
        '[...document.querySelectorAll("#report h3")].map(one => '
        'one.innerText)')[0], 'At its end: fn:outer')
    check_equal('a whole call: what is inside', page.rows('#inside')[1:],
                [['fn:inner', '2', '300 ns'], ['fn:leaf', '1', '70 ns']])
    check_equal('a whole call: not in these', page.value(
        '#self', 'Not in slices below it'), '600 ns')


# Of the slices: how many end by a call of another frame; how many lie over another
# one of their row; and one that begins in another one and ends behind it, with how
# many lie in that one.
STACKS = '''(m => {
	const cfa = event => m.fields(event).find(([name]) => name === 'cfa')[1];
	const whole = [...m.order].filter(i => m.has(m.span_last[i]));
	const over = row => [...row.from].filter((from, j) => from < row.to[j - 1]);
	const within = (i, k) => m.span_lane[i] === m.span_lane[k] &&
		m.span_first[i] < m.span_first[k] &&
		m.span_from[k] <= m.span_to[i];
	const behind = (i, k) => within(i, k) && m.span_to[k] > m.span_to[i];
	const crossed = whole.find(i => whole.some(k => behind(i, k)));

	return [whole.filter(i => cfa(m.span_first[i]) !== cfa(m.span_last[i]))
			.length,
		m.lanes.flatMap(one => one.rows.flatMap(over)).length, crossed,
		whole.filter(k => within(crossed, k) && !behind(crossed, k))
			.length];
})(timeline.model)'''


def stacks(page, path):
    other, over, crossed, inside = page.js(STACKS)
    check_equal('coroutines: each call ends by its return', other, 0)
    check_equal('coroutines: none over another', over, 0)
    page.js('timeline.select(arguments[0])', crossed)
    check_equal('coroutines: inside a call is what ends in it', sum(
        number_of(row[1]) for row in page.rows('#inside')[1:] if row[2]), inside)


def parts(page, path, n, report):
    calls = list(made.calls(int(n)))
    first = calls[0][0]
    with open(report) as file:
        pairs = json.load(file)['pairs']
    check_equal('a density: figures of report', sorted(
        (row[0], row[2], *row[-2:]) for row in page.rows('#by-name')[1:]), sorted(
        (pair['name'], *(duration_text(int(pair[what])) for what in
                         ('sum', 'p99', 'max'))) for pair in pairs))
    check_equal('a density: few calls are apart from their events', page.js(
        'timeline.head.pairs.length < 20'), True)
    # where one call is in two chunks
    page.js('(at => timeline.set_view(at - 1e5, at + 1e5))('
            'timeline.head.chunks[1].from)')
    page.wait('timeline.model.n > 0')
    drawn(page)
    check_equal('two chunks', page.js('timeline.model.chunks.length'), 2)
    begin, end = page.js('(m => [m.time[0], m.time[m.n - 1]])(timeline.model)')
    check_calls(page, 'a part of the calls', slices(page), [
        call for call in calls
        if call[0] >= begin + first and call[1] <= end + first])


if __name__ == '__main__':
    picture.main(sys.argv[1:], globals())
