# tracepoints/: fields, conditions, sites, probes, frames. One file a line.

# in the agent and in the command
tracepoints_sources = \
	tracepoints/conditions/ax-field.c \
	tracepoints/conditions/ax-host.c \
	tracepoints/conditions/ax-insn.h \
	tracepoints/conditions/ax-quick.c \
	tracepoints/conditions/ax-run.c \
	tracepoints/conditions/ax-simple.c \
	tracepoints/conditions/ax-simple.h \
	tracepoints/conditions/ax-text.c \
	tracepoints/conditions/ax-verify.c \
	tracepoints/conditions/ax.h \
	tracepoints/conditions/expr-code.c \
	tracepoints/conditions/expr-decimal.c \
	tracepoints/conditions/expr-emit.c \
	tracepoints/conditions/expr-private.h \
	tracepoints/conditions/expr-token.c \
	tracepoints/conditions/expr.c \
	tracepoints/conditions/expr.h \
	tracepoints/conditions/rule-split.c \
	tracepoints/conditions/rule-split.h \
	tracepoints/fields/ax-double-x86_64.h \
	tracepoints/fields/ax-double.h \
	tracepoints/fields/conversion-double.c \
	tracepoints/fields/conversion-private.h \
	tracepoints/fields/conversion.c \
	tracepoints/fields/decimal-private.h \
	tracepoints/fields/decimal.c \
	tracepoints/fields/errors.c \
	tracepoints/fields/errors.h \
	tracepoints/fields/field-format.c \
	tracepoints/fields/field-value.h \
	tracepoints/fields/field-text.c \
	tracepoints/fields/field-text.h \
	tracepoints/fields/field-value.c \
	tracepoints/fields/fields.c \
	tracepoints/fields/fields.def \
	tracepoints/fields/fields.h \
	tracepoints/fields/scalar.h \
	tracepoints/fields/shown.c \
	tracepoints/fields/shown.h \
	tracepoints/fields/signature.c \
	tracepoints/fields/token-private.h \
	tracepoints/fields/token.c \
	tracepoints/lttng/describe.c \
	tracepoints/lttng/older.c \
	tracepoints/lttng/describe.h \
	tracepoints/lttng/left-out.def \
	tracepoints/lttng/older.h \
	tracepoints/lttng/ust.h \
	tracepoints/program/executable.c \
	tracepoints/program/executable.h \
	tracepoints/sites/notes.c \
	tracepoints/sites/notes.h \
	tracepoints/sites/writer-record.c

# in the agent only
tracepoints_agent_sources = \
	tracepoints/frames/collect-hit.c \
	tracepoints/frames/collect-private.h \
	tracepoints/frames/collect.c \
	tracepoints/frames/collect.h \
	tracepoints/frames/builder.c \
	tracepoints/frames/builder.h \
	tracepoints/frames/print.c \
	tracepoints/frames/print.h \
	tracepoints/frames/frames-ring.c \
	tracepoints/frames/frames-ring.h \
	tracepoints/frames/frames.c \
	tracepoints/frames/frames.h \
	tracepoints/frames/hit-place.c \
	tracepoints/frames/hit-place.h \
	tracepoints/lttng/take.c \
	tracepoints/program/mapped.c \
	tracepoints/program/mapped.h \
	tracepoints/program/memory.c \
	tracepoints/program/memory.h \
	tracepoints/program/modules.c \
	tracepoints/program/modules.h \
	tracepoints/program/patch.c \
	tracepoints/program/patch.h \
	tracepoints/program/snapshot.h \
	tracepoints/sites/condition.c \
	tracepoints/sites/event-record.c \
	tracepoints/sites/lock.c \
	tracepoints/sites/lock.h \
	tracepoints/sites/object.c \
	tracepoints/sites/registry.c \
	tracepoints/sites/registry.h \
	tracepoints/sites/shape.c \
	tracepoints/usdt/absent.c \
	tracepoints/usdt/address-set.h \
	tracepoints/usdt/entry-x86_64.S \
	tracepoints/usdt/hit.c \
	tracepoints/usdt/load-x86_64.c \
	tracepoints/usdt/load.h \
	tracepoints/usdt/module-file.c \
	tracepoints/usdt/moved.c \
	tracepoints/usdt/plan/note.c \
	tracepoints/usdt/plan/sort.h \
	tracepoints/usdt/usdt.h \
	tracepoints/usdt/whole-private.h \
	tracepoints/usdt/whole.c

if MACHINE_X86_64
tracepoints_agent_sources += \
	tracepoints/program/memory-x86_64.h \
	tracepoints/program/registers-x86_64.h \
	tracepoints/program/snapshot-entry-x86_64.S \
	tracepoints/program/snapshot-x86_64.c \
	tracepoints/program/translated-x86_64.h
