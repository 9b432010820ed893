# SPDX-License-Identifier: LGPL-2.1-or-later
# Works with pages of `taffrail timeline` in a browser, as a reader does.
#	picture.py WHAT PAGE ...
#
#	lanes PAGE FEW		the page of many.py's 2,000 processes, that of one
#	few PAGE		the page of many.py's one process
#	rows PAGE VIEW		the list of the events in view; VIEW has what view prints
#	link PAGE		served.py's page: its address restores all
#	loaded PAGE		a page that shows a density first, too
#	arrows PAGE		served.py's page: pairs of two lanes
#	curves PAGE JSON	served.py's page, and its events as JSON
#	spans PAGE COMMAND TRACE	the page of served.py's trace; COMMAND reports
import json
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
from browser import Page  # noqa: E402
from timeline import check, check_equal, grouped  # noqa: E402
from times import duration_text, exact, number_of  # noqa: E402

PAIR = 'app:job_sent,app:job_received,id'
ENTER, ESCAPE = '\ue007', '\ue00c'
NAMES = ('(list => list.map(one => [...one.children].filter(part => !part'
         '.matches("button, .more")).map(part => part.textContent).join(" ")))'
         '([...document.querySelectorAll("#names > div:not(#pins), #pins > '
         'div")].filter(one => (box => box.bottom > document.getElementById('
         '"scroll").getBoundingClientRect().top)(one.getBoundingClientRect()'
         ')))')
SCROLL = '''
const done = arguments[0], from = timeline.costs.length;
let left = 60;
const step = () => {
	timeline.scroll.scrollTop += 97;
	requestAnimationFrame(left-- ? step : () =>
		done(timeline.costs.slice(from).sort((a, b) => a - b)));
};
requestAnimationFrame(step);
'''
# The colours of a line of the plot, so many pixels from its top.
PIXELS = ('(() => { const c = document.getElementById("picture"), d = c'
          '.getContext("2d").getImageData(0, arguments[0], c.width, 1).data;'
          'return [...new Uint32Array(d.buffer)]; })()')


def drawn(page):
    """Waits for a picture of what is wanted, which may be yet to be asked for."""
    page.js('timeline.request()')
    page.wait('!timeline.requested')


def names(page, n=None):
    drawn(page)
    return page.js(NAMES)[:n]


def click(page, place):
    page.browser.find_element('css selector', place).click()
    drawn(page)


def picture_ms(page, path):
    page.open(path)
    return page.js('performance.getEntriesByName('
                   '"taffrail-picture")[0].startTime')


