# SPDX-License-Identifier: LGPL-2.1-or-later
# From result lines to the table; the lines are described where they are made
# (bench.h, spawn.c, flood.c, count.c, stall.c, run). Ends with 1 when a limit is missed.
#
# What must stay true: a ratio is between two numbers of one run, and a number
# that was not measured gives a row that says so, not one that passes.

function line(name, measured, limit, ratio, ok)
{
	printf "%-44s | %-20s | %-12s | %-8s | %s\n",
		name, measured, limit, ratio, ok
	if (ok == "NO")
		missed++
}

# whether the step that measures the rows now printed was to run
function asked()
{
	return part in steps
}

# a value; asking for it does not make it
function get(key)
{
	return key in v ? v[key] : 0
}

function verdict(good)
{
	return good ? "yes" : "NO"
}

function absent(name, limit)
{
	if (asked())
		line(name, "not measured", limit, "-", limit == "" ? "" : "NO")
}

# a/b against at most `limit` (0: for information)
function ratio_row(name, a, b, limit)
{
	if (!(a in v) || !(b in v) || !v[b])
		return absent(name, limit ? "<= " limit " x" : "")
	line(name, sprintf("%.2f ns", v[a]), limit ? "<= " limit " x" : "",
	     sprintf("%.2f", v[a] / v[b]),
	     limit ? verdict(v[a] / v[b] <= limit) : "")
}

# the same where the machine itself takes more than `limit` for floor/base
# (floor.c): then at most 1.15 times that
function floor_row(name, a, b, limit, floor, base)
{
	if (floor in v && base in v && v[base] &&
	    1.15 * v[floor] / v[base] > limit)
		limit = sprintf("%.2f", 1.15 * v[floor] / v[base])
	ratio_row(name, a, b, limit)
}

# the peer's a must be `factor` times b
function peer_row(name, a, b, factor)
{
	if (!asked())
		return
	if (!(a in v)) {
		line(name, "skipped: " skipped, ">= " factor " x", "-", "skip")
		return
	}
	if (!(b in v))
		return absent(name, ">= " factor " x")
	line(name, sprintf("%.2f ns", v[a]), ">= " factor " x",
	     sprintf("%.2f", v[a] / v[b]), verdict(v[a] / v[b] >= factor))
}

function limit_row(name, key, value, unit, format, limit)
{
	if (!(key in v))
		return absent(name, limit == "" ? "" : "<= " limit " " unit)
	line(name, sprintf(format " %s", value, unit),
	     limit == "" ? "" : "<= " limit " " unit, "-",
	     limit == "" ? "" : verdict(value <= limit))
}

function events(t, word,   r)
{
	word = ", " t (t == 1 ? " thread" : " threads")
	r = "main.roofline" t
	ratio_row("roofline: rdtsc + 12-byte store" word, r, r, 0)
	floor_row("u64 event" word, "main.u64" t, r, 1.25, "main.floor_u64" t,
		  r)
	ratio_row("  floor of the machine", "main.floor_u64" t, r, 0)
	peer_row("  LTTng-UST, same process", "peer.lttng_u64" t,
		 "peer.u64" t, 5)
	floor_row("int + 15-character string" word, "main.int_string" t, r,
		  1.35, "main.floor_string15" t, r)
	ratio_row("  floor of the machine", "main.floor_string15" t, r, 0)
	peer_row("  LTTng-UST, same process", "peer.lttng_int_string" t,
		 "peer.int_string" t, 5)
	floor_row("64 bytes, TAFFRAIL_BYTES" word, "main.bytes64" t, r, 1.35,
		  "main.floor_bytes64" t, r)
	floor_row("64 bytes, 8 fields of u64" word, "main.eight" t, r, 1.35,
		  "main.floor_bytes64" t, r)
	ratio_row("  floor of the machine", "main.floor_bytes64" t, r, 0)
	floor_row("256 bytes, TAFFRAIL_BYTES" word, "main.bytes256" t, r, 1.5,
		  "main.floor_bytes256" t, r)
	floor_row("256 bytes, TAFFRAIL_ARRAY" word, "main.array32" t, r, 1.5,
		  "main.floor_bytes256" t, r)
	ratio_row("  floor of the machine", "main.floor_bytes256" t, r, 0)
	ratio_row("  64 bytes, TAFFRAIL_ARRAY", "main.array8" t, r, 0)
	ratio_row("  printf-like mark, one long", "main.mark" t, r, 0)
	ratio_row("  3 fields of u64", "main.three" t, r, 0)
	ratio_row("  int + 99-character string", "main.int_string99" t, r, 0)
	ratio_row("  u64 with the default context, vtid", "default.u64" t,
		  "default.roofline" t, 0)
	part = "norseq"
	ratio_row("no rseq: u64 event" word, "norseq.u64" t,
		  "norseq.roofline" t, 2.4)
	ratio_row("  no rseq: int + string", "norseq.int_string" t,
		  "norseq.roofline" t, 0)
	part = "events"
	floor_row("two sessions on one site" word, "main.twice" t,
		  "main.u64" t, 2.2, "main.floor_twice" t, "main.floor_u64" t)
	ratio_row("  floor of the machine", "main.floor_twice" t,
		  "main.floor_u64" t, 0)
}

