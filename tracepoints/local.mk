# tracepoints/: markers, patching, fields, CTF metadata. One file a line.

# in the agent and in the command
tracepoints_sources = \
	tracepoints/ax-double-x86_64.h \
	tracepoints/ax-double.h \
	tracepoints/ax-field.c \
	tracepoints/ax-host.c \
	tracepoints/ax-insn.h \
	tracepoints/ax-quick.c \
	tracepoints/ax-run.c \
	tracepoints/ax-simple.c \
	tracepoints/ax-simple.h \
	tracepoints/ax-text.c \
	tracepoints/ax-verify.c \
	tracepoints/ax.h \
	tracepoints/conversion-double.c \
	tracepoints/conversion-private.h \
	tracepoints/conversion.c \
	tracepoints/conversion.h \
	tracepoints/decimal.c \
	tracepoints/decimal.h \
	tracepoints/expr-decimal.c \
	tracepoints/expr-emit.c \
	tracepoints/expr-private.h \
	tracepoints/expr-token.c \
	tracepoints/expr.c \
	tracepoints/expr.h \
	tracepoints/field-format.c \
	tracepoints/field-private.h \
	tracepoints/field-text.c \
	tracepoints/field-text.h \
	tracepoints/fields.c \
	tracepoints/fields.h \
	tracepoints/glob.c \
	tracepoints/glob.h \
	tracepoints/rule-split.c \
	tracepoints/rule-split.h

# in the agent only
tracepoints_agent_sources = \
	tracepoints/arena.c \
	tracepoints/arena.h \
	tracepoints/collect-hit.c \
	tracepoints/collect-place.c \
	tracepoints/collect-private.h \
	tracepoints/collect.c \
	tracepoints/collect.h \
	tracepoints/condition.c \
	tracepoints/condition.h \
	tracepoints/frames-ring.c \
	tracepoints/frames-ring.h \
	tracepoints/frames.c \
	tracepoints/frames.h \
	tracepoints/index.c \
	tracepoints/index.h \
	tracepoints/draft.c \
	tracepoints/draft.h \
	tracepoints/lock.c \
	tracepoints/lock.h \
	tracepoints/object.c \
	tracepoints/memory.c \
	tracepoints/memory.h \
	tracepoints/modules.c \
	tracepoints/modules.h \
	tracepoints/patch.c \
	tracepoints/patch.h \
	tracepoints/record.c \
	tracepoints/record.h \
	tracepoints/registry.c \
	tracepoints/registry.h \
	tracepoints/usdt-entry-x86_64.S \
	tracepoints/usdt-hit.c \
	tracepoints/usdt-load-x86_64.c \
	tracepoints/usdt-load.h \
	tracepoints/usdt.h \
	tracepoints/shape.c \
	tracepoints/shape.h \
	tracepoints/snapshot.h \
	tracepoints/static-block.h

if MACHINE_X86_64
tracepoints_agent_sources += \
	tracepoints/memory-x86_64.h \
	tracepoints/registers-x86_64.h \
	tracepoints/snapshot-entry-x86_64.S \
	tracepoints/snapshot-x86_64.c \
	tracepoints/translated-x86_64.h
endif

# in the command only
tracepoints_tool_sources = \
	tracepoints/metadata.c \
	tracepoints/metadata.h \
	tracepoints/usdt-zydis.c \
	tracepoints/usdt-zydis.h \
	$(tracepoints_plan_sources)

# of files' probes: in the command and in libtaffrail-usdt.so
tracepoints_plan_sources = \
	tracepoints/usdt-decode-x86_64.c \
	tracepoints/usdt-image.c \
	tracepoints/usdt-image.h \
	tracepoints/usdt-note.c \
	tracepoints/usdt-note.h \
	tracepoints/usdt-operand-x86_64.c \
	tracepoints/usdt-operand.h \
	tracepoints/usdt-plain-x86_64.c \
	tracepoints/usdt-plan-x86_64.c \
	tracepoints/usdt-plan.h \
	tracepoints/usdt-scan-x86_64.c \
	tracepoints/usdt-scan.h

# libtaffrail-usdt.so
usdt_sources = \
	buffers/text.c \
	tracepoints/index.c \
	tracepoints/usdt-adopt.c \
	tracepoints/usdt-jump-x86_64.c \
	tracepoints/usdt-maps.c \
	tracepoints/usdt-move-x86_64.c \
	tracepoints/usdt-near-x86_64.c \
	tracepoints/usdt-place-x86_64.c \
	tracepoints/usdt-place.h \
	tracepoints/usdt-switch-x86_64.c \
	tracepoints/usdt-trap-x86_64.c \
	tracepoints/usdt-write-x86_64.c \
	$(tracepoints_plan_sources)

# libtaffrail-pthread.so
provider_pthread_sources = \
	tracepoints/provider-pthread.c

# installed, for programs
taffrail_headers = \
	tracepoints/taffrail/clock.h \
	tracepoints/taffrail/marker-c.h \
	tracepoints/taffrail/marker-cxx.h \
	tracepoints/taffrail/marker-sdt.h \
	tracepoints/taffrail/marker.h \
	tracepoints/taffrail/sdt.h \
	tracepoints/taffrail/site-generic.h \
	tracepoints/taffrail/site-x86_64.h \
	tracepoints/taffrail/site.h
compat_headers = \
	tracepoints/taffrail/compat/sys/sdt.h
ust_headers = \
	tracepoints/ust/marker.h
