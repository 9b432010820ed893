# SPDX-License-Identifier: LGPL-2.1-or-later
# Talks to an agent as no command would: argv[1] is its socket. Prints results.
import os, random, signal, socket, struct, sys, time

MAGIC, VERSION = 0x4d524654, 2
HELLO, LIST, START, STATUS = 1, 2, 3, 9
path = sys.argv[1]

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.settimeout(60)
    return s

def head(type, length, version=VERSION, magic=MAGIC):
    return struct.pack("<IHHIi", magic, version, type, length, 0)

def read(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            return None
        data += more
    return data

def answer(s):
    data = read(s, 16)
    if data is None:
        return None
    magic, version, type, length, status = struct.unpack("<IHHIi", data)
    return type, status, read(s, length) if length else b""

def ask(type, payload=b"", **more):
    with connect() as s:
        s.sendall(head(type, len(payload), **more) + payload)
        try:
            return answer(s)
        except ConnectionResetError:
            return None

def check(name, value):
    print("PASS:" if value else "FAIL:", name)

def well():
    got = ask(HELLO)
    return got and got[1] == 0 and b"pid=" in got[2]

def send_and_leave(data):
    s = connect()
    try:
        s.sendall(data)
    except OSError:
        pass
    s.close()

check("hello", well())
got = ask(HELLO, version=1)
check("another version is refused by number",
      got and got[1] == -71 and got[2] == b"version=2\n")
got = ask(HELLO, b"x" * 100, version=9999)
check("with a payload, too", got and got[1] == -71)
check("another magic is hung up on", ask(HELLO, magic=1) is None)
got = ask(77)
check("an unknown request", got and got[1] == -38 and got[2] == b"cause=208\n")
check("type 0 and the highest", ask(0)[1] == -38 and ask(65535)[1] == -38)

for payload in (b"", b"name=\n", b"name=a/b\nmode=discard\n", b"name=\0\n",
                b"\0" * 1000, b"=" * 1000, b"name=x\nmode=sideways\n",
                b"name=x\nbuffer=99999999999999999999\n",
                b"name=x\nbuffer=-1\n", b"name=x\ncontext=moon\n",
                b"name=" + b"n" * 60000 + b"\n",
                b"name=x\nrule=" + b"r" * 60000 + b"\n",
                b"name=x\n" + b"rule=*\n" * 5000):
    got = ask(START, payload)
    check("start refused: %r" % payload[:28], got and got[1] < 0)
got = ask(STATUS)
check("no session came of it", got == (STATUS, 0, b""))

random.seed(1)
for i in range(300):
    send_and_leave(random.randbytes(random.randrange(1, 400)))
check("random bytes", well())
for i in range(100):
    send_and_leave(head(random.randrange(12), 50) +
                   random.randbytes(50))
check("random payloads", well())
for length in (0xffffffff, 0x80000000, 65536, 65535, 4 << 20):
    send_and_leave(head(START, length) + b"x" * 10)
check("huge lengths", well())
for n in range(1, 16):
    send_and_leave(head(HELLO, 0)[:n])
check("half heads", well())

stalled = connect()
stalled.sendall(head(START, 1000) + b"name=")
begin = time.time()
check("one who stalls does not keep others waiting long",
      well() and time.time() - begin < 20)
stalled.close()

deaf = []
for i in range(8):
    s = connect()
    try:
        for k in range(50):
            s.sendall(head(LIST, 0))
    except OSError:
        pass
    deaf.append(s)
for s in deaf:
    s.close()
check("those who do not listen", well())

crowd = []
for i in range(40):
    try:
        crowd.append(connect())
    except OSError:
        pass
for s in crowd:
    s.close()
check("a crowd", well())

def state():
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0]

# A request that the process gets after its command has given up
pid = int(ask(HELLO)[2].split(b"pid=")[1].split()[0])
os.kill(pid, signal.SIGSTOP)
while state() != "T":
    time.sleep(0.01)
send_and_leave(head(START, 10) + b"name=late\n")
os.kill(pid, signal.SIGCONT)
check("it goes on", well() and well() and well())
check("a request that comes late is not obeyed",
      ask(STATUS) == (STATUS, 0, b""))

with connect() as s:
    s.sendall(head(HELLO, 0) * 3)
    check("three requests at once",
          all(answer(s)[1] == 0 for i in range(3)))