function sizes(   n)
{
	n = get("size.events")
	limit_row("u64 event on disk, streams", "size.events",
		  n ? get("size.bytes") * 8 / n : 0, "bits", "%.2f", 98)
	limit_row("  with index and metadata", "size.events",
		  n ? v["size.tree"] * 8 / n : 0, "bits", "%.2f", 98)
	n = get("many.events")
	limit_row("  in a channel of 500 events, streams", "many.events",
		  n ? v["many.bytes"] * 8 / n : 0, "bits", "%.2f", 114)
	limit_row("  with index and metadata", "many.events",
		  n ? v["many.tree"] * 8 / n : 0, "bits", "%.2f", 114)
}

# a limit, or `times` what the machine takes for `key`
function or_machine(limit, times, key)
{
	if (get(key) * times > limit)
		return sprintf("%.3g", get(key) * times)
	return limit
}

function processes()
{
	limit_row("fork + exit of a traced process: added", "fork.added",
		  get("fork.added"), "us", "%.1f",
		  or_machine(50, 2.25, "fork.empty"))
	limit_row("  untraced", "fork.plain", get("fork.plain"), "us", "%.1f")
	limit_row("  traced", "fork.agent", get("fork.agent"), "us", "%.1f")
	limit_row("  an empty library: added", "fork.empty",
		  get("fork.empty"), "us", "%.1f")
	limit_row("start-up without markers (true): added", "true.added",
		  get("true.added") / 1000, "ms", "%.3f", 3)
	limit_row("  without the agent", "true.plain",
		  get("true.plain") / 1000, "ms", "%.3f")
	limit_row("  under record: added", "recorded.added",
		  get("recorded.added") / 1000, "ms", "%.3f")
	limit_row("start-up of an empty program: added", "empty.added",
		  get("empty.added") / 1000, "ms", "%.3f", 3)
	limit_row("libtaffrail.so, stripped", "library.bytes",
		  get("library.bytes") / 1000, "kB", "%.0f", 410)
}

# what the program wrote = what is in the trace + what it says was lost
function ledger_row(name, p, lost_limit,   missing)
{
	if (!((p ".emitted") in v) || !((p ".events") in v))
		return absent(name, "exact")
	missing = v[p ".emitted"] - v[p ".events"] - get(p ".lost")
	line(name, v[p ".lost"] " of " v[p ".emitted"],
	     lost_limit == "" ? "exact" : "<= " lost_limit " lost", missing,
	     verdict(missing == 0 && v[p ".disorder"] == 0 &&
		     v[p ".verify"] == 0 &&
		     (lost_limit == "" || v[p ".lost"] <= lost_limit)))
}

function recordings()
{
	ledger_row("live record, 2 x 1 M/s: lost", "live", 0)
	ratio_row("  its writers, median batch", "live.ns",
		  "control.ns", 1.1)
	ratio_row("  its writers, mean", "live.mean", "control.mean", 0)
	ledger_row("record 20 M unpaced, 256M buffers: lost", "large", 0)
	ledger_row("record 20 M unpaced, default buffers: lost", "flood", "")
	ratio_row("  its writers, median batch", "flood.ns", "control.ns", 0)
}

# what an iteration takes longer with a tracepoint than without
function added_row(name, a, b, limit)
{
	if (!(a in v) || !(b in v))
		return absent(name, limit ? "<= " limit " ns" : "")
	line(name, sprintf("%.1f ns", v[a] - v[b]),
	     limit ? "<= " limit " ns" : "", "-",
	     limit ? verdict(v[a] - v[b] <= limit) : "")
}

