# SPDX-License-Identifier: LGPL-2.1-or-later
"""packets.py SOCKET PID PROGRAM: one line "PASS: NAME" or "FAIL: NAME" a
check of the stub's answers to packets that no gdb sends."""
import os
import random
import socket
import sys

import rsp
from rsp import check, frame

PATH, PID, PROGRAM = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def Stub(acks=False):
    return rsp.Stub(PATH, acks)


def refusals(stub):
    for packet in ('M%x,1:00', 'X%x,1:a', 'Z0,0,1', 'z0,%x', 'Z5,%x,4', 'P0=0000000000000000', 'G00', 'vCont;c', 'vCont;t',
                   'vCont;s:p%x.1', 'c', 's', 'vKill;%x', 'vRun;',
                   'vAttach;%x', 'R00', 'QTDP:1:%x:E:0:0'):
        text = packet % PID if '%' in packet else packet
        got = stub.ask(text)
        check('%s is refused with a text' % packet.replace('%x', 'N'),
              got.startswith(b'E.') and len(got) > 10, got)
    for packet in ('qGetTLSAddr:0,0,0', 'vFoo', 'jThreadsInfo', '', 'bc',
                   'qRcmd,00', 'vCont', 'qXfer:nothing:read::0,10',
                   'qXfer:auxv:write::0:00', 'vFile:unlink:2f'):
        got = stub.ask(packet)
        check('%r is not known' % packet, got == b'', got)
    stub.socket.sendall(frame('k'))
    check('k does not kill', stub.ask('qAttached') == b'1')


def memory(stub):
    for packet in ('m0,8', 'm10,1', 'mffffffffffffffff,2', 'm', 'm1', 'mx,1',
                   'm8000000000000000,ffffffffffffffff', 'x0,1',
                   'm11111111111111111,1'):
        check('%s is an error' % packet, stub.ask(packet) == b'E01')
    auxv = stub.ask('qXfer:auxv:read::0,1000')[1:]
    words = [int.from_bytes(auxv[i:i + 8], 'little')
             for i in range(0, len(auxv), 8)]
    headers = dict(zip(words[::2], words[1::2]))[3]
    start = headers & ~0xfff
    check('memory is read', stub.ask('m%x,4' % start) == b'7f454c46')
    check('memory is read in binary', stub.ask('x%x,4' % start) == b'b\x7fELF')
    check('a read is bounded',
          0 < len(stub.ask('m%x,ffffffff' % start)) <= 0x4000)


def transfers(stub):
    whole = b''
    while True:
        part = stub.ask('qXfer:features:read:target.xml:%x,65' % len(whole))
        whole += part[1:]
        if part[:1] != b'm':
            break
    check('target.xml in slices', whole.startswith(b'<?xml') and
          whole.endswith(b'</target>\n'), whole[-40:])
    check('target.xml has lines that trace files can hold',
          max(map(len, whole.split(b'\n'))) < 900)
    check('the block of g', len(stub.ask('g')) == 2 * 164)
    for number in range(60):
        if stub.ask('p%x' % number)[:1] == b'E':
            check('register %d is there' % number, False)
    check('there is no register 60', stub.ask('p3c') == b'E01')
    for packet in ('features:read:other.xml:0,10', 'auxv:read::fffff,10',
                   'auxv:read::0', 'auxv:read', 'auxv:read:x:0,10',
                   'features:read:target.xml', 'features:read:target.xml:,'):
        got = stub.ask('qXfer:' + packet)
        check('qXfer:%s is an error or nothing' % packet,
              got in (b'E00', b''), got)
    check('the program by name', stub.ask('qXfer:exec-file:read:%x:0,fff' % PID)
          == b'l' + os.path.realpath(PROGRAM).encode())


