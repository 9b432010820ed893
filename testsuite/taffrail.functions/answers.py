#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gives a program the same work again and again, and compares the answers.

    answers.py PROGRAM [LIBRARY]

PROGRAM (sqlite3, python3, bash, perl or a path to one of them) reads commands
from its standard input; redis-server from a socket in the current directory, and
postgres --single, with the database in $PGDATA, from its input. It runs with
LD_PRELOAD=LIBRARY. Prints "ready PID" after the first answer, which the others must
equal, and ends with its input: "right N", with the number of answers, or what was
wrong.
"""
import os
import select
import socket
import subprocess
import sys

SQLITE = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
 SELECT count(*), sum(i * i), group_concat(i % 7, ''), max(hex(i)) FROM n;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
 INSERT INTO t SELECT i, printf('%05d-%s', i * 7919 % 1000, hex(i)), i / 7.0 FROM n;
CREATE INDEX x ON t(b);
SELECT b, round(c, 3) FROM t WHERE b LIKE '%3%' ORDER BY b DESC LIMIT 20;
SELECT substr(b, 1, 2), count(*), total(c) FROM t GROUP BY 1 HAVING count(*) > 2;
SELECT json_group_array(json_object('a', a, 'b', b)) FROM t WHERE a % 50 = 0;
SELECT count(*) FROM t x JOIN t y ON x.a = y.a + 1 WHERE upper(x.b) > y.b;
DROP TABLE t;
.print END
"""
PYTHON = """
import json, re, sys, threading, zlib, hashlib, decimal
def work(n, out):
    text = json.dumps({str(i): [i ** 9, i / 7, "x" * (i % 5)] for i in range(n)})
    words = re.findall(r"(\\d+)(?:,|\\])", text)
    words.sort(key=lambda w: w[::-1])
    table = {w: len(w) for w in words}
    def each(words=list(words)):
        for w in words:
            yield table[w] + sum(x for x in range(3))
    try:
        {}["none"]
    except KeyError as e:
        words.append(repr(e))
    pi = sum(decimal.Decimal(4) / (8 * k + 1) for k in range(40))
    out.append((len(text), zlib.crc32(text.encode()), sum(each()), str(pi),
                hashlib.sha256("".join(words).encode()).hexdigest()))
for line in sys.stdin:
    out = []
    threads = [threading.Thread(target=work, args=(150, out)) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    print(sorted(out), flush=True)
    print("END", flush=True)
"""
BASH = r"""
f() { local x=$1; if ((x < 2)); then r=1; else f $((x - 1)); ((r = r * x % 65521)); fi; }
declare -A m=(); for ((i = 0; i < 150; i++)); do f $((i % 12)); m[k$((i % 9))]+=$r; s=${m[k3]}; done
for k in k0 k3 k8; do echo "${m[$k]:0:60}" | tr 0-9 a-j; done; echo "${s//7/seven}" "${#s}" | wc -c
x=$(for i in {1..20}; do printf '%03x ' $((i * 7919)); done); case $x in *3*) echo "$x" ;; esac
[[ $x =~ ([0-9a-f]+)\ ([0-9a-f]+) ]] && echo "${BASH_REMATCH[2]}"; echo END
"""
PERL = r"""
$| = 1;
while (<STDIN>) {
    my %h; $h{$_ % 17} .= sprintf("%x,", $_ * 7919) for 1..600;
    my @w = sort { $a cmp $b } map { split /,/, $h{$_} } keys %h;
    my $s = join "", @w; (my $t = $s) =~ s/(\d+)([a-f])/$2$1/g;
    my $n = 0; $n = ($n * 31 + ord) % 1000003 for split //, $t;
    eval { die { n => $n } }; print "$n $@->{n} ", scalar(@w), " ", substr($t, 5, 40), "\nEND\n";
}
"""
REDIS = "FLUSHALL\n" + "".join(
    "SET s{0} {1:x}\nAPPEND s{0} {0}\nINCRBY n{2} {0}\nLPUSH l{2} {1}\n"
    "ZADD z{2} {3} m{0}\nSADD i{2} {1}\nHSET h{2} f{0} {1:o}\nGET s{0}\n".format(
        i, i * 7919, i % 5, i * 7919 % 1000) for i in range(60)) + """
LRANGE l3 0 -1
SORT l1 DESC
ZRANGE z2 0 -1 WITHSCORES
ZRANGEBYSCORE z1 200 700
SINTER i1 i2
HGETALL h4
EVAL "local s = 0 for i = 1, 3000 do s = s + i * i % 7 end return s" 0
PFADD p a b c d
PFCOUNT p
BITCOUNT s7
GEOADD g 13.36 38.11 a 15.08 37.50 b
GEODIST g a b
XADD x 1-1 a b
XRANGE x - +
SET END END
GET END
"""
POSTGRES = """
CREATE TEMP TABLE t AS SELECT i, md5(i::text) AS m, i % 17 AS k FROM generate_series(1, 400) i;
SELECT k, count(*), max(m), sum(i) FROM t GROUP BY k HAVING sum(i) > 1000 ORDER BY k LIMIT 9;
SELECT a.i, b.m FROM t a JOIN t b ON a.i = b.i * 3 WHERE b.m LIKE '%7%' ORDER BY a.i LIMIT 9;
SELECT string_agg(upper(substr(m, 1, 3)), '-' ORDER BY m DESC) FROM t WHERE k = 5;
SELECT jsonb_object_agg(i, m) -> '12', numeric '2' ^ 77 FROM t WHERE i < 40;
SELECT regexp_replace(m, '[0-9]+', '#', 'g') FROM t WHERE i = 99;
DROP TABLE t;
SELECT 1/0;
SELECT 'END' AS "END";
"""
WORK = {
    "postgres": (["--single", "postgres"], POSTGRES),
    "redis-server": (["--port", "0", "--unixsocket", "redis.sock", "--save", "",
                      "--jemalloc-bg-thread", "no", "--crash-log-enabled", "no"], REDIS),
    "sqlite3": (["-batch"], SQLITE),
    "python3": (["-c", PYTHON], "again\n"),
    "bash": ([], BASH),
    "perl": (["-e", PERL], "again\n"),
}


def main():
    program = sys.argv[1]
    name = os.path.basename(program)
    options, work = WORK["python3" if name.startswith("python") else name]
    environment = dict(os.environ)
    if len(sys.argv) > 2:
        environment["LD_PRELOAD"] = sys.argv[2]
    child = subprocess.Popen([program, *options], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True, env=environment)
    given, taken = child.stdin, child.stdout
    if name == "redis-server":
        for line in taken:
            if "eady to accept" in line:
                break
        server = socket.socket(socket.AF_UNIX)
        server.connect("redis.sock")
        given = taken = server.makefile("rw")

    def answer():
        given.write(work)
        given.flush()
        lines = []
        for line in taken:
            if line == "END\n" or 'END = "END"' in line:
                return lines
            lines.append(line)
        sys.exit("it ended with %d" % child.wait())

    # postgres begins with a line of its own
    answer()
    first = answer()
    print("ready", child.pid, flush=True)
    rounds = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        got = answer()
        if got != first:
            sys.exit("wrong: %s, not %s" % (got, first))
        rounds += 1
    child.stdin.close()
    if name == "redis-server":
        child.terminate()
    if child.wait():
        sys.exit("it ended with %d" % child.returncode)
    print("right", rounds)


main()