# the same of gdbserver, and how many times ours that is
function gdbserver_row(name, a,   ours, theirs)
{
	if (!(a in v) || !("gdb.full1" in v))
		return absent(name, "")
	ours = v["gdb.full1"] - v["gdb.empty1"]
	theirs = v[a] - v["gdbserver.empty1"]
	line(name, sprintf("%.0f ns", theirs), "",
	     sprintf("%.2f", theirs / ours), "")
}

# a fast tracepoint of gdbserver, with our agent and with GDB's
function agents_row(   ours, theirs)
{
	if (!("ours.fast1" in v) || !("theirs.fast1" in v))
		return absent("  fast tracepoint, libtaffrail.so", "< theirs")
	ours = v["ours.fast1"] - v["ours.empty1"]
	theirs = v["theirs.fast1"] - v["theirs.empty1"]
	line("fast tracepoint: $rax, a global: GDB's agent",
	     sprintf("%.0f ns", theirs), "", "-", "")
	line("  the same, libtaffrail.so", sprintf("%.0f ns", ours),
	     "< theirs", sprintf("%.2f", ours / theirs),
	     verdict(ours < theirs))
}

# milliseconds; the medians, or what `of` says
function stall_added(of)
{
	return (get("stall.traced" of) - get("stall.control" of)) / 1000
}

function tracepoints()
{
	if ("gdb.missing" in v)
		return line("tracepoints of gdb", "skipped: no gdb", "", "-",
			    "skip")
	added_row("tracepoint of gdb: $_sdata", "gdb.sdata1", "gdb.empty1", 60)
	added_row("tracepoint of gdb: $regs", "gdb.regs1", "gdb.empty1", 100)
	added_row("tracepoint of gdb: if, 3 globals, 2 locals", "gdb.full1",
		  "gdb.empty1", 250)
	gdbserver_row("  the same, gdbserver's fast tracepoint",
		      "gdbserver.full1")
	gdbserver_row("  the same, gdbserver's trap", "gdbserver.trap1")
	agents_row()
	added_row("condition false: over the disabled site", "gdb.untrue1",
		  "gdb.off1", 15)
	added_row("  a local in a register, the same", "gdb.untrue_register1",
		  "gdb.off_register1", 15)
	limit_row("gdb connects, strace .. detach: stall added", "stall.traced",
		  stall_added(""), "ms", "%.3f",
		  or_machine(0.05, 0.005, "machine.table"))
	limit_row("  added, by the least of each", "stall.traced.least",
		  stall_added(".least"), "ms", "%.3f")
	limit_row("  control: gdb does so elsewhere", "stall.control",
		  get("stall.control") / 1000, "ms", "%.3f")
	limit_row("  gdb -p: attach, detach", "stall.attached",
		  get("stall.attached") / 1000, "ms", "%.3f")
}

function callbacks()
{
	added_row("callback of 3 fields: over a call by pointer",
		  "probes.called1", "probes.pointer1", 8)
	added_row("  beside a session: over the session",
		  "probes.beside1", "probes.recorded1", 10)
	limit_row("  site that is off, callbacks elsewhere", "probes.unused1",
		  get("probes.unused1") - get("probes.empty1"), "ns", "%.3f",
		  0.2)
	ratio_row("declared marker: int + 15-character string",
		  "probes.declared1", "probes.compiled1", 1.5)
	limit_row("  off", "probes.declared_off1",
		  get("probes.declared_off1") - get("probes.empty1"), "ns",
		  "%.3f", 1)
	ratio_row("enumeration with names: over an int", "objects.named1",
		  "objects.integer1", 1.05)
	ratio_row("std::string of 15 characters: over a char *",
		  "objects.object1", "objects.pointed1", 1.1)
	python_events()
	compile_time()
	limit_row("callback: attach and detach, 1 marker", "probes.turn1",
		  get("probes.turn1") / 1000, "ms", "%.3f", 1)
	limit_row("  attach and detach, 1,000 markers", "probes.turn1000",
		  get("probes.turn1000") / 1000, "ms", "%.3f", 20)
}