def files(stub):
    got = stub.open_file(PROGRAM)
    check('the program is opened', got.startswith(b'F') and
          not got.startswith(b'F-'), got)
    number = int(got[1:], 16)
    got = stub.ask('vFile:pread:%x,4,0' % number)
    check('and read', got == b'F4;\x7fELF', got)
    got = stub.ask('vFile:fstat:%x' % number)
    size = int.from_bytes(got[got.index(b';') + 1 + 28:][:8], 'big')
    check('and its size told', got.startswith(b'F40;') and
          size == os.path.getsize(PROGRAM), got)
    check('and closed', stub.ask('vFile:close:%x' % number) == b'F0')
    check('once', stub.ask('vFile:close:%x' % number) == b'F-1,9')
    for path in ('/etc/passwd', '/etc/shadow', '/dev/tty', '/dev/zero', '/',
                 '/proc/1/maps', '/proc/self/environ', 'just probing',
                 '/proc/%d/environ' % PID, '/proc/%d/mem' % PID, '',
                 '/proc/%d/task/%d/../../environ' % (PID, PID),
                 '/proc/%d/maps/../mem' % PID, PROGRAM + '.c',
                 '/proc/%d/root/etc/passwd' % PID, PROGRAM + ' '):
        got = stub.open_file(path)
        check('%r is not opened' % path.replace(str(PID), 'PID').replace(
            PROGRAM, 'PROGRAM'), got.startswith(b'F-1,'), got)
    for flags in (1, 2, 0x201):
        check('nothing is opened to write (%x)' % flags,
              stub.open_file(PROGRAM, flags) == b'F-1,d')
    opened = 0
    while not stub.open_file('/proc/%d/maps' % PID).startswith(b'F-'):
        opened += 1
    check('files are limited', 0 < opened <= 64, opened)
    check('files do not crowd out other packets',
          stub.ask('vFile:open:zz').startswith(b'F-1,'))


def markers(stub):
    found = []
    got = stub.ask('qTfSTM')
    while got.startswith(b'm'):
        found.append(got[1:].split(b':'))
        got = stub.ask('qTsSTM')
    names = sorted(bytes.fromhex(m[1].decode()).decode() for m in found)
    check('markers', names == ['app/done', 'app/round'], names)
    check('the end of markers', got == b'l' and stub.ask('qTsSTM') == b'l')
    address = found[0][0].decode()
    check('qTSTMat when strace is typed: no',
          stub.ask('qTSTMat:' + address) == b'l')
    stub.ask('qTStatus')
    check('qTSTMat when it is typed again: no',
          stub.ask('qTSTMat:' + address) == b'l')
    stub.must('QTinit')
    check('qTSTMat in a download: yes',
          stub.ask('qTSTMat:' + address)[1:].split(b':') == found[0])
    stub.must('QTinit')
    check('qTSTMat elsewhere: no', stub.ask('qTSTMat:1234') == b'l')


def uploaded(stub, first, following):
    found = []
    got = stub.ask(first)
    while got != b'l':
        found.append(got.decode())
        got = stub.ask(following)
    return found


def definitions(stub):
    address = stub.ask('qTfSTM')[1:].split(b':')[0].decode()
    name = '1:%s' % address
    supported = stub.ask('qSupported').decode().split(';')
    for feature in ('ConditionalTracepoints+', 'TracepointSource+',
                    'EnableDisableTracepoints+', 'tracenz+', 'QTBuffer:size+',
                    'FastTracepoints+'):
        check(feature, feature in supported)
    for packet in ('QTinit', 'QTDP:%s:E:0:0:S:X3,220127-' % name,
                   'QTDP:-%s:L-' % name, 'QTDP:-%s:R03M6,8,10' % name,
                   'QTDPsrc:%s:at:0:2:6d66' % name,
                   'QTDPsrc:%s:cmd:0:9:636f6c6c6563742061' % name,
                   'QTDV:1:0:1:74726163655f74696d657374616d70',
                   'QTDV:2:1234:0:78', 'QTDisable:' + name,
                   'QTro:1000,2000:3000,4000', 'QTDisconnected:1',
                   'QTBuffer:circular:1', 'QTBuffer:size:100000',
                   'QTNotes:user:6d65;notes:6162;'):
        got = stub.ask(packet)
        check(packet.replace(address, 'MARKER'), got == b'OK', got)
    got = stub.ask('QTDP:2:8:E:0:0')
    check('a tracepoint at no code',
          got == b'E.tracepoint 2: no code of a module at 0x8', got)
    got = stub.ask('QTDP:2:%s:E:0:0:X3,020227' % address)
    check('a condition that is no program',
          got == b'E.tracepoint 2: condition: the stack is too low (byte 0)',
          got)
    check('jumps at any instruction', stub.ask('qTMinFTPILen') == b'1')
    check('QTSave', b'tsave without -r' in stub.ask('QTSave:41'))
    stub.close()
    stub = Stub()
    points = ['T%s:D:0:0:X3,220127', 'A%s:L', 'A%s:R03', 'A%s:M6,8,10',
              'Z%s:at:0:2:6d66', 'Z%s:cmd:0:9:636f6c6c6563742061']
    got = uploaded(stub, 'qTfP', 'qTsP')
    check('they outlive the connection', got == [p % name for p in points], got)
    got = uploaded(stub, 'qTfV', 'qTsV')
    check('variables, too', got == ['1:0:1:74726163655f74696d657374616d70',
                                    '2:1234:0:78'], got)
    stub.ask('QTinit')
    check('until QTinit', uploaded(stub, 'qTfP', 'qTsP') == [])
    stub.close()


