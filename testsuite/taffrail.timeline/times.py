# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the times and numbers of a page of `taffrail timeline`, in a browser,
# with what view and report print of the same trace, and with what Python makes
# of them.
#	times.py ZONE PAGE VIEW REPORT ...
# VIEW is the output of view --dates, REPORT of report --json; ZONE is TZ of all
# three.
import datetime
import decimal
import json
import os
import re
import sys
import zoneinfo

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
from browser import Page  # noqa: E402
from timeline import check, check_equal, grouped  # noqa: E402

NS_PER_S = 10 ** 9
UNITS = {'ns': 1, 'µs': 10 ** 3, 'ms': 10 ** 6, 's': NS_PER_S,
         'min': 60 * NS_PER_S, 'h': 3600 * NS_PER_S, 'd': 86400 * NS_PER_S}
EXACT_NS = 2 ** 53              # a double has each number up to it


def rounded(value, step):
    """value / step as an integer, a half up."""
    return int((decimal.Decimal(value) / step).quantize(
        0, decimal.ROUND_HALF_UP))


def joined(*parts):
    return ' '.join('%s %s' % part for part in parts if part[0])


def duration_text(ns):
    """What the page must show of a whole number of nanoseconds."""
    if ns < 1000:
        return '%d ns' % ns
    for unit, most in ('µs', 1000), ('ms', 1000), ('s', 60):
        # the page divides doubles
        value = decimal.Decimal(ns / UNITS[unit])
        digits = decimal.Decimal(1).scaleb(value.adjusted() - 3)
        value = value.quantize(digits, decimal.ROUND_HALF_UP)
        if value < most:
            return '%s %s' % (format(value.normalize(), 'f'), unit)
    tenths = rounded(ns, 10 ** 8)
    if tenths < 36000:
        rest = '%d.%d' % divmod(tenths % 600, 10)
        return joined((tenths // 600, 'min'),
                      (tenths % 600 and rest.replace('.0', ''), 's'))
    seconds = rounded(ns, NS_PER_S)
    if seconds < 86400:
        return joined((seconds // 3600, 'h'), (seconds // 60 % 60, 'min'),
                      (seconds % 60, 's'))
    minutes = rounded(ns, 60 * NS_PER_S)
    return joined((minutes // 1440, 'd'), (minutes // 60 % 24, 'h'),
                  (minutes % 60, 'min'))


def exact(ns):
    return duration_text(ns) if ns < 1000 else '%s (%s ns)' % (
        duration_text(ns), grouped(ns))


def ns_of(text):
    """The nanoseconds of a duration that the page shows."""
    parts = re.findall(r'([\d.]+) (\S+)', text)
    ns = sum(decimal.Decimal(n) * UNITS[unit] for n, unit in parts)
    return -ns if text.startswith('-') else ns


class Zone:
    """What Python knows of a zone: how far it is ahead of UTC."""

    def __init__(self, name):
        self.zone = zoneinfo.ZoneInfo(name)

    def ahead(self, second):
        return int(datetime.datetime.fromtimestamp(
            second, self.zone).utcoffset().total_seconds())

    def changes(self, begin, end):
        """Whether the clocks are changed in a time."""
        hours = range(max(0, begin), max(0, end) + 1, 3600)
        return len({self.ahead(at) for at in [*hours, max(0, end)]}) > 1

    def text(self, ns, with_zone):
        """A time as the page must show it."""
        second, rest = divmod(abs(ns), NS_PER_S)
        if ns < 0:
            return '-%d.%09d' % (second, rest)
        ahead = self.ahead(second)
        at = datetime.datetime.fromtimestamp(second + ahead,
                                             datetime.timezone.utc)
        minutes = abs(ahead) // 60
        shown = 'UTC' + ('%s%02d:%02d' % ('−' if ahead < 0 else '+',
                                          minutes // 60, minutes % 60)
                         if ahead else '')
        return at.strftime('%Y-%m-%d %H:%M:%S') + '.%09d' % rest + (
            ' ' + shown if with_zone else '')


def items(page):
    """[item, number of its first event, fate] of all slices and ticks."""
    return page.js('(m => [...Array.from(m.order, i => [i, m.span_first[i],'
                   'm.span_fate[i]]), ...Array.from(m.time, (t, i) => i)'
                   '.filter(i => !m.paired[i]).map(i => [-1 - i, i, 0])])'
                   '(timeline.model)')


def selected(page, item):
    """The table of times when an item is selected."""
    return page.js('(timeline.select(arguments[0]), [...document'
                   '.querySelectorAll("#times tr")].map(row => [...row.cells]'
                   '.map(cell => cell.innerText.trim())))', item)


def check_clocks(page, what, zone, lines, report):
    """Each time is that of view, and what Python makes of it."""
    first, last = int(report['begin']), int(report['end'])
    both = zone.changes(first // NS_PER_S, last // NS_PER_S)
    stamps = [re.match(r'\[(.*?)\]', line)[1] for line in lines]
    wrong, told = [], 0
    for item, number, _ in items(page):
        rows = selected(page, item)
        at = [name for name, _ in rows].index(
            'Begins' if item >= 0 else 'Time')
        offset = re.match(r'\+(\d+)\.(\d{9}) s$', rows[at][1])
        ns = first + int(offset[1] + offset[2])
        clock = rows[at + 1][1]
        told += 1
        if clock != zone.text(ns, both) or not re.fullmatch(
                re.escape(stamps[number]) + (r'( UTC.*)?' if both else ''),
                clock):
            wrong.append((clock, stamps[number], zone.text(ns, both)))
    check_equal('%s: times as view has them' % what, wrong, [])
    check('%s: all items have one' % what, told > 5, told)
    page.js('timeline.select(null)')
    times = dict(page.rows('#times'))
    check_equal('%s: begin and end' % what, [times['Begins'], times['Ends']],
                [zone.text(first, True), zone.text(last, True)])
    check_equal('%s: how long it lasts' % what, times['Lasts'],
                exact(last - first))
    check('%s: the summary has it, too' % what, page.text('#summary')
          .endswith(' · ' + duration_text(last - first)),
          page.text('#summary'))
    check_equal('%s: a notice if times are rounded' % what, 'rounded' in
                page.text('#notices'), last - first > EXACT_NS)


def number_of(text):
    return int(text.replace(',', ''))


def check_tables(page, what, report):
    """The first tables are those of report."""
    page.js('timeline.select(null)')
    rows = page.rows('#by-name')
    heads, got = (rows[0], rows[1:]) if rows else ([], [])
    told = [dict(zip(heads, row)) for row in got]
    want = sorted((pair['name'], pair['count'], pair['unfinished'],
                   duration_text(int(pair['sum'])) if pair['count'] else '')
                  for pair in report['pairs']
                  if pair['count'] or pair['unfinished'])
    check_equal('%s: slices by name' % what, sorted(
        (row['Name'], number_of(row['Count']),
         number_of(row.get('Not finished', '0')), row['Total'])
        for row in told), want)
    check_equal('%s: events by name' % what, sorted(
        (name, number_of(n)) for name, n in page.rows('#events')[1:]), sorted(
        (one['name'], one['events']) for one in report['names']))


def check_durations(page, what, report, view):
    """Each duration, and the numbers of each kind."""
    wrong = []
    stamps = page.js('(m => Array.from(m.time))(timeline.model)')
    by_name = {}
    for item, number, fate in items(page):
        if item < 0:
            continue
        rows = dict(row for row in selected(page, item) if row[0])
        ns = page.js('(m => m.span_to[arguments[0]] - '
                     'm.span_from[arguments[0]])(timeline.model)', item)
        if rows['Duration'] != exact(ns):
            wrong.append((rows['Duration'], exact(ns)))
        by_name[page.text('#report h2').strip()] = item
    check_equal('%s: durations' % what, wrong, [])
    check('%s: times are whole' % what, all(one == int(one)
                                            for one in stamps), stamps)
    for pair in report['pairs']:
        if not pair['count']:
            continue
        page.js('timeline.select(arguments[0])', by_name[pair['name']])
        among = dict(page.rows('#among'))
        check_equal('%s: among those of %s' % (what, pair['name']), among, {
            'Count': grouped(pair['count']),
            'Total': exact(int(pair['sum'])),
            'Mean': among['Mean'],
            'Shortest': exact(int(pair['min'])),
            'Median': duration_text(int(pair['p50'])),
            '90 % below': duration_text(int(pair['p90'])),
            '99 % below': duration_text(int(pair['p99'])),
            'Longest': exact(int(pair['max']))})
        mean = ns_of(among['Mean'])
        real = decimal.Decimal(int(pair['sum'])) / pair['count']
        check('%s: their mean' % what, abs(mean - real) <=
              max(real / 2000, decimal.Decimal('0.001')), (mean, real))


def check_ticks(page, what, report):
    """What stands at the axis is the time there, whatever is in view."""
    span = int(report['end']) - int(report['begin'])
    # a view of times that are rounded
    least = 40 if span < EXACT_NS else 10 ** 6
    drawn = page.js("""((prototype, fill) => {
        const drawn = [], span = timeline.head.span;
        let view;
        prototype.fillText = function (text, x) {
            drawn.push([text, x - 4, view.begin, view.end, view.width]);
        };
        for (let size = arguments[0]; size < 2 * span + 100; size *= 1.7)
            for (const begin of [-size / 3, span / 3]) {
                view = { begin, end: begin + size, width: 1000 };
                timeline.scale.draw_axis(view);
            }
        prototype.fillText = fill;
        timeline.request();
        return drawn;
    })(CanvasRenderingContext2D.prototype,
       CanvasRenderingContext2D.prototype.fillText)""", least)
    wrong = []
    for text, x, begin, end, width in drawn:
        ns = float(ns_of(text))
        pixel = (ns - begin) / (end - begin) * width
        if abs(pixel - x) > 1 or not re.fullmatch(
                r'-?[\d.]+ \S+( [\d.]+ \S+)*', text):
            wrong.append((text, x, pixel))
    check('%s: the axis has numbers' % what, len(drawn) > 100, len(drawn))
    check_equal('%s: the axis tells the time' % what, wrong, [])


def check_range(page, what, report):
    span = int(report['end']) - int(report['begin'])
    page.js('timeline.show_whole()')
    page.range()
    check_equal('%s: what is in view' % what, page.text('#range'),
                'all of ' + duration_text(span))


def main(arguments):
    page = Page()
    try:
        for name, path, view, report in zip(*[iter(arguments)] * 4):
            what = '%s, %s' % (path.rsplit('/', 1)[-1].split('.')[0], name)
            with open(view) as lines:
                lines = [line for line in lines if line.startswith('[')]
            with open(report) as file:
                report = json.load(file)
            page.open(path)
            check_clocks(page, what, Zone(name), lines, report)
            check_tables(page, what, report)
            check_range(page, what, report)
            check_ticks(page, what, report)
            check_durations(page, what, report, lines)
    finally:
        page.browser.quit()


if __name__ == '__main__':
    main(sys.argv[1:])
