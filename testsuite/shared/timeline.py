# SPDX-License-Identifier: LGPL-2.1-or-later
# Looks at a page of `taffrail timeline` in a browser, as a reader does: with
# mouse and keys. What must be there comes from the same events as JSON.
#	timeline.py need	says what is missing, or nothing
#	timeline.py WHAT PAGE ARGUMENT ...
#
#	whole PAGE JSON		all that a page has
#	density PAGE NUMBER	a page with more events than it shows at once
#	says PAGE TEXT		a page whose notices have the text
#	most PAGE NUMBER	a page that does not have all events
#	lost PAGE NUMBER	a page that tells so many lost events
#	slices PAGE FILE	a page with just the slices that FILE, JSON, has
import json
import pathlib
import re
import shutil
import sys

from browser import Page

HOSTILE = '<script>document.title=\'harm\'<!--"\'é😀'


def need():
    """Prints what this test cannot be without."""
    try:
        import selenium.webdriver  # noqa: F401
    except ImportError:
        return 'the Python module selenium is missing'
    for program in 'chromium', 'chromedriver':
        if not shutil.which(program):
            return program + ' is not installed'
    return ''


def check(name, good, detail=''):
    print(('PASS: ' if good else 'FAIL: ') + name, flush=True)
    if not good:
        print('  got: ' + str(detail)[:2000])


def check_equal(name, got, want):
    check(name, got == want, '%r, not %r' % (got, want))