endif

# in the command only
tracepoints_tool_sources = \
	tracepoints/usdt/plan/zydis.c \
	$(tracepoints_plan_sources)

# USDT probes in files: in the command and in libtaffrail-usdt.so
tracepoints_plan_sources = \
	tracepoints/usdt/plan/bounds.c \
	tracepoints/usdt/plan/calls-x86_64.c \
	tracepoints/usdt/plan/calls.h \
	tracepoints/usdt/plan/debug.c \
	tracepoints/usdt/plan/debug.h \
	tracepoints/usdt/plan/decode-x86_64.c \
	tracepoints/usdt/plan/exits-x86_64.c \
	tracepoints/usdt/plan/exits.h \
	tracepoints/usdt/plan/functions.c \
	tracepoints/usdt/plan/functions.h \
	tracepoints/usdt/plan/hotspot.c \
	tracepoints/usdt/plan/image.c \
	tracepoints/usdt/plan/image.h \
	tracepoints/usdt/plan/note.c \
	tracepoints/usdt/plan/note.h \
	tracepoints/usdt/plan/operand-x86_64.c \
	tracepoints/usdt/plan/operand.h \
	tracepoints/usdt/plan/plain-x86_64.c \
	tracepoints/usdt/plan/plan-x86_64.c \
	tracepoints/usdt/plan/plan.h \
	tracepoints/usdt/plan/prototypes.c \
	tracepoints/usdt/plan/prototypes.def \
	tracepoints/usdt/plan/prototypes.h \
	tracepoints/usdt/plan/scan-private.h \
	tracepoints/usdt/plan/scan-x86_64.c \
	tracepoints/usdt/plan/search.c \
	tracepoints/usdt/plan/sections-private.h \
	tracepoints/usdt/plan/tables-x86_64.c \
	tracepoints/xz/xz.c \
	tracepoints/xz/xz.h

# libtaffrail-usdt.so
usdt_sources = \
	base/index.c \
	base/text.c \
	tracepoints/usdt/module-file.c \
	tracepoints/usdt/jumps/jump-x86_64.c \
	tracepoints/usdt/jumps/jumps.h \
	tracepoints/usdt/jumps/lookup.c \
	tracepoints/usdt/jumps/maps.c \
	tracepoints/usdt/jumps/move-x86_64.c \
	tracepoints/usdt/jumps/near-x86_64.c \
	tracepoints/usdt/jumps/place-x86_64.c \
	tracepoints/usdt/jumps/pun-x86_64.c \
	tracepoints/usdt/jumps/share.c \
	tracepoints/usdt/jumps/spots.c \
	tracepoints/usdt/jumps/switch-x86_64.c \
	tracepoints/usdt/jumps/trap-x86_64.c \
	tracepoints/usdt/jumps/way-x86_64.c \
	tracepoints/usdt/jumps/write-x86_64.c \
	tracepoints/usdt/place/adopt.c \
	tracepoints/usdt/place/aliases.c \
	tracepoints/usdt/place/fields.c \
	tracepoints/usdt/place/heads.c \
	tracepoints/usdt/place/functions.c \
	tracepoints/usdt/place/lines.c \
	tracepoints/usdt/place/more.c \
	tracepoints/usdt/place/names.c \
	tracepoints/usdt/place/targets.c \
	tracepoints/usdt/place/private.h \
	$(tracepoints_plan_sources)

# libtaffrail-pthread.so
provider_pthread_sources = \
	tracepoints/providers/pthread.c

# Runs in a hit: compiled for speed. All else in the agent is compiled for size.
tracepoints_hot = \
	tracepoints/conditions/ax-host.c \
	tracepoints/conditions/ax-run.c \
	tracepoints/conditions/ax-text.c \
	tracepoints/frames/collect-hit.c \
	tracepoints/lttng/take.c \
	tracepoints/program/memory.c \
	tracepoints/program/snapshot-x86_64.c \
	tracepoints/usdt/hit.c \
	tracepoints/usdt/whole.c

# Runs in the agent's threads alone (Makefile.am).
tracepoints_aside = \
	tracepoints/conditions/ax-simple.c \
	tracepoints/fields/signature.c \
	tracepoints/frames/collect.c \
	tracepoints/frames/frames-ring.c \
	tracepoints/frames/frames.c \
	tracepoints/sites/event-record.c \
	tracepoints/usdt/absent.c \
	tracepoints/usdt/module-file.c \
	tracepoints/usdt/moved.c \
	tracepoints/usdt/plan/note.c
