# SPDX-License-Identifier: LGPL-2.1-or-later
# A page in a browser that is driven: what timeline.py looks at.
import json
import os
import pathlib
import shutil
import time

WAIT_SECONDS = 60


class Page:
    """The browser, and the page in it."""

    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        from selenium.webdriver.common.action_chains import ActionChains
        options = Options()
        for argument in ('--headless=new', '--disable-gpu', '--lang=en',
                         '--window-size=1400,900', '--no-first-run',
                         '--disable-dev-shm-usage',
                         '--disable-background-networking'):
            options.add_argument(argument)
        if not os.geteuid():
            options.add_argument('--no-sandbox')
        options.binary_location = shutil.which('chromium')
        options.set_capability('goog:loggingPrefs',
                               {'browser': 'ALL', 'performance': 'ALL'})
        self.actions = ActionChains
        self.browser = webdriver.Chrome(
            service=Service(shutil.which('chromedriver')), options=options)

    def open(self, path, hash=''):
        self.browser.get(pathlib.Path(path).as_uri() + hash)
        self.wait('document.documentElement.dataset.ready === "yes" &&'
                  'document.documentElement.dataset.frames > 0')

    def js(self, code, *arguments):
        return self.browser.execute_script('return ' + code, *arguments)

    def wait(self, condition, *arguments):
        """Waits until a condition holds. Returns whether it does."""
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            if self.js(condition, *arguments):
                return True
            time.sleep(0.02)
        return False

    def text(self, place):
        return self.js('document.querySelector(arguments[0]).innerText', place)

    def rows(self, place):
        """The rows of a table, each a list of its cells' texts."""
        return self.js('[...document.querySelectorAll(arguments[0] + " tr")]'
                       '.map(row => [...row.cells].map(cell =>'
                       'cell.innerText.trim()))', place)

    def value(self, place, name):
        return dict(row for row in self.rows(place) if len(row) == 2).get(name)

    def keys(self, keys, place='plot'):
        self.browser.find_element('id', place).send_keys(keys)

    def range(self):
        """The time in view, as the last picture has it."""
        self.wait('!timeline.requested')
        return self.js('[+document.getElementById("range").dataset.begin,'
                       '+document.getElementById("range").dataset.end]')

    def moved(self, act):
        """Does something, and returns the range in view then."""
        old = self.range()
        act()
        self.wait('+document.getElementById("range").dataset.begin !== '
                  'arguments[0] || +document.getElementById("range")'
                  '.dataset.end !== arguments[1]', *old)
        return self.range()

    def search(self, text):
        """Searches, and returns how many hits the page tells."""
        self.js('document.getElementById("query").value = ""')
        self.keys(text, 'query')
        self.wait('document.getElementById("hits").dataset.done === '
                  'arguments[0]', text)
        return self.text('#hits').split()[0].replace(',', '')

    def point(self):
        """The middle of what is selected, in the window."""
        x, y = self.js('(() => { const box = timeline.box(timeline.selected),'
                       'at = timeline.plot.getBoundingClientRect();'
                       'return [at.left + box.x + box.width / 2,'
                       'at.top + box.y + box.height / 2]; })()')
        return int(x), int(y)

    def mouse(self, x, y, click=False):
        actions = self.actions(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        if click:
            actions.w3c_actions.pointer_action.click()
        actions.perform()

    def wheel(self, pixels):
        from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
        origin = ScrollOrigin.from_element(
            self.browser.find_element('id', 'plot'), 50, 0)
        self.actions(self.browser).scroll_from_origin(
            origin, 0, pixels).perform()

    def drag(self, pixels, shift=False):
        from selenium.webdriver.common.keys import Keys
        actions = self.actions(self.browser)
        plot = self.browser.find_element('id', 'plot')
        if shift:
            actions.key_down(Keys.SHIFT)
        actions.move_to_element(plot).click_and_hold()
        actions.move_by_offset(pixels, 0).release()
        if shift:
            actions.key_up(Keys.SHIFT)
        actions.perform()

    def requests(self):
        """The addresses that the browser was asked for."""
        urls = []
        for entry in self.browser.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                urls.append(message['params']['request']['url'])
        return urls