def read_events(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def pair_up(events):
    """Pairs NAME_begin and NAME_end of each thread: (name, begin, end)."""
    stacks, pairs = {}, []
    for i, event in enumerate(events):
        name = event['event']
        key = event['context']['vtid'], name.rsplit('_', 1)[0]
        if name.endswith('_begin'):
            stacks.setdefault(key, []).append(i)
        elif name.endswith('_end') and stacks.get(key):
            pairs.append((key[1], stacks[key].pop(), i))
    return pairs


def grouped(n):
    return '{:,}'.format(n)


def exact(ns):
    """What is in the parentheses of an exact duration."""
    return grouped(ns) + ' ns'


def check_lanes(page, events):
    names = page.js('[...document.querySelectorAll("#names .lane")]'
                    '.map(lane => [...lane.querySelectorAll("span")].map('
                    'part => part.textContent))')
    counts, threads = {}, {}
    for event in events:
        tid = event['context']['vtid']
        counts[tid] = counts.get(tid, 0) + 1
        threads[tid] = event['context']['procname']
    check_equal('lanes: thread, name, and number of events', sorted(names),
                sorted([threads[tid], str(tid), grouped(counts[tid])]
                       for tid in counts))
    process = page.text('#names .process')
    check('lanes: their process', 'timeline' in process and
          str(events[0]['pid']) in process, process)
    check('the summary', grouped(len(events)) + ' events' in
          page.text('#summary'), page.text('#summary'))


def check_names(page, events):
    """Each slice that ended, by name; and each event."""
    slices, counts = {}, {}
    for name, begin, end in pair_up(events):
        slice = slices.setdefault(name, [0, '', 0])
        slice[0] += 1
        slice[2] += events[end]['ns'] - events[begin]['ns']
    for event in events:
        counts[event['event']] = counts.get(event['event'], 0) + 1
    # the one without an end is not counted
    slices['app:hang'] = [0, '1', 0]
    rows = page.rows('#by-name')
    check_equal('slices, by name: columns', rows[0],
                ['Name', 'Count', 'Not finished', 'Total', 'Mean', '99 %',
                 'Longest'])
    check_equal('slices, by name', {
        row[0]: [int(row[1]), row[2].replace('0', '')] for row in rows[1:]},
        {name: one[:2] for name, one in slices.items()})
    totals = {row[0]: row[3] for row in rows[1:]}
    for name, (n, _, ns) in slices.items():
        unit = {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}
        number, word = (totals[name] or '0 ns').split()
        check('slices, by name: the total of ' + name, abs(
            float(number) * unit[word] - ns) <= ns / 2000, (totals[name], ns))
    check_equal('events, by name', {
        name: int(n.replace(',', '')) for name, n in page.rows('#events')[1:]},
        counts)
    apart = page.js('[...document.querySelectorAll("#events .swatch")].filter('
                    'one => { const r = document.createRange(), cell = one'
                    '.closest("td"); r.selectNodeContents(cell.lastChild);'
                    'return r.getClientRects()[0].top > one'
                    '.getBoundingClientRect().bottom; }).map(one => one'
                    '.closest("td").innerText)')
    check_equal('long names begin beside their colour', apart, [])


def check_report(page, events):
    pairs = pair_up(events)
    own = [pair for pair in pairs if pair[0] == 'app:request']
    times = sorted(events[end]['ns'] - events[begin]['ns']
                   for _, begin, end in own)
    found = page.search('app:request')
    check_equal('search: all requests', found, str(len(own)))
    page.keys('\ue007', 'query')
    page.wait('timeline.selected !== null')
    _, begin, end = min(own, key=lambda pair: pair[1])
    among = lambda name: page.value('#among', name)
    check_equal('report: name', page.text('#report h2').strip(), 'app:request')
    check_equal('report: how many there are', among('Count'),
                grouped(len(own)))
    check('report: the shortest', exact(times[0]) in among('Shortest'),
          among('Shortest'))
    check('report: the longest', exact(times[-1]) in among('Longest'),
          among('Longest'))
    check('report: the total', exact(sum(times)) in among('Total'),
          among('Total'))
    duration = events[end]['ns'] - events[begin]['ns']
    check('report: its own duration', exact(duration) in
          page.value('#times', 'Duration'), page.value('#times', 'Duration'))
    below = sum(one < duration for one in times)
    rank = float(page.text('#rank').split()[2])
    check('report: its rank', abs(rank - 100 * below / len(times)) <
          0.5 + rank / 100, rank)
    inside = [row[:2] for row in page.rows('#inside')[1:]]
    check_equal('report: what is inside it', inside,
                [['app:step', '3'], ['app:note', '3']])
    steps = sum(
        events[e]['ns'] - events[b]['ns'] for name, b, e in pairs
        if name == 'app:step' and begin < b < end and
        events[b]['context']['vtid'] == events[begin]['context']['vtid'])
    check('report: its own time', exact(duration - steps) in
          page.value('#self', 'Not in slices below it'),
          page.value('#self', 'Not in slices below it'))


def check_tip(page, events):
    """The tooltip over the first request."""
    first = next(e for e in events if e['event'] == 'app:request_begin')
    last = next(e for e in events if e['event'] == 'app:request_end')
    page.keys('f')
    page.wait('timeline.view.end - timeline.view.begin < 1e6')
    page.mouse(*page.point())
    page.wait('!document.getElementById("tip").hidden')
    rows = page.rows('#tip')
    for event in first, last:
        for name, value in list(event['fields'].items()) + list(
                event['context'].items()):
            text = '"%s"' % value if isinstance(value, str) else str(value)
            check('tooltip: %s of %s' % (name, event['event']),
                  [name, text] in rows, rows)
    check('tooltip: cpu_id', ['cpu_id', str(first['cpu_id'])] in rows, rows)


def select_first(page, text):
    page.search(text)
    page.keys('\ue007', 'query')
    page.wait('timeline.hit === 0')
    return dict(row for row in page.rows('#report table.fields')
                if len(row) == 2)


def check_fields(page):
    fields = select_first(page, 'app:types')
    check_equal('field: large', fields.get('large'), '18446744073709551615')
    check_equal('field: small', fields.get('small'), '-9223372036854775808')
    for text in ('0xBEEF', 'true (1)', '[1, -2, 3]', '"last"', '0.1',
                 '0.33333334'):
        check('field: ' + text, text in fields.values(), fields)
    fields = select_first(page, 'app:units')
    check_equal('units', [fields.get(n) for n in ('waited', 'before')],
                ['5.2 ms', '1969-12-31T23:59:59.999Z'])
    check_equal('search: a unit', page.search('waited=5.2ms'), '1')


def check_hostile(page):
    check_equal('search: a name with <, quotes and an emoji',
                page.search("'harm'<!--"), '3')
    # the driver has no key for an emoji
    page.js('timeline.find(arguments[0])', '\'é😀')
    page.wait('document.getElementById("hits").dataset.done === arguments[0]',
              '\'é😀')
    check_equal('search: an emoji', page.text('#hits'), '3 hits')
    page.keys('\ue007', 'query')
    page.wait('timeline.hit === 0')
    check_equal('hostile: the name', page.text('#report h2').strip(),
                'app:' + HOSTILE)
    texts = []
    for hit in range(3):
        page.wait('timeline.hit === arguments[0]', hit)
        texts.append(page.value('#report table.fields:not(#times)', 'text'))
        page.keys('\ue007', 'query')
    check_equal('hostile: strings', texts, [
        '"</script><script>document.title=\'harm\'</script>"',
        '"\\xff\\xfe caf\\xe9 \\x01\\e[31m\\n\\u202e rtl"', '""'])
    check_equal('hostile: no script ran', page.js(
        'document.title.includes("harm")'), False)
    check_equal('hostile: one script, and the data', page.js(
        '[...document.scripts].filter(one => !one.type).length'), 1)


def check_search(page, events):
    odd = sum(e['fields'].get('url') == '/odd' for e in events)
    check_equal('search: a string', page.search('/ODD'), str(odd))
    check_equal('search: a field', page.search('status=3'), str(sum(
        e['fields'].get('status') == 3 for e in events)))
    notes = sum(e['event'] == 'app:note' and e['fields']['id'] > 4
                for e in events)
    check_equal('search: a comparison', page.search('app:note id>4'),
                str(notes))
    check_equal('search: a name as in a rule', page.search('app/note id>4'),
                str(notes))
    pairs = [events[e]['ns'] - events[b]['ns'] for _, b, e in pair_up(events)]
    limit = sorted(pairs)[len(pairs) // 2]
    hang = 1
    check_equal('search: a duration', page.search('dur>%dns' % limit),
                str(sum(one > limit for one in pairs) +
                    hang * hang_longer(events, limit)))
    names = {e['event'] for e in events if HOSTILE not in e['event']}
    for name in sorted(names):
        n = sum(name in e['event'] for e in events)
        for words in name, name.replace(':', '/'), name.split(':')[1]:
            check_equal('search: the event ' + words, page.search(words),
                        str(n))
    slowest = max(pairs)
    for unit, ns in ('min', 60e9), ('h', 3600e9), ('d', 86400e9):
        check_equal('search: a duration in ' + unit, page.search(
            'dur>=%.15f%s' % ((slowest - 0.5) / ns, unit)),
            str(sum(one >= slowest for one in pairs) +
                hang * hang_longer(events, slowest - 1)))
    check_equal('search: nothing', page.search('no-such-word'), '0')
    page.keys('\ue00c', 'query')
    check_equal('Escape: no search', page.js(
        'document.getElementById("query").value'), '')


def hang_longer(events, limit):
    """Whether the slice without an end is longer; it is seen to the end."""
    begin = next(e for e in events if e['event'] == 'app:hang_begin')
    return events[-1]['ns'] - begin['ns'] > limit


def check_quick(page):
    """Enter, before the search has come to its end, is not lost."""
    page.js('timeline.find("app:note"),'
            'document.getElementById("find").requestSubmit()')
    check('Enter at once: the first hit',
          page.wait('timeline.hit === 0 && timeline.selected !== null'))
    page.js('timeline.find("")')


def check_axis(page):
    """No number of the axis is cut off: 15 ms would be 15 m."""
    drawn, cut = page.js("""((prototype, fill) => {
        let drawn = 0, cut = 0;
        prototype.fillText = function (text, x) {
            drawn++;
            cut += x + this.measureText(text).width > 600;
        };
        for (let end = 1e6; end < 1e7; end *= 1.01)
            timeline.scale.draw_axis({ begin: 0, end, width: 600 });
        prototype.fillText = fill;
        timeline.request();
        return [drawn, cut];
    })(CanvasRenderingContext2D.prototype,
       CanvasRenderingContext2D.prototype.fillText)""")
    check('axis: it has numbers', drawn > 500, drawn)
    check_equal('axis: none is cut off', cut, 0)


def check_zoom(page):
    size = lambda view: view[1] - view[0]
    page.keys('0')
    page.wait('Math.abs(timeline.view.begin - timeline.whole().begin) < 1')
    whole = page.range()
    steps = [('+', lambda: page.keys('+')), ('wheel', lambda: page.wheel(-300)),
             ('w', lambda: page.keys('w'))]
    before = whole
    for name, act in steps:
        after = page.moved(act)
        check('zoom in: ' + name, size(after) < 0.9 * size(before) and
              after[0] >= before[0] - 1 and after[1] <= before[1] + 1,
              (before, after))
        before = after
    for name, keys, way in (('right', '\ue014', 1), ('left', '\ue012', -1),
                            ('d', 'd', 1)):
        after = page.moved(lambda: page.keys(keys))
        check('move: ' + name, (after[0] - before[0]) * way > 0 and
              abs(size(after) / size(before) - 1) < 1e-6, (before, after))
        before = after
    after = page.moved(lambda: page.drag(100))
    check('drag: the time follows the mouse', abs(
        (before[0] - after[0]) / size(before) *
        page.js('timeline.view.width') - 100) < 2, (before, after))
    before = after
    after = page.moved(lambda: page.drag(100, shift=True))
    check('Shift and drag: that part', abs(
        size(after) / size(before) * page.js('timeline.view.width') - 100) < 2,
        (before, after))
    before = after
    for name, act in (('-', lambda: page.keys('-')),
                      ('wheel', lambda: page.wheel(300))):
        after = page.moved(act)
        check('zoom out: ' + name, size(after) > 1.1 * size(before),
              (before, after))
        before = after
    after = page.moved(lambda: page.keys('\ue011'))
    check('Home: the whole trace', all(abs(a - b) < 1 for a, b in
                                       zip(after, whole)), (whole, after))
    check('Home: it says so', page.text('#range').startswith('all of '),
          page.text('#range'))


def check_keys(page, events):
    page.js('timeline.select(null)')
    page.keys('.')
    check_equal('full stop: the first slice', page.text('#report h2').strip(),
                'app:request')
    page.keys('.')
    check_equal('and the next: it is inside', page.text('#report h2').strip(),
                'app:step')
    said = page.js('document.getElementById("said").textContent')
    check('a screen reader gets it', 'app:step, slice of ' in said and
          'step 0' in said, said)
    page.keys('.')
    check_equal('and the next', page.text('#report h2').strip(), 'app:note')
    page.keys(',,')
    check_equal('comma: back', page.text('#report h2').strip(), 'app:request')
    page.keys(']')
    second = [e['context']['vtid'] for e in events]
    check('bracket: the lane below', str(max(second)) in
          page.value('#times', 'In'), page.value('#times', 'In'))
    page.keys('?')
    check_equal('question mark: help', page.js(
        'document.getElementById("help").open'), True)
    page.browser.find_element('css selector', '#help button').click()
    page.keys('/')
    check_equal('slash: the search box', page.js('document.activeElement.id'),
                'query')
    page.js('timeline.plot.focus()')
    page.keys('\ue00c')
    check_equal('Escape: nothing is selected', page.js('timeline.selected'),
                None)


def check_mouse(page):
    select_first(page, 'app:request')
    page.keys('f')
    page.wait('!timeline.requested')
    x, y = page.point()
    page.keys('\ue00c')
    check_equal('nothing is selected', page.js('timeline.selected'), None)
    page.js('timeline.zoom_to(timeline.item_at(...arguments[0]))',
            page.js('(at => [arguments[0] - at.left, arguments[1] - at.top])'
                    '(timeline.plot.getBoundingClientRect())', x, y))
    page.wait('!timeline.requested')
    page.mouse(x, y, click=True)
    check_equal('click: the slice is selected', page.text('#report h2')
                .strip(), 'app:request')


def check_hang(page):
    fields = select_first(page, 'app:hang')
    check_equal('without an end: its field', fields.get('why'), '"it hangs"')
    check('without an end: it says so', 'not finished' in
          page.text('#report'), page.text('#report'))


def check_schemes(page):
    color = ('getComputedStyle(document.body).backgroundColor'
             '.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)')
    canvas = ('(() => { const c = document.getElementById("picture"),'
              'd = c.getContext("2d").getImageData(5, c.height - 5, 1, 1)'
              '.data; return d[0] + d[1] + d[2]; })()')
    for scheme, dark in ('light', False), ('dark', True):
        page.browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
        page.wait('document.documentElement.dataset.scheme === arguments[0]',
                  scheme)
        frames = page.js('timeline.frames')
        page.js('timeline.request()')
        page.wait('timeline.frames > arguments[0]', frames)
        check_equal('%s: the page' % scheme, page.js(color) < 300, dark)
        check_equal('%s: the picture' % scheme, page.js(canvas) < 300, dark)
    page.browser.find_element('id', 'scheme').click()
    check_equal('the button: the other scheme', page.js(
        'document.documentElement.dataset.scheme'), 'light')


def check_narrow(page):
    """In a narrow window, the report is below; and nothing is cut off."""
    select_first(page, 'app:request')
    for width, height in (800, 600), (420, 800):
        page.browser.set_window_size(width, height)
        page.wait('innerWidth === arguments[0]', width)
        cut = page.js('[...document.querySelectorAll("header *, #report,'
                      '#hint")].filter(one => { const box = one'
                      '.getBoundingClientRect(); return box.right > innerWidth'
                      ' || box.bottom > innerHeight; }).map(one => one.id ||'
                      'one.tagName)')
        check_equal('%d pixels: nothing is cut off' % width, cut, [])
        check('%d pixels: chart and report have room' % width, page.js(
            '["scroll", "report"].every(id => document.getElementById(id)'
            '.clientHeight > 70)'))
    page.browser.set_window_size(1400, 900)


def check_closed(page, path):
    """The page asks for nothing, and its policy lets nothing be asked for."""
    policy = page.js('document.querySelector("meta[http-equiv]").content')
    check('policy: nothing from anywhere', "default-src 'none'" in policy and
          'unsafe' not in policy and 'http:' not in policy, policy)
    page.js('(() => { const made = document.createElement("script");'
            'made.textContent = "document.title = \'harm\'";'
            'document.body.append(made); })()')
    check_equal('policy: another script does not run', page.js(
        'document.title.includes("harm")'), False)
    check('policy: a request is refused', page.browser.execute_async_script(
        'fetch("http://127.0.0.1:9/").then(() => arguments[0](false),'
        '() => arguments[0](true))'))
    sources = page.js('performance.getEntriesByType("resource").map('
                      'one => one.name).filter(name =>'
                      '!name.includes("127.0.0.1:9"))')
    check_equal('no resource', sources, [])
    check_equal('one request: the page', [url for url in page.requests()
                if '127.0.0.1:9' not in url], [pathlib.Path(path).as_uri()])
    errors = [entry['message'] for entry in page.browser.get_log('browser')
              if entry['level'] == 'SEVERE' and
              'Content Security Policy' not in entry['message'] and
              '127.0.0.1:9' not in entry['message']]
    check_equal('no error in the console', errors, [])


def whole(page, path, json_path):
    events = read_events(json_path)
    check_lanes(page, events)
    check_names(page, events)
    check_report(page, events)
    check_tip(page, events)
    check_fields(page)
    check_hostile(page)
    check_search(page, events)
    check_quick(page)
    check_axis(page)
    check_zoom(page)
    check_keys(page, events)
    check_mouse(page)
    check_hang(page)
    check_schemes(page)
    check_narrow(page)
    check_closed(page, path)


def density(page, path, number):
    notice = page.text('#notices')
    check('density: it says so', grouped(int(number)) + ' events, more '
          'than ' in notice and 'dense' in notice, notice)
    check_equal('density: no event by itself', page.js('timeline.model.n'), 0)
    times = page.js('(m => Array.from(m.span_to).slice(0, m.spans).map('
                    '(to, i) => to - m.span_from[i]))(timeline.model)')
    check_equal('density: some slices', len(times), 4096)
    page.keys('.')
    page.wait('timeline.selected !== null')
    report = page.text('#report')
    check('density: a report tells that it is of a part of the slices',
          re.search(r'Among [0-9,]+ of [0-9,]+ slices of this name\n+Loaded '
                    'are the longest', report), report)
    check('density: it does not say that a slice is empty',
          page.js('document.getElementById("unloaded") !== null'), report)
    page.js('document.querySelectorAll("#report button").forEach(b =>'
            'b.click())')
    check('density: the longest stays selected when events are loaded',
          page.wait('timeline.model.n > 0 && document.getElementById('
                    '"report").innerText.includes("This is the longest.")'))
    rank = page.text('#rank')
    check('density: the longest is not longer than itself',
          float(rank.split()[2]) < 100, rank)
    page.keys('\ue00c')
    page.moved(lambda: page.keys('\ue011'))
    page.wait('timeline.model.n === 0')
    check_equal('density: all are counted', page.js(
        'timeline.head.lane_density.map(lane => lane.bins.reduce('
        '(a, b) => a + b, 0)).reduce((a, b) => a + b, 0)'), int(number))
    page.keys('app:note', 'query')
    page.wait('document.getElementById("hits").dataset.done')
    check_equal('density: a search says that it finds nothing',
                page.text('#hits'), 'zoom in to search')
    page.js('timeline.find("")')
    # to the middle, in steps, until the events there are loaded
    for _ in range(40):
        page.moved(lambda: page.keys('+'))
        if page.js('timeline.wanted && timeline.wanted !== "0-0"'):
            break
    check('density: events where one zooms in',
          page.wait('timeline.model.n > 0'))
    check('density: no more than it shows at once', page.js(
        'timeline.model.n <= timeline.head.each'))
    check('density: the slices before were the longest', page.js(
        '(m => m.order.filter(i => m.span_first[i] >= 0 && m.span_last[i] <'
        'm.n && m.span_to[i] - m.span_from[i] > arguments[0]).length <='
        'arguments[1])(timeline.model)', max(times), 0) and page.js(
        '(m => m.order.filter(i => m.span_to[i] - m.span_from[i] > '
        'arguments[0]).length <= arguments[1])(timeline.model)', min(times),
        len(times)))
    check('density: slices and their fields', page.js(
        '(() => { const m = timeline.model, i = m.order.find(i =>'
        'm.has(m.span_first[i]) && m.has(m.span_last[i]) &&'
        'timeline.report.name(i) === "app:step"), value = event =>'
        'm.fields(event)[0].join(" "); return i >= 0 && value('
        'm.span_first[i]) === value(m.span_last[i]); })()'))
    page.moved(lambda: page.keys('\ue011'))
    check('density: and back', page.wait('timeline.model.n === 0'))


def most(page, path, number):
    says(page, path, 'on are here as density only')
    check_equal('most: all are counted', page.js(
        'timeline.head.density.bins.reduce((a, b) => a + b, 0)'), int(number))
    check_equal('most: so many are there', page.js(
        'timeline.head.chunks.reduce((sum, one) => sum + one.n, 0)'), 6000000)
    check('most: where a slice cannot begin, none ends', page.js(
        'timeline.head.pairs.every(one => one.begin < 6000000)'))


def lost(page, path, number):
    says(page, path, grouped(int(number)) + ' events lost')
    red = ('(() => { const c = document.getElementById("overview"), d = c'
           '.getContext("2d").getImageData(0, c.height - 3, c.width, 1).data;'
           'let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] >'
           '2 * d[i + 1]; return n; })()')
    check('losses: red in the overview', page.js(red) > 0)


def slices(page, path, wanted):
    with open(wanted) as file:
        wanted = json.load(file)
    got = page.js('(m => Array.from(m.order, i => [timeline.report.name(i),'
                  'm.span_from[i], m.span_to[i], m.span_fate[i] === 0]))'
                  '(timeline.model)')
    check_equal('the page: its slices', sorted(
        [name, begin + wanted['first'], end + wanted['first'], finished]
        for name, begin, end, finished in got), wanted['slices'])


def says(page, path, text):
    check('the page says: ' + text, text in page.text('#notices'),
          page.text('#notices'))


def main(arguments):
    if arguments == ['need']:
        print(need())
        return
    page = Page()
    try:
        for what, path, argument in zip(*[iter(arguments)] * 3):
            page.open(path)
            globals()[what](page, path, argument)
    finally:
        page.browser.quit()


if __name__ == '__main__':
    main(sys.argv[1:])
