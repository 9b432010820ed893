# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests that speak gdb's remote protocol themselves share: results,
a connection to the stub, a traced program, trace frames."""
import os
import socket
import struct
import subprocess
import time


def check(name, good, found=None):
    if not good:
        print('# found: %r' % (found,))
    print('%s: %s' % ('PASS' if good else 'FAIL', name), flush=True)
    return good


def check_equal(name, got, want):
    return check(name, got == want, 'got %r, not %r' % (got, want))


def frame(payload):
    if isinstance(payload, str):
        payload = payload.encode()
    escaped = b''.join(b'}' + bytes([c ^ 0x20]) if c in b'#$}' else bytes([c])
                       for c in payload)
    return b'$' + escaped + b'#%02x' % (sum(escaped) & 255)


def unescape(data):
    if b'}' not in data:
        return bytes(data)
    out, i = bytearray(), 0
    while i < len(data):
        if data[i] == ord('}'):
            i += 1
            out.append(data[i] ^ 0x20)
        else:
            out.append(data[i])
        i += 1
    return bytes(out)


class Stub:
    """A connection, past its handshake unless `acks`."""

    def __init__(self, path, acks=False):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)  # blocking: others may queue before us
        self.socket.settimeout(120)
        self.rest = b''
        if not acks:
            self.ask('QStartNoAckMode')
            self.socket.sendall(b'+')

    def more(self):
        got = self.socket.recv(65536)
        if not got:
            raise EOFError
        self.rest += got

    def answer(self):
        while True:
            start = self.rest.find(b'$')
            end = self.rest.find(b'#', start)
            if start >= 0 and 0 <= end and end + 2 < len(self.rest):
                break
            self.more()
        data = self.rest[start + 1:end]
        good = int(self.rest[end + 1:end + 3], 16) == sum(data) & 255
        self.rest = self.rest[end + 3:]
        return unescape(data) if good else b'(bad checksum)'

    def ask(self, payload):
        self.socket.sendall(frame(payload))
        return self.answer()

    def byte(self):
        while not self.rest:
            self.more()
        first, self.rest = self.rest[:1], self.rest[1:]
        return first

    def drain(self):
        self.socket.setblocking(False)
        try:
            while self.socket.recv(65536):
                pass
        except BlockingIOError:
            pass
        self.socket.settimeout(120)

    def close(self):
        self.socket.close()

    def open_file(self, path, flags=0):
        return self.ask('vFile:open:%s,%x,0' % (path.encode().hex(), flags))

    # Tracing. What is refused raises, but for those that return answers.

    def must(self, *packets):
        for packet in packets:
            got = self.ask(packet)
            if got != b'OK':
                raise AssertionError('%s: %r' % (packet, got))

    def markers(self):
        """The addresses of each marker's code, by its id."""
        found = {}
        got = self.ask('qTfSTM')
        while got.startswith(b'm'):
            address, name = got[1:].split(b':')[:2]
            name = bytes.fromhex(name.decode()).decode()
            found.setdefault(name, []).append(int(address, 16))
            got = self.ask('qTsSTM')
        return found

    def point(self, number, address, *actions, condition=None, passes=0,
              enabled=True):
        """Defines a tracepoint; returns the first answer that is not OK."""
        packet = 'QTDP:%x:%x:%s:0:%x' % (number, address,
                                         'E' if enabled else 'D', passes)
        if condition is not None:
            packet += ':X%x,%s' % (len(condition) // 2, condition)
        got = self.ask(packet + ('-' if actions else ''))
        for i, action in enumerate(actions):
            if got != b'OK':
                break
            got = self.ask('QTDP:-%x:%x:%s%s' %
                           (number, address, action,
                            '-' if i + 1 < len(actions) else ''))
        return got

    def status(self):
        """qTStatus as a dict; numbers are numbers. `run` and `why` too."""
        parts = self.ask('qTStatus').decode().split(';')
        status = {'run': parts[0] == 'T1', 'why': parts[1]}
        for part in parts[2:]:
            key, _, value = part.partition(':')
            text = key in ('username', 'notes')
            status[key] = bytes.fromhex(value).decode() if text \
                else int(value, 16)
        return status

    def hits(self, number, address):
        got = self.ask('qTP:%x:%x' % (number, address)).decode()
        return int(got[1:].split(':')[0], 16)

    def find(self, what):
        """QTFrame; returns frame and tracepoint, or None."""
        got = self.ask('QTFrame:' + what).decode()
        if got == 'F-1':
            return None
        number, _, point = got[1:].partition('T')
        return int(number, 16), int(point, 16)

    def document(self, name):
        whole = b''
        while True:
            part = self.ask('qXfer:%s:read::%x,1f00' % (name, len(whole)))
            if part[:1] not in b'lm' or not part:
                return None
            whole += part[1:]
            if part[:1] == b'l':
                return whole.decode()

    def fields(self, number):
        """A frame's own values, and those of its marker's fields."""
        got = self.ask('qTaffrail:frame:%x' % number)
        if got == b'E01':
            return None
        found = {}
        for line in bytes.fromhex(got.decode()).decode().splitlines():
            key, _, value = line.partition('=')
            if key.startswith('field '):
                key, value = key[6:], value.partition(':')[2]
            found[key] = value
        return found

    def read(self, address, n):
        got = self.ask('m%x,%x' % (address, n))
        return None if got[:1] == b'E' else bytes.fromhex(got.decode())

    def number(self, address, n=8):
        got = self.read(address, n)
        return None if got is None else int.from_bytes(got, 'little')

    def registers(self):
        """g: the sixteen and rip, or None where they were not collected."""
        got = self.ask('g').decode()
        return [None if 'x' in got[i:i + 16] else
                int.from_bytes(bytes.fromhex(got[i:i + 16]), 'little')
                for i in range(0, 17 * 16, 16)]

    def saved(self):
        """All frames as trace files have them: tracepoint, blocks."""
        raw, frames = bytearray(), []
        while True:
            got = self.ask('qTBuffer:%x,1f00' % len(raw))
            if got == b'l':
                break
            raw += bytes.fromhex(got.decode())
        at = 0
        while at < len(raw):
            point, size = struct.unpack_from('<HI', raw, at)
            frames.append((point, blocks(raw[at + 6:at + 6 + size])))
            at += 6 + size
        return frames


def blocks(raw):
    """A saved frame's blocks: kind, and what it has."""
    found, at = [], 0
    while at < len(raw):
        kind = chr(raw[at])
        if kind == 'R':
            found.append((kind, raw[at + 1:at + 165]))
            at += 165
        elif kind == 'M':
            address, n = struct.unpack_from('<QH', raw, at + 1)
            found.append((kind, address, raw[at + 11:at + 11 + n]))
            at += 11 + n
        elif kind == 'V':
            found.append((kind,) + struct.unpack_from('<iq', raw, at + 1))
            at += 13
        else:
            raise AssertionError('a block %r' % kind)
    return found


def register(block, number):
    return struct.unpack_from('<Q', block, 8 * number)[0]


class Program:
    """A program with the agent, whose gdb.sock is open. It says "ready" and
    words of the form NAME=VALUE in its first line, and answers each line of
    its input with one."""

    def __init__(self, *argv, **environment):
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=dict(os.environ, TAFFRAIL_GDB='on', **environment))
        self.pid = self.process.pid
        self.words = {}
        for word in self.line().split()[1:]:
            name, _, value = word.partition('=')
            self.words[name] = int(value, 0)

    def line(self):
        return self.process.stdout.readline().decode().strip()

    def say(self, line):
        self.process.stdin.write((line + '\n').encode())
        self.process.stdin.flush()

    def ask(self, line):
        self.say(line)
        return self.line()

    def directory(self, pid=None):
        start = '%d.' % (pid or self.pid)
        for name in os.listdir(os.environ['TAFFRAIL_DIR']):
            if name.startswith(start):
                return os.path.join(os.environ['TAFFRAIL_DIR'], name)
        return None

    def connect(self, pid=None):
        end = time.time() + 120
        while True:
            try:
                return Stub(os.path.join(self.directory(pid) or '/',
                                         'gdb.sock'))
            except OSError:
                if time.time() > end:
                    raise
                time.sleep(0.01)

    def service(self):
        """The directory in /proc of the agent's thread."""
        top = '/proc/%d/task' % self.pid
        for task in os.listdir(top):
            with open('%s/%s/comm' % (top, task)) as f:
                if f.read().strip() == 'taffrail':
                    return '%s/%s' % (top, task)
        return None

    def resources(self):
        """How many descriptors and mappings there are."""
        with open('/proc/%d/maps' % self.pid) as f:
            return len(os.listdir(self.service() + '/fd')), len(f.readlines())

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(120)
        self.process.stdout.close()
        return status