function compile_time()
{
	limit_row("compile time of 200 markers, C", "compile.c",
		  get("compile.c"), "s", "%.2f", 1.5)
	limit_row("  C++", "compile.cxx", get("compile.cxx"), "s", "%.2f", 1.5)
	limit_row("  of LTTng-UST, C", "compile.lttng.c",
		  get("compile.lttng.c"), "s", "%.2f")
	limit_row("  of LTTng-UST, C++", "compile.lttng.cxx",
		  get("compile.lttng.cxx"), "s", "%.2f")
}

function python_events()
{
	if ("python.missing" in v)
		return line("Python: events", "skipped: not built", "", "-",
			    "skip")
	limit_row("Python: event of an int and a str", "python.on",
		  get("python.on"), "ns", "%.1f", 500)
	limit_row("  off", "python.off", get("python.off"), "ns", "%.1f", 60)
	limit_row("  a traced function that is off", "python.traced",
		  get("python.traced"), "ns", "%.1f")
	limit_row("  a record of logging, taffrail.Handler", "python.logging",
		  get("python.logging"), "ns", "%.0f")
	limit_row("  a record of logging, NullHandler", "python.null",
		  get("python.null"), "ns", "%.0f")
	limit_row("  a record of logging, LTTng's handler", "python.peer",
		  get("python.peer"), "ns", "%.0f")
}

function attaches()
{
	limit_row("attach, 8 threads: one stands still", "attach.stop",
		  get("attach.stop") / 1000, "ms", "%.3f", 10)
	limit_row("  the longest", "attach.stop.most",
		  get("attach.stop.most") / 1000, "ms", "%.3f", 10)
	limit_row("  as its threads see it", "attach.attach",
		  get("attach.attach") / 1000, "ms", "%.3f")
	limit_row("  the longest", "attach.attach.most",
		  get("attach.attach.most") / 1000, "ms", "%.3f")
	limit_row("  gdb's attach, detach: its threads see", "attach.gdb",
		  get("attach.gdb") / 1000, "ms", "%.3f")
	limit_row("  the longest", "attach.gdb.most",
		  get("attach.gdb.most") / 1000, "ms", "%.3f")
}

function probes()
{
	limit_row("USDT probe of a program: recorded", "usdt.on",
		  get("usdt.on"), "ns", "%.1f", 60)
	limit_row("  what follows it has to move", "usdt.moved",
		  get("usdt.moved"), "ns", "%.1f", 60)
	limit_row("  nobody wants it", "usdt.off", get("usdt.off"), "ns",
		  "%.2f")
	peer_row("  bpftrace counts it", "usdt.peer", "usdt.on", 7)
	limit_row("  a uprobe counts it (perf_event_open)", "usdt.uprobe",
		  get("usdt.uprobe"), "ns", "%.0f")
	limit_row("all " get("usdt.jvm.probes") " of libjvm on", "usdt.jvm",
		  get("usdt.jvm") / 1000, "ms", "%.2f",
		  or_machine(10, 0.5, "machine.table"))
	limit_row("  off or on again", "usdt.jvm.again",
		  get("usdt.jvm.again") / 1000, "ms", "%.2f")
	limit_row("  a request for one probe", "usdt.jvm.control",
		  get("usdt.jvm.control") / 1000, "ms", "%.2f")
	postgres_row("postgres --single, 20,000 SELECTs: all on", "traced",
		     1.5)
	postgres_row("  bpftrace counts them", "peer", 0)
}

