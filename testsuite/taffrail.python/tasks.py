# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coroutines of one thread that do not nest: the first to begin ends first.

tasks.py                            runs them, traced
tasks.py check EVENTS REPORT SLICES compares the pairs of report --json with the
                                    numbers that the events have; SLICES is
                                    written for timeline.py
"""
import asyncio
import json
import sys

TASKS = 5


def run():
    import taffrail

    @taffrail.trace("app/leaf")
    def leaf():
        pass

    @taffrail.trace("app/fetch")
    async def fetch(gate, begun):
        with taffrail.scope("app/part", n=1):
            begun.set()
            leaf()
            await gate.wait()

    async def tasks():
        gates = [asyncio.Event() for _ in range(TASKS)]
        running = []
        for gate in gates:
            begun = asyncio.Event()
            running.append(asyncio.ensure_future(fetch(gate, begun)))
            await begun.wait()
        for gate, task in zip(gates, running):
            gate.set()
            await task

    asyncio.run(tasks())


def check(events, report, slices):
    with open(events) as lines:
        events = [json.loads(line) for line in lines]
    with open(report) as file:
        report = json.load(file)
    begun, pairs = {}, []
    for event in events:
        name, word = event['event'].rsplit('_', 1)
        span = event['fields']['span']
        if word == 'begin':
            begun[span] = event['ns']
        else:
            pairs.append([name, begun.pop(span), event['ns']])
    pairs.sort()
    with open(slices, 'w') as file:
        json.dump({'first': events[0]['ns'],
                   'slices': [pair + [True] for pair in pairs]}, file)
    got = sorted([one['name'], one['begin'], one['end']]
                 for one in report['slowest'])
    counts = sorted((pair['name'], pair['count'], pair['unfinished'],
                     pair['unbegun']) for pair in report['pairs'])
    for name, good in (
            ('the program makes its pairs', len(pairs) == 3 * TASKS),
            ('pairs are of one number', got == pairs),
            ('each pair is counted', counts == [
                (name, TASKS, 0, 0)
                for name in ('app:fetch', 'app:leaf', 'app:part')])):
        print('PASS:' if good else 'FAIL:', name)
        if not good:
            print('  got:', got, 'not', pairs, counts)


if sys.argv[1:2] == ['check']:
    check(*sys.argv[2:])
else:
    run()
