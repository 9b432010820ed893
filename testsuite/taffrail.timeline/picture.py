# SPDX-License-Identifier: LGPL-2.1-or-later
# Works with pages of `taffrail timeline` in a browser, as a reader does.
#	picture.py WHAT PAGE ...
#
#	lanes PAGE	the page of many.py's 2,000 processes
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
from browser import Page  # noqa: E402
from timeline import check, check_equal  # noqa: E402

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
    """Waits until the picture is as wanted."""
    page.wait('!timeline.requested')


def names(page, n=None):
    drawn(page)
    return page.js(NAMES)[:n]


def click(page, place):
    page.browser.find_element('css selector', place).click()
    drawn(page)


def check_speed(page, path):
    pictures = []
    for _ in range(4):
        page.open(path)
        pictures.append(page.js('performance.getEntriesByName('
                                '"taffrail-picture")[0].startTime'))
    check('4,000 lanes: a picture within a second', min(pictures) <= 1000,
          pictures)
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


def lanes(page, path):
    check_speed(page, path)
    check_filter(page)
    check_order(page)
    check_fold(page)
    check_pin(page)


def check_console(page, what):
    errors = [entry['message'] for entry in page.browser.get_log('browser')
              if entry['level'] == 'SEVERE']
    check_equal('%s: no error in the console' % what, errors, [])


def main(arguments):
    page = Page()
    try:
        while arguments:
            what, path = arguments[:2]
            page.open(path)
            used = globals()[what](page, path, *arguments[2:]) or 0
            check_console(page, what)
            arguments = arguments[2 + used:]
    finally:
        page.browser.quit()


if __name__ == '__main__':
    main(sys.argv[1:])