function anywhere(   base)
{
	base = "anywhere.on.probed"
	limit_row("call with a USDT probe of 3 integers", base, get(base), "ns",
		  "%.1f")
	ratio_row("  function: entry, 3 integers", "anywhere.on.entered", base,
		  1.3)
	ratio_row("  function: entry and return", "anywhere.on.both", base, 2.2)
	ratio_row("  function: whole call, an event", "anywhere.on.whole", base,
		  0)
	ratio_row("  function: whole call, --min-time not reached",
		  "anywhere.on.brief", base, 2.4)
	limit_row("    events of it", "anywhere.on.written",
		  get("anywhere.on.written"), "", "%d", 0)
	limit_row("  function that no rule names", "anywhere.on.again",
		  get("anywhere.on.again"), "ns", "%.2f", 0.3)
	limit_row("  functions that were given back", "anywhere.back.both",
		  get("anywhere.back.both"), "ns", "%.2f", 0.3)
	ratio_row("  line: three locals, condition true", "lines.met",
		  "lines.probed", 3.2)
	ratio_row("  line: the same, condition false", "lines.unmet",
		  "lines.probed", 1.1)
	ratio_row("  line: a local and a member through a pointer",
		  "lines.member", "lines.probed", 0)
	ratio_row("  line: a string of 20 characters, over three locals",
		  "lines.string", "lines.met", 5)
	limit_row("  debug information of a large program",
		  "anywhere.debug.bytes", get("anywhere.debug.bytes"), "MB",
		  "%.0f")
	limit_row("    until a line's first event", "anywhere.debug.one",
		  get("anywhere.debug.one"), "s", "%.2f", 1)
	limit_row("    the same with ten rules", "anywhere.debug.ten",
		  get("anywhere.debug.ten"), "s", "%.2f")
	limit_row("  uftrace -P: entry and return", "anywhere.bare.both",
		  get("anywhere.bare.both"), "ns", "%.1f")
	peer_row("  the same with arguments and value",
		 "anywhere.uftrace.both", "anywhere.on.both", 3)
	limit_row("  uprobe and uretprobe, bpftrace counts them",
		  "anywhere.kernel.both", get("anywhere.kernel.both"), "ns",
		  "%.0f")
	least_row("entries of installed files that can be had", "entries.all",
		  99.8)
	least_row("  of the file with the fewest", "entries.least", 98)
	least_row("  where the program handles faults", "entries.faults", 0)
	limit_row("redis, all functions: entries and returns",
		  "anywhere.all.sites", get("anywhere.all.sites"), "", "%d")
	limit_row("  on", "anywhere.all.on", get("anywhere.all.on"), "s", "%.2f",
		  1.5)
	limit_row("  off", "anywhere.all.off", get("anywhere.all.off"), "s",
		  "%.2f", 0.3)
	limit_row("  memory of one", "anywhere.all.memory",
		  get("anywhere.all.memory"), "KiB", "%.2f", 1)
	redis_row("redis-benchmark, 10 hot functions, --min-time", "redis.hot",
		  0.95)
	redis_row("  entries and returns recorded", "redis.events", 0)
	redis_row("  by the server's processor time, --min-time", "busy.hot", 0)
	redis_row("  entries and returns, by that", "busy.events", 0)
}

# A share in percent: at least `limit`, if that is not 0
function least_row(name, which, limit,   key)
{
	key = "anywhere." which
	if (!(key in v))
		return absent(name, limit ? ">= " limit " %" : "")
	line(name, sprintf("%.2f %%", v[key]), limit ? ">= " limit " %" : "", "",
	     limit ? verdict(v[key] >= limit) : "")
}

# The rate with, over that without: at least `limit`
function redis_row(name, which, limit,   key, plain, x)
{
	key = plain = "anywhere." which
	sub(/[a-z]+$/, "plain", plain)
	if (!(key in v) || !get(plain))
		return absent(name, limit ? ">= " limit " x" : "")
	x = v[key] / v[plain]
	line(name, sprintf("%.0f /s", v[key]), limit ? ">= " limit " x" : "",
	     sprintf("%.2f", x), limit ? verdict(x >= limit) : "")
}

function postgres_row(name, which, limit,   key, x)
{
	key = "usdt.postgres." which
	if (!(key in v) || !get("usdt.postgres.plain"))
		return absent(name, limit ? "<= " limit " x" : "")
	x = v[key] / v["usdt.postgres.plain"]
	line(name, sprintf("%.2f s", v[key]), limit ? "<= " limit " x" : "",
	     sprintf("%.2f", x), limit ? verdict(x <= limit) : "")
}

# LTTng's time for an event over ours: at least `factor`, or what is left where
# ours is 1.15 times what the machine takes at least (lttng.c)
function beside_row(name, event, t, factor,   floor, most)
{
	floor = 1.15 * get("beside.least_" event t)
	most = floor ? get("beside.lttng_" event t) / floor : factor
	if (most < factor)
		factor = sprintf("%.2f", most)
	peer_row(name, "beside.lttng_" event t, "beside.beside_" event t,
		 factor)
	ratio_row("  ours over the roofline", "beside.beside_" event t,
		  "beside.roofline" t, 0)
	ratio_row("  floor of the machine", "beside.least_" event t,
		  "beside.roofline" t, 0)
}

