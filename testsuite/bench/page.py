# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a page of `taffrail timeline` takes in a browser.

Usage: page.py PAGE ROUNDS

Prints, in milliseconds: the first picture, from the beginning of the
navigation to the page, the least of ROUNDS; and the steps of a zoom into the
trace and out again, each from the key to the picture's end: their median, and
the longest script. Needs the driver of the browser: timeline.py, beside it.
"""
import statistics
import sys

from timeline import Page

STEPS = 15

# A step ends when the frame behind it begins: its picture is drawn then.
STEP = """
const [factor, x, done] = arguments;
const begin = performance.now(), costs = timeline.costs.length;
timeline.zoom(factor, x * timeline.view.width);
requestAnimationFrame(() => requestAnimationFrame(() => done([
	performance.now() - begin, Math.max(...timeline.costs.slice(costs))])));
"""


def first_picture(page, path):
    page.open(path)
    return page.js('performance.getEntriesByName("taffrail-picture")[0]'
                   '.startTime')


def zoom(page):
    """The steps, as times of the whole and of the script."""
    page.browser.set_script_timeout(60)
    return [page.browser.execute_async_script(STEP, factor, x)
            for x in (0.5, 0.1, 0.9) for factor in (0.7, 1 / 0.7)
            for _ in range(STEPS)]


page = Page()
try:
    pictures = [first_picture(page, sys.argv[1])
                for _ in range(int(sys.argv[2]))]
    steps = zoom(page)
finally:
    page.browser.quit()
print('value read.page.picture', min(pictures))
print('value read.page.step', statistics.median(step[0] for step in steps))
print('value read.page.script', max(step[1] for step in steps))