def acknowledged():
    stub = Stub(acks=True)
    stub.socket.sendall(b'$g#00')
    check('a wrong checksum is asked for again', stub.byte() == b'-')
    stub.socket.sendall(frame('qAttached'))
    check('a packet is acknowledged', stub.byte() == b'+')
    check('and answered', stub.answer() == b'1')
    stub.socket.sendall(b'-')
    check('and answered again', stub.answer() == b'1')
    got = stub.ask('qSymbol:' + 'x' * 20000)
    check('a packet too long is refused', got.startswith(b'E.'), got)
    for byte in frame('qAttached'):
        stub.socket.sendall(bytes([byte]))
    check('a packet byte by byte', stub.answer() == b'1')
    stub.socket.sendall(frame('QStartNoAckMode') * 2 + b'\x03\x03GET / #$')
    check('two at once', stub.answer() + stub.answer() == b'OKOK')
    check('noise between packets', stub.ask('qAttached') == b'1')
    stub.close()


def second():
    first = Stub()
    other = Stub(acks=True)
    other.socket.sendall(b'+')
    got = other.ask('qSupported')
    check('a second gdb is told', got == b'E.another gdb is connected', got)
    other.socket.sendall(b'+')
    try:
        other.more()
        check('and hung up on', False)
    except EOFError:
        check('and hung up on', True)
    idle = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    for one in idle:
        one.connect(PATH)
    check('the first is served on', first.ask('qAttached') == b'1')
    for one in idle:
        one.close()
    other.close()
    first.close()


WORDS = ['qSupported', '?', 'g', 'p', 'm', 'x', 'Hg', 'T', 'D', 'qXfer:',
         'features:read:target.xml:', 'libraries-svr4:read::', 'vFile:open:',
         'vFile:pread:', 'vFile:fstat:', 'vFile:close:', 'qTfSTM', 'qTsSTM',
         'qTSTMat:', 'QTDP:', 'QTDPsrc:', 'QTDV:', 'qTStatus', 'vCont;', 'Z0,',
         '0', '1', 'ffffffff', '2f', '6d', ',', ':', ';', '-', 'p%x.1' % PID,
         '*', '}', '#', '$', '\0']


def noise():
    random.seed(3)
    stub = Stub()
    for _ in range(300):
        blob = b''.join(frame(''.join(random.choices(WORDS, k=4)))
                        for _ in range(random.randrange(1, 20)))
        blob = bytearray(blob)
        for _ in range(random.randrange(3)):
            blob[random.randrange(len(blob))] = random.randrange(256)
        try:
            stub.socket.sendall(blob)
            stub.drain()
            if random.random() < .3:
                stub.close()
                stub = Stub()
        except OSError:
            check('noise is no reason to hang up', False)
            return
    stub.close()
    stub = Stub()
    check('after noise', stub.ask('qAttached') == b'1')
    stub.close()


def main():
    stub = Stub()
    for part in (refusals, memory, transfers, files, markers):
        part(stub)
    check('detach', stub.ask('D;%x' % PID) == b'OK')
    check('no thread after that', stub.ask('qXfer:threads:read::0,fff') ==
          b'l<threads></threads>')
    stub.close()
    definitions(Stub())
    acknowledged()
    second()
    noise()


main()