# LTTng's events that Taffrail records, beside those that LTTng records
function lttng(t, word)
{
	word = ", " t (t == 1 ? " thread" : " threads")
	beside_row("LTTng event u64" word ": over ours", "u64", t, 4.5)
	beside_row("LTTng event int + string" word, "int_string", t, 4)
}

# nanoseconds of a call site that is off, of eight in a loop
function off_each(run)
{
	return (get(run ".lttng_off81") - get(run ".empty1")) / 8
}

function lttng_off(   limit)
{
	limit = 0.2
	if (off_each("stock") * 1.15 > limit)
		limit = sprintf("%.3f", off_each("stock") * 1.15)
	limit_row("LTTng tracepoint that no session wants",
		  "beside.lttng_off81", off_each("beside"), "ns", "%.3f", limit)
	limit_row("  without Taffrail", "stock.lttng_off81",
		  off_each("stock"), "ns", "%.3f")
}

# what a session adds to a short program, and the recorder's work for it
function short_programs(   ours, theirs)
{
	short_rows("short", "")
	short_rows("shared", ", shared buffers")
	ours = get("short.one.added")
	theirs = get("short.peer.added")
	if (asked() && ours > 0 && theirs > 0)
		line("one event of LTTng-UST, in a session: added",
		     sprintf("%.3f ms", theirs / 1000), "",
		     sprintf("%.2f", theirs / ours), "")
}

function short_row(name, key, limit)
{
	limit_row(name, key, get(key) / 1000, "ms", "%.3f", limit)
}

# the same for one kind of buffers
function short_rows(of, how)
{
	short_row("one marker, one event, recorded" how ": added",
		  of ".one.added", 0.6)
	short_row("  the program alone", of ".one.plain")
	if (!asked())
		return
	short_row("  added processor time", of ".one.cpu")
	short_row("  without a rest: added", of ".one-behind.added", 0.6)
	short_row("  the program alone then", of ".one-behind.plain")
	short_row("/bin/true, recorded" how ": added", of ".true.added", 0.1)
	short_row("  the program alone", of ".true.plain")
	short_row("  added processor time", of ".true.cpu")
	short_row("  without a rest: added", of ".true-behind.added", 0.1)
	short_row("  the program alone then", of ".true-behind.plain")
	limit_row("recorder for one marker, one event" how,
		  "recorder-" of ".one.each",
		  get("recorder-" of ".one.each") / 1000, "ms", "%.3f", 0.1)
	limit_row("recorder for /bin/true" how, "recorder-" of ".true.each",
		  get("recorder-" of ".true.each") / 1000, "ms", "%.3f", 0.1)
}

function lttng_start(   name, plain, ours, theirs)
{
	name = "start of 30 LTTng events: a session adds"
	plain = get("started.plain")
	ours = get("started.agent") - plain
	theirs = get("started.peer") - plain
	if (!plain || theirs <= 0)
		return absent(name, "<= 0.5 x")
	line(name, sprintf("%.3f ms", ours / 1000), "<= 0.5 x",
	     sprintf("%.2f", ours / theirs), verdict(ours / theirs <= 0.5))
	limit_row("  LTTng's session", "started.peer", theirs / 1000, "ms",
		  "%.3f")
	limit_row("  the program without a session", "started.plain",
		  plain / 1000, "ms", "%.3f")
}

function lttng_rows()
{
	lttng(1)
	lttng(2)
	if (asked() && skipped && !("beside.lttng_u641" in v))
		return
	lttng_off()
	lttng_start()
}

# seconds of babeltrace2 over ours: at least `factor`
function faster_row(name, theirs, ours, factor)
{
	if (!get(theirs) || !get(ours))
		return absent(name, factor ? ">= " factor " x" : "")
	line(name, sprintf("%.3f s", v[ours]), factor ? ">= " factor " x" : "",
	     sprintf("%.1f", v[theirs] / v[ours]),
	     factor ? verdict(v[theirs] / v[ours] >= factor) : "")
}

# a rate in millions a second: at least `least`
function rate_row(name, seconds, amount, unit, least)
{
	if (!get(seconds))
		return absent(name, ">= " least " " unit)
	line(name, sprintf("%.1f %s", amount / v[seconds] / 1e6, unit),
	     ">= " least " " unit, "-",
	     verdict(amount / v[seconds] / 1e6 >= least))
}

