# SPDX-License-Identifier: LGPL-2.1-or-later
"""port.py HOST:PORT BYTES: sends these, prints what comes until the other end
closes, or until a packet's end has come."""
import socket
import sys

host, _, port = sys.argv[1].rpartition(':')
got = b''
try:
    with socket.create_connection((host, int(port)), timeout=120) as s:
        s.sendall(sys.argv[2].encode())
        if not sys.argv[2]:
            s.shutdown(socket.SHUT_WR)
        while b'#' not in got:
            more = s.recv(65536)
            if not more:
                break
            got += more
except ConnectionError:
    pass
print(got.decode(errors='replace').partition('#')[0] + '#'
      if b'#' in got else '', end='')
