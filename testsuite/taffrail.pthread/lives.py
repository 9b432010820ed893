# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares how long threads lived, as report and export say it, with the times
# of their events.
#	lives.py EVENTS REPORT SLICES [PERFETTO DIRECTORY]
# EVENTS is of export --format json, REPORT of report --json. SLICES is written:
# the slices that timeline must show, for timeline.py; DIRECTORY has perfetto.py
import json
import sys

ALONE = {'pthread:exit_entry'}          # of a function that does not return


def check_equal(name, got, want):
    print(('PASS: ' if got == want else 'FAIL: ') + name)
    if got != want:
        print('  got %r, not %r' % (got, want))


def paired(name):
    """Returns the kind of an event, and whether it ends a pair."""
    if name == 'pthread:thread_start':
        return 'pthread:thread', False
    kind, word = name.rsplit('_', 1)
    return kind, word == 'exit'


def slices_of(events):
    """Returns [name, begin, end, finished] of each call and each thread."""
    open_calls, slices = {}, []
    for event in events:
        if event['event'] in ALONE:
            continue
        calls = open_calls.setdefault(event['context']['vtid'], [])
        name, ends = paired(event['event'])
        if not ends:
            calls.append((name, event['ns']))
            continue
        while calls:
            inner, begin = calls.pop()
            slices.append([inner, begin, event['ns'], inner == name])
            if inner == name:
                break
    for calls in open_calls.values():
        slices += [[name, begin, events[-1]['ns'], False]
                   for name, begin in calls]
    return sorted(slices)


def check_threads(events, slices):
    """The program's own promise: three threads end, a wait and one do not."""
    check_equal('threads that started', sum(
        e['event'] == 'pthread:thread_start' for e in events), 4)
    check_equal('threads that ended', sum(
        one[0] == 'pthread:thread' and one[3] for one in slices), 3)
    check_equal('what did not return', sorted(
        one[0] for one in slices if not one[3]),
        ['pthread:cond_wait', 'pthread:thread'])
    last = events[-1]['ns']
    wait = next(one for one in slices if one[0] == 'pthread:cond_wait')
    check_equal('the cancelled wait ends before the trace', wait[2] < last,
                True)
    main = events[0]['context']['vtid']
    check_equal('the main thread writes no start', any(
        e['event'] == 'pthread:thread_start' and e['context']['vtid'] == main
        for e in events), False)


def check_report(report, slices):
    want = {}
    for name, begin, end, finished in slices:
        row = want.setdefault(name, [0, 0, 0])
        if finished:
            row[0] += 1
            row[1] += end - begin
        else:
            row[2] += 1
    got = {pair['name']: [pair['count'], pair.get('sum', 0),
                          pair['unfinished']] for pair in report['pairs']}
    check_equal('report: count, sum and unfinished', got, want)
    check_equal('report: no end without a begin', [
        pair['name'] for pair in report['pairs'] if pair['unbegun']], [])
    open_ones = sorted([one['name'], one['begin'], one['end']]
                       for one in report['unfinished'])
    check_equal('report: what is unfinished', open_ones,
                [one[:3] for one in slices if not one[3]])


def check_perfetto(path, slices, last):
    import perfetto
    got = sorted([name, ns, last if duration is None else ns + duration]
                 for _, _, name, _, duration, ns in
                 perfetto.Trace(path).slices())
    want = sorted([name.split(':')[1], begin, end]
                  for name, begin, end, _ in slices)
    check_equal('export perfetto: the slices',
                [[name.split(':')[-1], *times] for name, *times in got], want)


def main():
    with open(sys.argv[1]) as lines:
        events = [json.loads(line) for line in lines]
    with open(sys.argv[2]) as file:
        report = json.load(file)
    slices = slices_of(events)
    with open(sys.argv[3], 'w') as file:
        json.dump({'first': events[0]['ns'], 'slices': slices}, file)
    check_threads(events, slices)
    check_report(report, slices)
    if len(sys.argv) > 4:
        sys.path.append(sys.argv[5])
        check_perfetto(sys.argv[4], slices, events[-1]['ns'])


main()