# The time of a form of view's lines, in times of that of --raw.
function form_row(name, trace, form,   raw)
{
	raw = get("read." trace ".view")
	limit_row(name, raw ? "read." trace "." form : "",
		  raw ? get("read." trace "." form) / raw : 0, "x", "%.2f", 1.5)
}

function reading()
{
	faster_row("view --raw over babeltrace2: u64 event", "read.small.peer",
		   "read.small.view", 12)
	faster_row("  int64, string, double, with vtid", "read.mixed.peer",
		   "read.mixed.view", 10)
	if (other) {
		faster_row("  over babeltrace2 " other ": u64 event",
			   "read.small.other", "read.small.view", 0)
		faster_row("    int64, string, double, with vtid",
			   "read.mixed.other", "read.mixed.view", 0)
	}
	if ("read.lttng.view" in v || !skipped)
		faster_row("  over babeltrace2: an LTTng-UST trace",
			   "read.lttng.peer", "read.lttng.view", 0)
	form_row("view over view --raw: u64 event", "small", "long")
	form_row("  --short", "small", "short")
	form_row("  int64, string, double, with vtid", "mixed", "long")
	form_row("    --short", "mixed", "short")
	rate_row("view --where that nothing passes", "read.where",
		 get("read.events"), "M events/s", 25)
	faster_row("  over babeltrace2 -o dummy", "read.dummy", "read.where", 8)
	rate_row("report of 12-byte events", "read.report",
		 get("read.small.bytes"), "MB/s", 300)
	faster_row("  over babeltrace2 -o dummy", "read.dummy", "read.report",
		   8)
	limit_row("view of 1,000 processes, 10,000 events",
		  "read.many.view", get("read.many.view"), "s", "%.2f", 0.3)
	faster_row("  over babeltrace2", "read.many.peer", "read.many.view", 0)
	rate_row("export --format json", "read.json", get("read.events"),
		 "M events/s", 3)
	rate_row("  perfetto, of pairs", "read.perfetto", get("read.events"),
		 "M events/s", 5)
	rate_row("  sqlite", "read.sqlite", get("read.events"), "M events/s",
		 0.5)
	limit_row("timeline of 1 M events: its page", "read.page",
		  get("read.page") / 1e6, "MB", "%.1f", 10)
	if ("read.page.picture" in lacks)
		return line("  in a browser", "skipped: " \
			    lacks["read.page.picture"], "", "-", "skip")
	limit_row("  in a browser: its first picture", "read.page.picture",
		  get("read.page.picture") / 1000, "s", "%.2f", 2)
	limit_row("  a step of its zoom, median of 90", "read.page.step",
		  get("read.page.step"), "ms", "%.1f", 50)
	limit_row("  the longest script of a step", "read.page.script",
		  get("read.page.script"), "ms", "%.1f")
}

$1 == "ns" { v[$2 $3] = $4 }
$1 == "us" || $1 == "value" { v[$2] = $3 }
$1 == "step" { steps[$2] }
$1 == "absent" { key = $2; $1 = $2 = ""; lacks[key] = substr($0, 3) }
$1 == "skipped" { $1 = ""; skipped = substr($0, 2) }
$1 == "other" { other = $2 }
$1 == "machine" { $1 = ""; print substr($0, 2) }

END {
	line("case", "measured", "limit", "ratio", "ok")
	limit_row("the machine: a page fault", "machine.fault",
		  get("machine.fault"), "us", "%.2f")
	limit_row("  with a table of pages", "machine.table",
		  get("machine.table"), "us", "%.2f")
	part = "events"
	events(1)
	events(2)
	limit_row("disabled site, of eight in a loop", "main.off81",
		  (get("main.off81") - get("main.empty1")) / 8, "ns", "%.3f", 0.2)
	limit_row("  loads in its machine code", "off8.loads",
		  get("off8.loads"), "", "%d", 0)
	limit_row("  sites found there, of 8", "off8.sites",
		  get("off8.sites"), "", "%d")
	part = "size"
	sizes()
	part = "process"
	processes()
	part = "record"
	recordings()
	part = "gdb"
	tracepoints()
	part = "attach"
	attaches()
	part = "usdt"
	probes()
	part = "anywhere"
	anywhere()
	part = "probes"
	callbacks()
	part = "read"
	reading()
	part = "lttng"
	lttng_rows()
	part = "many"
	short_programs()
	printf "bench: %d limits missed\n", missed
	exit missed > 0
}
