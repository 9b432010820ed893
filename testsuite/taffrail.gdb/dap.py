# SPDX-License-Identifier: LGPL-2.1-or-later
"""dap.py GDB EXTENSION SOCKET PROGRAM SOURCE INPUT LOOP END: log points of an
editor, by the Debug Adapter Protocol, while the program runs on. INPUT asks the
program for requests; LOOP and END are lines of its source."""
import json
import queue
import re
import subprocess
import sys
import threading
import time

from rsp import check, check_equal

(gdb_program, extension, path, program, source, fifo, loop, end) = sys.argv[1:]


class Editor:
    def __init__(self):
        self.gdb = subprocess.Popen(
            [gdb_program, '-nx', '-q', '-i=dap', '-iex', 'set sysroot /',
             '-iex', 'set remotetimeout 60', '-iex', 'source ' + extension],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sequence, self.seen = 0, []
        self.answers, self.events = queue.Queue(), queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            length = 0
            while True:
                line = self.gdb.stdout.readline()
                if not line:
                    return
                if not line.strip():
                    break
                length = int(line.split(b':')[1])
            message = json.loads(self.gdb.stdout.read(length))
            self.seen.append(message)
            (self.answers if message['type'] == 'response' else
             self.events).put(message)

    @staticmethod
    def find(messages, what, seconds):
        """Returns the next message for which `what` holds, or None."""
        limit = time.monotonic() + seconds
        try:
            while True:
                got = messages.get(timeout=max(0, limit - time.monotonic()))
                if what(got):
                    return got
        except queue.Empty:
            return None

    def send(self, command, **arguments):
        self.sequence += 1
        text = json.dumps({'seq': self.sequence, 'type': 'request',
                           'command': command, 'arguments': arguments})
        self.gdb.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (
            len(text), text.encode()))
        self.gdb.stdin.flush()
        return self.sequence

    def answer(self, number):
        return self.find(self.answers, lambda m: m['request_seq'] == number,
                         120) or {}

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def points(self, *points):
        answer = self.ask('setBreakpoints', source={'path': source},
                          breakpoints=list(points))
        return answer.get('body', {}).get('breakpoints', [answer])

    def event(self, name, seconds=120):
        return self.find(self.events, lambda m: m['event'] == name, seconds)

    def printed(self, seconds):
        """Returns the next text of a log point, or None."""
        got = self.find(self.events, lambda m: m['event'] == 'output'
                        and re.match('end|20x', m['body']['output']), seconds)
        return got and got['body']['output']

    def shown(self, command):
        return self.ask('evaluate', expression=command,
                        context='repl').get('body', {}).get(
                            'result', '').strip()


def point(line, message, **more):
    return dict(line=int(line), logMessage=message, **more)


CLASSES = 'python print([type(b).__name__ for b in gdb.breakpoints()])'


def serve(number):
    with open(fifo, 'w') as file:
        file.write('%d\n' % number)


def printed_round(editor):
    """Lets gdb wait for the program. Returns the texts of requests behind the
    first, in order: how many came of that is not known, as gdb may not wait
    yet."""
    editor.send('continue', threadId=1)
    for _ in range(60):
        serve(1)
        if editor.printed(1):
            break
    serve(3)
    texts = []
    while sum(text.startswith('end 2') for text in texts) < 2:
        texts.append(editor.printed(60) or 'end 2 did not come')
    return sorted(text for text in texts if not text.startswith('end 0'))


editor = Editor()
check('initialize', editor.ask('initialize', adapterID='t').get('success'))
END = point(end, 'end {r->id} of {r->url}, 100% "\\" {length} {sum}')
DECIMAL = point(loop, '{(double)i}')
before = editor.points(END, DECIMAL)
check('a log point before there is a program', before[0].get('id'), before)
check_equal("they are gdb's own", editor.shown(CLASSES),
            "['_PrintBreakpoint', '_PrintBreakpoint']")
attach = editor.send('attach', target=path, program=program)
check('configurationDone', editor.ask('configurationDone').get('success'))
check('attach', editor.answer(attach).get('success'), editor.seen)
check('it stops for gdb', editor.event('stopped'))
check_equal("none is gdb's own", editor.shown(CLASSES), '[]')
check('one that was set before is refused', [
    m for m in editor.seen if m.get('event') == 'breakpoint'
    and m['body']['breakpoint'].get('id') == before[1].get('id')
    and 'of type double' in m['body']['breakpoint'].get('message', '')])
check_equal('texts of a program that runs', printed_round(editor), [
    'end %d of %s, 100%% "\\" 3 %d\n' % (i, url, 3 * i)
    for i, url in ((1, '/index'), (2, '/about')) for _ in range(2)])
editor.send('pause', threadId=1)
check('pause', editor.event('stopped'))
same, loops, decimal, whole, counted, inside, nowhere, call = got = editor.points(
    END, point(loop, '{i}{r} {*urls}', condition='r->id == 1 && i == 2'),
    DECIMAL, point(loop, '{*r}'),
    point(loop, '{i}', hitCondition='3'), point(9999, 'x'),
    point(loop, '{nothing}'), point(loop, '{handle(r, i)}'))
check('one that stays is the same', same['verified']
      and same['id'] == before[0]['id'], got)
check('a condition', loops['verified'], got)
for name, one, why in (
        ('floating-point numbers', decimal, 'of type double'),
        ('structures', whole, 'of type struct request'),
        ('counts of hits', counted, 'does not count'),
        ('no such variable', nowhere, 'nothing'),
        ('calls', call, 'cannot translate')):
    check(name + ': refused', not one['verified']
          and why in one.get('message', ''), one)
check('no such line', not inside['verified'], inside)
texts = printed_round(editor)
check('a condition prints', len(texts) == 6 and all(
    re.fullmatch(r'20x[0-9a-f]+ /\n', text) for text in texts[:2]), texts)
editor.send('pause', threadId=1)
check('another pause', editor.event('stopped'))
editor.points(END)
editor.shown('disconnect')
check_equal("gdb's own again", editor.shown(CLASSES), "['_PrintBreakpoint']")
check('none was removed', not [
    m for m in editor.seen if m.get('event') == 'breakpoint'
    and m['body']['reason'] == 'removed'
    and m['body']['breakpoint'].get('id') == before[0]['id']])
editor.ask('disconnect')
check('gdb ends', editor.gdb.wait(120) == 0)