# A busy machine makes the page of two lanes as slow.
def check_speed(page, path, few):
    pictures = [(picture_ms(page, few), picture_ms(page, path))
                for _ in range(4)]
    two_lanes, best = map(min, zip(*pictures))
    check('4,000 lanes: a picture within a second',
          best <= max(1000, 10 * two_lanes), pictures)
    page.browser.set_script_timeout(60)
    costs = page.browser.execute_async_script(SCROLL)
    check('4,000 lanes: 30 pictures a second, scrolled',
          len(costs) > 30 and costs[len(costs) // 2] <= 1000 / 30, costs)
    check('4,000 lanes: only names in sight are elements', page.js(
        'document.querySelectorAll("#names > div").length') < 200)
    page.js('timeline.scroll.scrollTop = timeline.layout.height')
    check_equal('scrolled to the end: the last lane', names(page)[-1],
                'thread 20991')
    page.js('timeline.scroll.scrollTop = 0')
    check_equal('and back: the first', names(page, 2),
                ['worker0 1000', 'thread 1000'])


def check_filter(page):
    page.keys('l')
    check_equal('l: the filter', page.js('document.activeElement.id'),
                'lanes-filter')
    page.keys('20991', 'lanes-filter')
    check_equal('a filter: one lane, and its process', names(page),
                ['worker4 20990', 'thread 20991'])
    check('a filter: it says so', 'Shown are 1 of 4,000 lanes' in page.js(
        'document.getElementById("lanes-filter").title'))
    page.keys(ENTER, 'lanes-filter')
    check_equal('Enter: back in the picture', page.js(
        'document.activeElement.id'), 'plot')
    page.js('timeline.lanes.set_filter("WORKER3 -1030 -1031 108")')
    check_equal('a filter: words, and words that must not be there',
                names(page), [
                    'worker3 10830', 'thread 10830', 'thread 10831'])
    page.js('timeline.lanes.set_filter("no such lane")')
    check_equal('a filter: no lane', names(page), [])
    # a hit in a lane that is hidden is shown all the same
    page.search('n=9')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    check_equal('a hit has its lane', names(page),
                ['worker0 1000', 'thread 1000'])
    page.keys(ESCAPE)
    page.keys('l')
    page.keys(ESCAPE, 'lanes-filter')
    check_equal('Escape: all lanes', names(page, 2),
                ['worker0 1000', 'thread 1000'])


def check_order(page):
    for order, first in (('name', ['worker0 1000', 'thread 1000']),
                         ('events', ['worker0 1000', 'thread 1000']),
                         ('busy', None), ('first', ['worker0 1000'])):
        page.js('(one => { one.value = arguments[0]; one.dispatchEvent(new '
                'Event("change")); })(document.getElementById('
                '"lanes-order"))', order)
        got = names(page, 2)
        if first:
            check_equal('order: ' + order, got[:len(first)], first)
            continue
        busy = page.js('timeline.layout.places.filter(one => one.process)'
                       '.map(one => one.lanes.reduce((sum, lane) => sum +'
                       'busy_ns(lane), 0))')
        check('order: the busiest process is first', len(busy) == 2000 and
              busy == sorted(busy, reverse=True), busy[:9])


def check_fold(page):
    click(page, '#names .process .fold')
    check_equal('fold: a process', names(page, 3),
                ['worker0 1000', 'worker1 1010', 'thread 1010'])
    check_equal('fold: the button keeps the focus', page.js(
        'document.activeElement.dataset.key'), 'fold0')
    check('fold: it shows where its lanes are busy', len(set(page.js(
        PIXELS, 10))) > 1)
    check_equal('fold: it says how many lanes', page.text(
        '#names .process .more'), '2 lanes')
    page.search('vtid=1001 n=4')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    check_equal('a hit unfolds its process', names(page, 3),
                ['worker0 1000', 'thread 1000', 'thread 1001'])
    page.keys('c')
    check_equal('c: folded', names(page, 2), ['worker0 1000', 'worker1 1010'])
    page.keys('C')
    check_equal('C: all are folded', names(page, 3),
                ['worker0 1000', 'worker1 1010', 'worker2 1020'])
    check_equal('C: the button says so', page.js(
        'document.getElementById("fold-all").ariaExpanded'), 'false')
    page.keys('C')
    check_equal('C: and unfolded', names(page, 3),
                ['worker0 1000', 'thread 1000', 'thread 1001'])


def check_pin(page):
    """A lane that is pinned stands at the top, however far one scrolls."""
    page.search('vtid=20991 n=4')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    page.keys('p')
    check_equal('p: the lane is at the top', names(page, 1),
                ['thread 20991 of worker4 20990'])
    page.js('timeline.scroll.scrollTop = 50000')
    check_equal('pinned: it does not scroll', names(page, 1),
                ['thread 20991 of worker4 20990'])
    drawn(page)
    x, y = page.point()
    page.keys(ESCAPE)
    page.mouse(x, y, click=True)
    check('pinned: a click selects its slice', page.wait(
        'timeline.selected !== null') and '20991' in
        page.value('#times', 'In'), page.text('#report'))
    page.js('timeline.scroll.scrollTop = 0')
    # as many as there are do not take the room of the others
    page.js('timeline.layout.places.filter(one => one.one && !one.pinned)'
            '.slice(0, 50).forEach(({ one }) =>'
            'timeline.lanes.pinned.add(one.lane.number))')
    page.js('timeline.lay_out()')
    drawn(page)
    check('pinned: there is room for others', 0 < page.js(
        'timeline.layout.sticky') <= 0.6 * page.js('timeline.view.height'))
    page.js('timeline.lanes.pinned.clear()')
    page.js('timeline.lay_out()')
    page.js('timeline.select(null)')
    check_equal('not pinned: as before', names(page, 2),
                ['worker0 1000', 'thread 1000'])


def lanes(page, path, few):
    check_speed(page, path, few)
    check_filter(page)
    check_order(page)
    check_fold(page)
    check_pin(page)


def reported(command, trace, begin, end):
    """What `report` says of a time."""
    return json.loads(subprocess.run(
        [command, 'report', '--json', '--pair', PAIR, '--begin', begin, '--end',
         end, trace], check=True, capture_output=True).stdout)


def check_statistics(page, what, report):
    rows = page.rows('#by-name')
    check_equal('%s: slices by name' % what, sorted(
        tuple(dict(zip(rows[0], row)).get(head, '0') for head in (
            'Name', 'Count', 'Not finished', 'Total', 'Mean', '99 %',
            'Longest')) for row in rows[1:]) if rows else [], sorted(
        (pair['name'], grouped(pair['count']), str(pair['unfinished']),
         *(duration_text(one) for one in (
             int(pair['sum']), int(pair['sum']) / pair['count'],
             int(pair['p99']), int(pair['max'])))) if pair['count'] else
        (pair['name'], '0', str(pair['unfinished']), '', '', '', '')
        for pair in report['pairs'] if pair['count'] or pair['unfinished']))
    check_equal('%s: events by name' % what, sorted(
        (name, number_of(n)) for name, n in page.rows('#events')[1:]), sorted(
        (one['name'], one['events']) for one in report['names']))
    check_equal('%s: all events' % what, page.value('#times', 'Events'),
                grouped(report['events']))


def check_spans(page, command, trace):
    """Each span has the numbers that report has of this time."""
    first = 1795656939 * 10 ** 9
    spans = page.js('(time => [[0, time[40]], [time[40], time[700]],'
                    '[time[41], time[700] - 1], [time[1000], time[2500]],'
                    '[time[5000], timeline.head.span], [time[17], time[17]],'
                    '[123456, 7654321]])(timeline.model.time)')
    for begin, end in spans:
        page.js('timeline.span.set(...arguments)', begin, end)
        page.js('timeline.span.show()')
        what = '%d ns to %d ns' % (begin, end)
        check_statistics(page, what, reported(
            command, trace, '%dns' % (first + begin), '%dns' % (first + end)))
        check_equal('%s: how long it is' % what, page.value('#times', 'Lasts'),
                    exact(end - begin))
        told = re.search(r'--begin (\d+ns) --end (\d+ns)',
                         page.text('#command'))
        check_equal('%s: the command' % what, told and told.groups(),
                    ('%dns' % (first + begin), '%dns' % (first + end)))


def check_shown(page):
    """With a filter, the numbers are of the lanes that are shown."""
    page.js('timeline.span.set(0, timeline.head.span)')
    page.js('timeline.span.show()')
    page.js('timeline.lanes.set_filter("102")')
    check_equal('a filter: of these lanes', [
        page.value('#times', name) for name in ('Lanes', 'Events')],
        ['1 of 3 lanes', '2,400'])
    check_equal('a filter: their slices', [
        row[:2] for row in page.rows('#by-name')[1:]],
        [['app:request', '400'], ['app:query', '400'], [PAIR, '400']])
    check('a filter: no command has these numbers', page.js(
        'document.getElementById("command") === null'))
    page.js('timeline.lanes.set_filter("")')


def drag(page, place, start, pixels, ctrl=False):
    """Drags with the mouse from a place of an element, in pixels from its left."""
    from selenium.webdriver.common.keys import Keys
    box = page.js('(box => [box.left, box.top + box.height / 2])(document'
                  '.getElementById(arguments[0]).getBoundingClientRect())',
                  place)
    actions = page.actions(page.browser)
    if ctrl:
        actions.key_down(Keys.CONTROL)
    actions.w3c_actions.pointer_action.move_to_location(
        int(box[0] + start), int(box[1]))
    actions.w3c_actions.pointer_action.pointer_down()
    actions.move_by_offset(pixels // 2, 0).move_by_offset(
        pixels - pixels // 2, 0)
    actions.release()
    if ctrl:
        actions.key_up(Keys.CONTROL)
    actions.perform()
    drawn(page)


def span(page):
    """The selected span, in pixels of the plot."""
    return page.js('timeline.span.is_there ? [timeline.x(timeline.span.begin),'
                   'timeline.x(timeline.span.end)] : null')


def near(got, *want):
    return got is not None and all(abs(a - b) <= 2 for a, b in zip(got, want))


def check_ruler(page):
    page.keys(ESCAPE)
    page.keys(ESCAPE)
    check_equal('Escape: no span', span(page), None)
    page.js('timeline.set_view(1e6, 3e6)')
    drawn(page)
    drag(page, 'axis', 100, 200)
    check('a drag over the axis: a span', near(span(page), 100, 300),
          span(page))
    check_equal('and its report', page.text('#report h2'), 'Selected span')
    said = page.js('document.getElementById("said").textContent')
    check('a screen reader gets it', said.startswith('Selected span of '), said)
    drag(page, 'axis', 300, 50)
    check('its end can be dragged', near(span(page), 100, 350), span(page))
    drag(page, 'axis', 100, -40)
    check('and its begin', near(span(page), 60, 350), span(page))
    before = page.range()
    page.keys('f')
    after = page.range()
    begin, end = page.js('[timeline.span.begin, timeline.span.end]')
    check('f: to the span', after[0] < begin and end < after[1] and
          after[1] - after[0] < 1.2 * (end - begin), (before, after))
    drag(page, 'axis', 200, 0)
    check_equal('a click on the axis: no span', span(page), None)
    drag(page, 'plot', 150, 120, ctrl=True)
    check('Ctrl and a drag: a span', near(span(page), 150, 270), span(page))
    check('Ctrl and a drag: the time stays', page.range() == after)
    page.keys('m')
    check('m: what is in view', near(span(page), 0, page.js(
        'timeline.view.width')), span(page))
    page.search('app:request')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    page.keys('m')
    first = page.js('[timeline.span.begin, timeline.span.end]')
    page.keys(ENTER, 'query')
    page.wait('timeline.hit === 1')
    second = page.js('[timeline.report.from(timeline.selected),'
                     'timeline.report.to(timeline.selected)]')
    page.keys('M')
    check_equal('m and M: from one slice to another', page.js(
        '[timeline.span.begin, timeline.span.end]'),
        [min(first[0], second[0]), max(first[1], second[1])])
    # with the mouse, an edge that is near is taken
    page.js('timeline.select(timeline.marks.items[5], true)')
    drawn(page)
    x, y = page.js('(box => [box.x + box.width, box.y + box.height / 2])('
                   'timeline.box(timeline.selected))')
    check_equal('an edge near the mouse', page.js(
        'timeline.span.snap(arguments[0] - 4, arguments[1])', x, y), page.js(
        'timeline.report.to(timeline.selected)'))
    page.js('timeline.find("")')
    page.keys(ESCAPE)
    page.keys(ESCAPE)
    page.js('timeline.show_whole()')


def spans(page, path, command, trace):
    check_spans(page, command, trace)
    check_shown(page)
    check_ruler(page)


def shown(page):
    """Waits until the list shows what is in view."""
    drawn(page)
    page.wait('timeline.list.section.dataset.shown === timeline.list.key_of')


def copied(page, act):
    """The text that the page puts into the clipboard."""
    page.js('(() => { window.got = null; document.addEventListener("copy", '
            'event => { window.got = event.clipboardData.getData("text/plain")'
            '; }, { once: true }); })()')
    act()
    page.wait('window.got !== null')
    return page.js('window.got')


def in_sight(page):
    return page.js('[...document.querySelectorAll("#rows-room > div")].sort('
                   '(a, b) => a.dataset.at - b.dataset.at).map(row =>'
                   '[...row.children].map(cell => cell.textContent))')


def check_rows(page, lines):
    shown(page)
    check_equal('the list: all events are in view', page.text('#list-count'),
                grouped(len(lines)) + ' events in view')
    check_equal('the list: its first', in_sight(page)[0], [
        '+0.000000000', '', '101 of server 100', 'app:request_begin',
        'id = 0, url = "/page/0"'])
    check('the list: only rows in sight are elements', len(in_sight(page)) < 60)
    page.js('timeline.list.rows.scrollTop = 1e9')
    page.wait('document.querySelector("[data-at=\'5598\']")')
    check_equal('the list: its last', in_sight(page)[-1][3:],
                ['app:job_received', 'id = 799'])
    page.js('timeline.list.rows.scrollTop = 0')


def check_copy(page, lines):
    """Lines that are copied are those of view."""
    plain = lambda line: 'app:queue' not in line
    text = copied(page, lambda: click(page, '#list-copy')).splitlines()
    check_equal('copied: so many lines', len(text), len(lines))
    check_equal('copied: what view prints', [
        (a, b) for a, b in zip(text, lines) if a != b and plain(b)], [])
    check('copied: a number with all its digits', any(
        'load = 0.04997916927067833, text = "</script>" }' in line
        for line in text), text[:20])
    page.js('timeline.select(timeline.model.order[0])')
    text = copied(page, lambda: page.keys('\ue009c'))
    check('Ctrl+C: the report', text.startswith('app:request\n') and
          'url\t"/page/0"' in text, text)
    page.js('timeline.list.rows.focus()')
    text = copied(page, lambda: page.keys('\ue009c', 'rows')).splitlines()
    check_equal('Ctrl+C in the list: its lines', len(text), len(lines))


def check_chosen(page):
    page.js('timeline.select(null)')
    page.js('timeline.set_view(1e6, 2e6)')
    shown(page)
    rows = in_sight(page)
    page.browser.find_element('css selector', '#rows-room > div').click()
    check('a click on a row selects', page.js('timeline.selected') is not None)
    shown(page)
    check('its row is marked', page.js('document.querySelectorAll("#rows-room '
                                       '[aria-selected=true]").length') > 0)
    # a tick: what is selected does not move the view
    at = page.js('timeline.list.events.findIndex(i =>'
                 '!timeline.model.paired[i])')
    page.js('timeline.list.go(arguments[0])', at)
    shown(page)
    page.keys('\ue015', 'rows')
    check_equal('arrow: the next row', page.js('timeline.list.at'), at + 1)
    page.keys('E')
    check_equal('E: to the list', page.js('document.activeElement.id'), 'rows')
    page.js('timeline.plot.focus()')
    page.keys('e')
    check_equal('e: the list is closed', page.js('timeline.list.is_open'),
                False)
    page.keys('e')
    page.search('rows=3')
    page.keys('0')
    shown(page)
    hits = page.js('timeline.marks.items.length')
    check_equal('of a search: the events of its hits', page.text(
        '#list-count'), grouped(2 * hits) + ' events in view of hits')
    page.js('timeline.find("")')
    page.js('timeline.lanes.set_filter("103")')
    shown(page)
    check_equal('of a filter: the events of its lanes', page.text(
        '#list-count'), '800 events in view')
    page.js('timeline.lanes.set_filter("")')
    page.js('timeline.select(null)')
    return rows


def check_high(page):
    """A list that is higher than browsers place anything."""
    page.js('(list => { list.real = list.height; list.height = () => 20000;'
            'list.find(); })(timeline.list)')
    shown(page)
    page.js('timeline.list.rows.scrollTop = 1e9')
    page.wait('document.querySelector("[data-at=\'5598\']")')
    check('a long list: its end', 'id = 799' in in_sight(page)[-1][-1])
    page.js('timeline.list.go(2800)')
    check('a long list: its middle', page.wait(
        'document.querySelector("[data-at=\'2800\']")'))
    page.js('timeline.list.height = timeline.list.real')
    page.js('timeline.list.find()')


def few(page, path):
    """With two lanes, the room is used."""
    check('two lanes: there is room for the list', page.js(
        'timeline.list.is_open') and page.text('#list-count') is not None)
    shown(page)
    check_equal('two lanes: the list', page.text('#list-count'),
                '60 events in view')
    check_equal('two lanes: rows are high', page.js(
        'timeline.model.lanes[0].place.row'), 40)


def rows(page, path, view):
    with open(view) as file:
        lines = file.read().splitlines()
    check_equal('deep lanes: there is no room for the list', page.js(
        'timeline.list.is_open'), False)
    page.keys('e')
    check_rows(page, lines)
    check_copy(page, lines)
    check_chosen(page)
    page.js('timeline.show_whole()')
    shown(page)
    check_high(page)


STATE = ('(app => ({ view: [app.view.begin, app.view.end].map(Math.round),'
         'span: [app.span.begin, app.span.end], selected: app.selected, '
         'find: document.getElementById("query").value,'
         'filter: app.lanes.filter, order: app.lanes.order,'
         'folded: [...app.lanes.folded], pinned: [...app.lanes.pinned],'
         'list: app.list.is_open, hits: app.marks && app.marks.items.length,'
         'heading: document.querySelector("#report h2").innerText }))'
         '(timeline)')


def settled(page):
    """Waits until the address tells what is there."""
    drawn(page)
    page.wait('!timeline.link.timer')


def opened(page, path, hash):
    """Opens a page anew with an address; returns what is there then."""
    page.browser.get('about:blank')
    page.open(path, hash)
    drawn(page)
    page.wait('!document.getElementById("query").value ||'
              'document.getElementById("hits").dataset.done')
    return page.js(STATE)


def link(page, path):
    settled(page)
    check_equal('link: nothing behind a page as it opens', page.js(
        'location.hash'), '')
    page.keys('e')
    page.js('timeline.lanes.set_filter("10")')
    page.js('timeline.lanes.set_order("events")')
    page.js('timeline.lanes.pin(1)')
    page.js('timeline.span.set(2000000, 9000000)')
    page.search('rows=3 & "')
    page.search('rows=3')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    page.js('timeline.set_view(1234567.25, 8901234.5)')
    settled(page)
    wanted, hash = page.js(STATE), page.js('location.hash')
    check('link: it tells what is there', all(
        '%s=' % name in hash for name in ('view', 'span', 'item', 'find',
                                          'lanes', 'order', 'pin', 'list')),
        hash)
    check_equal('link: the same in a page that is opened with it',
                opened(page, path, hash), wanted)
    text = copied(page, lambda: click(page, '#link'))
    check('link: its button copies it', text.startswith('file://') and
          text.endswith(hash), text)
    # an instant, and a folded process
    page.js('timeline.select(-1 - timeline.model.paired.indexOf(0))')
    page.js('timeline.lanes.set_filter("")')
    page.js('timeline.lanes.fold(0)')
    settled(page)
    wanted, hash = page.js(STATE), page.js('location.hash')
    check('link: a process is folded', 'fold=0' in hash, hash)
    check_equal('link: an event, and a folded process', opened(
        page, path, hash)['selected'], wanted['selected'])
    # an address that is typed in the open page
    page.js('(location.hash = "view=1000_5000")')
    check('link: a changed address is taken', page.wait(
        'timeline.view.begin === 1000 && timeline.view.end === 5000 &&'
        'timeline.selected === null && !timeline.lanes.pinned.size'),
        page.js(STATE))
    for hash in ('#view=5_1&span=x_y&item=s_9_9&fold=-1,99-4,1e9&pin=99,x',
                 '#item=e_99999999&order=__proto__&lanes=%E0%A4%A&find=%',
                 '#item=s_a_b_c_d&view=NaN_Infinity&span=1_&list=<b>',
                 '#item=e_-1&&&==&view=1_2_3&fold=0-999999999&pin=0-9'):
        state = opened(page, path, hash)
        check_equal('link: nonsense selects nothing: ' + hash, [
            state['selected'], state['span'], state['order']],
            [None, [None, None], 'first'])
        check('link: and shows the trace', page.js(
            'timeline.view.end - timeline.view.begin > 1e7'), state)
    page.open(path)


def loaded(page, path):
    """In a page of a density, what is selected comes with its events."""
    check_equal('a density has its room', page.js(
        'timeline.layout.places.filter(({ one, top, height }) => one &&'
        'top + 3 > height).length'), 0)
    middle = page.js('timeline.head.span / 2')
    page.js('timeline.set_view(arguments[0] - 1e5, arguments[0] + 1e5)', middle)
    page.wait('timeline.model.n > 0')
    drawn(page)
    page.js('(m => timeline.select(-1 - m.paired.indexOf(0, m.n / 2 | 0)))'
            '(timeline.model)')
    event = 'timeline.model.first + -1 - timeline.selected'
    settled(page)
    number, hash = page.js(event), page.js('location.hash')
    page.js('timeline.show_whole()')
    check('an event that was selected is not loaded',
          page.wait('timeline.model.n === 0') and
          page.js('timeline.selected === null'))
    page.js('timeline.set_view(arguments[0] - 1e5, arguments[0] + 1e5)', middle)
    check('and is selected when it is loaded again', page.wait(
        'timeline.model.n > 0 && timeline.selected !== null') and
        page.js(event) == number)
    page.js('timeline.span.set(...arguments)', middle // 1 - 40000,
            middle // 1 + 40000)
    page.js('timeline.span.show()')
    check_equal('a span of loaded events: its events', number_of(
        page.value('#times', 'Events')), page.js(
        '(m => m.time.filter(t => t >= timeline.span.begin && t <= '
        'timeline.span.end).length)(timeline.model)'))
    page.js('timeline.span.set(0, timeline.head.span)')
    page.js('timeline.span.show()')
    check('a span of others: it says so', 'are loaded: zoom in' in
          page.text('#unloaded'))
    opened(page, path, hash)
    check('a link to it: when it is loaded', page.wait(
        'timeline.model.n > 0 && timeline.selected !== null') and
        page.js(event) == number, (hash, page.js(STATE)))


def pixel(page, x, y):
    return page.js('[...document.getElementById("picture").getContext("2d")'
                   '.getImageData(...arguments, 1, 1).data]', x, y)


def arrows(page, path):
    """A pair of two lanes: an arrow, and a tick where it ends."""
    across = page.js('timeline.model.across.length')
    check_equal('pairs of two lanes', across, 800)
    check_equal('each end is a tick in its own lane', page.js(
        'timeline.model.lanes.map(one => [one.lane.id, one.instants])'),
        [[101, 400], [102, 400], [103, 800]])
    page.js('timeline.set_view(10e6, 12e6)')
    drawn(page)
    ends = page.js('(m => m.across.filter(i => m.span_to[i] >= 10e6 &&'
                   'm.span_to[i] <= 12e6).length)(timeline.model)')
    check('arrows: those in view', page.js('timeline.painter.arrows') == ends
          > 10, ends)
    # between the lane of the slice and that of its end, nothing else is there
    x, y = page.js('(m => { const i = m.across.find(i => m.span_to[i] > 11e6 &&'
                   'm.span_lane[i] === 0); const { y, height } = m.lanes[1]'
                   '.place; return [Math.round(timeline.x(m.span_to[i])), '
                   'y + height - 3]; })(timeline.model)')
    there = pixel(page, x, y)
    page.js('(painter => { painter.draw_arrows = () => {}; '
            'timeline.request(); })(timeline.painter)')
    drawn(page)
    check('arrows: they are drawn', there != pixel(page, x, y), there)
    page.js('(delete timeline.painter.draw_arrows)')
    page.js('timeline.lanes.set_filter("-103")')
    drawn(page)
    check_equal('arrows: none to a lane that is hidden', page.js(
        'timeline.painter.arrows'), 0)
    page.js('timeline.lanes.set_filter("")')
    page.js('timeline.lanes.pin(2)')
    drawn(page)
    check_equal('arrows: to a lane that is pinned', page.js(
        'timeline.painter.arrows'), ends)
    page.js('timeline.lanes.pin(2)')
    page.js('timeline.show_whole()')
    drawn(page)
    check_equal('arrows: none where there are too many', page.js(
        'timeline.painter.arrows'), 0)
    # the report of both
    page.search('app:job_sent')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    check_equal('its slice: where it ends', page.value('#times', 'Ends in'),
                '103 of server 100')
    slice = page.js('timeline.selected')
    page.js('timeline.select(-1 - timeline.model.span_last[arguments[0]])',
            slice)
    check_equal('its end: the event', page.text('#report h2').strip(),
                'app:job_received')
    check('its end: it tells of the slice', 'It ends a slice of ' in
          page.text('#report'), page.text('#report'))
    page.browser.find_element('id', 'to-slice').click()
    check_equal('its end: the way to the slice', page.js('timeline.selected'),
                slice)
    check_equal('a search: a pair is one hit', page.search('id=17'), '3')
    page.js('timeline.find("")')


def line_of(page, column):
    """How far the line of the first curve is from its top, in a column."""
    return page.js('(() => { const place = timeline.layout.places[0], c ='
                   'document.getElementById("picture").getContext("2d"),'
                   'd = c.getImageData(arguments[0], place.y, 1, place.height)'
                   '.data, ink = []; for (let y = 0; y < place.height; y++)'
                   'if (d[4 * y + 2] - d[4 * y] > 60) ink.push(y);'
                   'return ink; })()', column)


def curves(page, path, json_path):
    with open(json_path) as file:
        events = [json.loads(line) for line in file]
    queue = [(event['ns'] - events[0]['ns'], event['fields'], event['context'])
             for event in events if event['event'] == 'app:queue']
    page.search('app:queue')
    page.keys(ENTER, 'query')
    page.wait('timeline.selected !== null')
    check_equal('curves: numeric fields have a button', page.js(
        '[...document.querySelectorAll("#report button.curve")].map(one =>'
        'one.getAttribute("aria-label"))'),
        ['Curve of length', 'Curve of load'])
    click(page, '#report button.curve')
    check_equal('a curve: its values', page.js(
        '(one => [...one.time].map((t, i) => [t, one.value[i]]))'
        '(timeline.curves.list[0])'),
        [[ns, fields['length']] for ns, fields, _ in queue])
    check_equal('a curve: it stands at the top', page.js(NAMES)[0],
                'length app:queue')
    page.js('timeline.find("")')
    # between two values far apart in time, the line is where the first is
    ns, fields, _ = queue[101]
    page.js('timeline.set_view(arguments[0] - 1000, arguments[1] + 1000)', ns,
            queue[102][0])
    drawn(page)
    ink = line_of(page, page.js('Math.round(timeline.view.width / 2)'))
    lengths = [one['length'] for _, one, _ in queue]
    top = (max(lengths) - fields['length']) / (max(lengths) - min(lengths))
    check('a curve: its height is the value', ink and any(
        abs(y - 7 - top * 49) <= 2 for y in ink), (ink, fields))
    x, y = page.js('(box => [Math.round(box.left + box.width / 2),'
                   'Math.round(box.top + 20)])(timeline.plot'
                   '.getBoundingClientRect())')
    page.mouse(x, y)
    check('a curve: under the mouse, its event', page.wait(
        '!document.getElementById("tip").hidden') and
        ['length', str(fields['length'])] in page.rows('#tip'),
        page.rows('#tip'))
    # of one thread, and of a number with a fraction, from a link
    page.js('timeline.lanes.set_filter("102")')
    check_equal('a curve: of lanes that are shown', page.js(
        '[...timeline.curves.list[0].value]'),
        [fields['length'] for _, fields, context in queue
         if context['vtid'] == 102])
    page.js('timeline.lanes.set_filter("")')
    page.browser.find_element('css selector',
                              '#report button.curve:not([aria-pressed=true])'
                              ).click()
    settled(page)
    hash = page.js('location.hash')
    opened(page, path, hash)
    check_equal('a curve: a link has it', page.js(
        'timeline.curves.list.map(one => [one.name, one.field])'),
        [['app:queue', 'length'], ['app:queue', 'load']])
    check_equal('a curve: numbers with a fraction', page.js(
        '[...timeline.curves.list[1].value]'),
        [fields['load'] for _, fields, _ in queue])
    click(page, '#pins .close')
    click(page, '#pins .close')
    check_equal('a curve: its button takes it away', page.js(
        'timeline.curves.list.length'), 0)
    opened(page, path, '#curve=app%3Aqueue%7Ctext,app%3Aqueue,x%7Cy,%257C%7C')
    check_equal('a curve: none of a text, or of no field', page.js(
        'timeline.curves.list.length'), 0)


def check_console(page, what):
    errors = [entry['message'] for entry in page.browser.get_log('browser')
              if entry['level'] == 'SEVERE']
    check_equal('%s: no error in the console' % what, errors, [])


def main(arguments, looks):
    page = Page()
    try:
        while arguments:
            look = looks[arguments.pop(0)]
            # a page, and what it is held against
            own = [arguments.pop(0) for _ in range(
                look.__code__.co_argcount - 1)]
            page.open(own[0])
            look(page, *own)
            check_console(page, look.__name__)
    finally:
        page.browser.quit()


if __name__ == '__main__':
    main(sys.argv[1:], globals())
