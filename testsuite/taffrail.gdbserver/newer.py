#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gdbserver without what release 17 removed, made of the one that is installed.

In place of gdbserver: becomes it, with its arguments, and leaves a process
between it and what it talks to. As gdbserver 18.1 answers it:

    qTfSTM, qTsSTM, qTSTMat, qXfer:statictrace    no answer
    QTDP with :S                                  a plain tracepoint
    action L                                      left out, with all behind it
    qSupported                                    tells of none of these

GDBSERVER_REAL in the environment is the path of the real one."""
import os
import re
import select
import socket
import sys

GONE = (b"qTfSTM", b"qTsSTM", b"qTSTMat:", b"qXfer:statictrace:")
ACTION = re.compile(rb"S|R[0-9a-fA-F]*|M-?[0-9a-f]+,[0-9a-f]+,[0-9a-f]+"
                    rb"|X([0-9a-f]+),")
PACKET = re.compile(rb"\$([^#]*)#..", re.S)


def without_static(actions):
    """Up to the first L that is an action."""
    at = 0
    while at < len(actions) and actions[at:at + 1] != b"L":
        match = ACTION.match(actions, at)
        if not match:
            return actions
        at = match.end() + 2 * int(match.group(1) or b"0", 16)
    more = b"-" if at < len(actions) and actions.endswith(b"-") else b""
    return actions[:at] + more


def request(text):
    if text.startswith(GONE):
        return b"qGone"
    if text.startswith(b"QTDP:-"):
        head = re.match(rb"QTDP:-[0-9a-f]+:[0-9a-f]+:", text)
        return head.group() + without_static(text[head.end():])
    if text.startswith(b"QTDP:"):
        return re.sub(rb":S(?=[:-]|$)", b"", text)
    return text


def answer(text):
    if text.startswith(b"PacketSize="):
        for word in b";StaticTracepoints+", b";qXfer:statictrace:read+":
            text = text.replace(word, b"")
    return text


def rewrite(data, change):
    """What can be sent of the bytes; what is to wait for more of them."""
    out = b""
    while True:
        begin = data.find(b"$")
        if begin < 0:
            return out + data, b""
        match = PACKET.match(data, begin)
        if not match:
            return out + data[:begin], data[begin:]
        text = change(match.group(1))
        out += data[:begin] + b"$%s#%02x" % (text, sum(text) & 255)
        data = data[match.end():]


def relay(near, far):
    """Between a filter and the server, until one of them ends."""
    held = {near: b"", far: b""}
    while True:
        for side in select.select([near, far], [], [])[0]:
            data = side.recv(65536)
            to, change = (far, request) if side is near else (near, answer)
            out, held[side] = rewrite(held[side] + data, change)
            to.sendall(out)
            if not data:
                return


def quietly(near, far):
    try:
        relay(near, far)
    except OSError:
        pass
    near.close()
    far.close()


def accept(listener, real):
    """The next connection, up to its end; one may have gone again."""
    try:
        near = listener.accept()[0]
    except BlockingIOError:
        return
    near.setblocking(True)
    quietly(near, socket.create_connection(("127.0.0.1", real)))


def serve_port(port, real, messages):
    """Connections, one after another, once the real one listens."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.setblocking(False)
    sides = [messages]
    while True:
        for side in select.select(sides, [], [])[0]:
            if side is listener:
                accept(listener, real)
                continue
            line = messages.readline()
            if not line:
                return
            if line == b"Listening on port %d\n" % real:
                listener.listen()
                sides.append(listener)
                line = b"Listening on port %d\n" % port
            os.write(2, line)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def apart(others, work, *args):
    """Runs it in a process that is not this one's child, and has not the end
    of the OTHERS: it is to see when that closes."""
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(others)
            try:
                work(*args)
            finally:
                os._exit(0)
        os._exit(0)
    os.wait()


def main(argv):
    real = os.environ["GDBSERVER_REAL"]
    ports = [i for i, word in enumerate(argv)
             if re.fullmatch(r"127\.0\.0\.1:\d+", word)]
    if ports:
        port, other = int(argv[ports[0]].split(":")[1]), free_port()
        argv[ports[0]] = "127.0.0.1:%d" % other
        reader, writer = os.pipe()
        apart(writer, serve_port, port, other, os.fdopen(reader, "rb", 0))
        os.dup2(writer, 2)
    elif "-" in argv:
        near = socket.socket(fileno=os.dup(0))
        far, own = socket.socketpair()
        apart(own.fileno(), quietly, near, far)
        for fd in 0, 1:
            os.dup2(own.fileno(), fd)
    os.execv(real, argv)


main(sys.argv)
