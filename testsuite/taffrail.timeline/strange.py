# SPDX-License-Identifier: LGPL-2.1-or-later
# Looks at the page of strings.py's trace in a browser: strings that would do harm
# or take long, a narrow window, and paper.
#	strange.py PAGE VIEW	VIEW has what view prints
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
from browser import Page  # noqa: E402
from picture import check_console, click, copied, drawn, shown  # noqa: E402
from picture import ESCAPE  # noqa: E402
from strings import ALIKE  # noqa: E402
from timeline import check, check_equal  # noqa: E402

# Selects each slice and draws it large; how long that takes, in ms.
SELECT_EACH = ('[...timeline.model.order].map(i => { const at = performance'
               '.now(); timeline.select(i, true); for (let k = 0; k < 9; k++) '
               'timeline.paint(); return performance.now() - at; })')


def check_strings(page, lines):
    """Strings are those of view, as far as both show them alike."""
    text = copied(page, lambda: click(page, '#list-copy')).splitlines()
    check_equal('strange: so many lines', len(text), len(lines))
    check_equal('strange: view prints the same strings', [
        (a, b) for a, b in list(zip(text, lines))[:2 * len(ALIKE)]
        if a.partition(': {')[2] != b.partition(': {')[2]], [])
    shown_as = page.js('[...timeline.model.order].map(i => timeline.model.fields('
                       'timeline.model.span_first[i], 100)[1][1])')[len(ALIKE):]
    check_equal('strange: the others', shown_as, [
        '"\\u009b31m"', '"\\xff caf\\xe9 \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"',
        '"\\u202eevil\\u202c \\u2066x\\u2069"', '"\\u2028\\u2029"',
        '"' + '漢' * 33 + '… 119,901 bytes more',
        '"' + '\\u202e' * 33 + '… 89,901 bytes more',
        '"' + '\\xff' * 100 + '… 49,900 bytes more'])
    check_equal('strange: a search is for the string itself', [
        page.search('text="' + text + '"') for text in (
            'back\\slash, not \\n', "it's ?")], ['1', '1'])
    page.keys(ESCAPE, 'query')


def check_paper(page):
    """On paper: light, and the report as a whole."""
    page.js('(document.documentElement.dataset.scheme === "dark" ||'
            'document.getElementById("scheme").click(),'
            'timeline.select(timeline.model.order[0]))')
    media = lambda name: page.browser.execute_cdp_cmd(
        'Emulation.setEmulatedMedia', {'media': name})
    page.js('dispatchEvent(new Event("beforeprint"))')
    media('print')
    check_equal('paper: light', page.js(
        'document.documentElement.dataset.scheme'), 'light')
    check('paper: nothing of the report is cut', page.js(
        '(one => one.clientHeight >= one.scrollHeight && getComputedStyle('
        'document.body).overflow === "visible")(timeline.aside)'))
    media('')
    page.js('dispatchEvent(new Event("afterprint"))')
    check_equal('paper: then dark again', page.js(
        'document.documentElement.dataset.scheme'), 'dark')


def check_addresses(page, path):
    """What an address has beyond the page is cut off, or left out."""
    for hash, begin, end in (
            ('#span=-5_99999999999999999999999', -5, None),
            ('#span=-99999999999999999999999_7', None, 7),
            ('#view=-99999999999999999999999_9&span=1_2', 1, 2)):
        page.browser.get('about:blank')
        page.open(path, hash)
        got = page.js('[timeline.span.begin, timeline.span.end]')
        whole = page.js('[timeline.whole().begin, timeline.whole().end]')
        check_equal(hash, got, [
            round(whole[0]) if begin is None else begin,
            round(whole[1]) if end is None else end])
        check_equal(hash + ': the report', page.text('#report h2'),
                    'Selected span')


def strange(page, path, view):
    with open(view, newline='\n', errors='replace') as file:
        lines = file.read().split('\n')[:-1]
    page.js('timeline.list.open(true)')
    shown(page)
    check_strings(page, lines)
    check_equal('strange: the title', page.js('document.title'),
                path[:-5] + ' – Taffrail timeline')
    costs = page.js(SELECT_EACH)
    check('strange: strings of 100 kB are drawn at once', max(costs) <= 3000,
          costs)
    check('strange: a long name is not wider than the report', page.js(
        '(one => one.scrollWidth <= one.clientWidth)(timeline.aside)'))
    page.js('timeline.show_whole()')
    check_paper(page)
    page.browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': 400, 'height': 800, 'deviceScaleFactor': 1, 'mobile': False})
    page.wait('innerWidth === 400')
    drawn(page)
    page.mouse(*page.point())
    page.wait('!document.getElementById("tip").hidden')
    check('400 pixels: the tooltip is inside', page.js(
        '(box => box.left >= 0 && box.right <= innerWidth)(document'
        '.getElementById("tip").getBoundingClientRect())'))
    page.browser.execute_cdp_cmd('Emulation.clearDeviceMetricsOverride', {})


def main(path, view):
    page = Page()
    try:
        page.open(path)
        strange(page, path, view)
        check_addresses(page, path)
        check_console(page, 'strange')
    finally:
        page.browser.quit()


if __name__ == '__main__':
    main(*sys.argv[1:])
