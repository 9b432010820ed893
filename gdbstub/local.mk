# gdbstub/: gdb and gdbserver: remote protocol, agent, filter. One file a line.

# in the agent
gdbstub_sources = \
	gdbstub/ipa/abi.h \
	gdbstub/ipa/buffer.c \
	gdbstub/ipa/cell.c \
	gdbstub/ipa/clean.c \
	gdbstub/ipa/collect.c \
	gdbstub/ipa/hold.c \
	gdbstub/ipa/hooks.c \
	gdbstub/ipa/ipa.c \
	gdbstub/ipa/ipa.h \
	gdbstub/ipa/kept.c \
	gdbstub/ipa/limits.c \
	gdbstub/ipa/marker.c \
	gdbstub/ipa/memory.c \
	gdbstub/ipa/program.c \
	gdbstub/ipa/site.c \
	gdbstub/ipa/socket.c \
	gdbstub/ipa/trace.c \
	gdbstub/ipa/traced.c \
	gdbstub/ipa/variable.c \
	gdbstub/stub/constant.c \
	gdbstub/stub/files.c \
	gdbstub/stub/open.c \
	gdbstub/stub/open.h \
	gdbstub/stub/stub.c \
	gdbstub/stub/target.c \
	gdbstub/stub/transfer.c \
	gdbstub/tracing/define-point.c \
	gdbstub/tracing/define-settings.c \
	gdbstub/tracing/define.c \
	gdbstub/tracing/defined.c \
	gdbstub/tracing/defined.h \
	gdbstub/tracing/forms.c \
	gdbstub/tracing/forms-private.h \
	gdbstub/tracing/frame-buffer.c \
	gdbstub/tracing/frame-fields.c \
	gdbstub/tracing/frame.c \
	gdbstub/tracing/frame.h \
	gdbstub/tracing/markers.c \
	gdbstub/tracing/prints.c \
	gdbstub/tracing/run.c \
	gdbstub/tracing/run.h \
	gdbstub/tracing/status.c \
	gdbstub/tracing/upload.c \
	gdbstub/wire/connection.c \
	gdbstub/wire/connection.h \
	gdbstub/wire/packet.c \
	gdbstub/wire/packet.h \
	gdbstub/wire/registers.h \
	gdbstub/wire/rsp.h \
	gdbstub/wire/static-block.h

if MACHINE_X86_64
gdbstub_sources += \
	gdbstub/ipa/block-x86_64.c \
	gdbstub/ipa/collect-x86_64.S \
	gdbstub/ipa/hooks-x86_64.S \
	gdbstub/wire/registers-x86_64.c
endif

# in the command: the filter for gdbserver
gdbstub_tool_sources = \
	gdbstub/filter/answer.c \
	gdbstub/filter/buffer.c \
	gdbstub/filter/define.c \
	gdbstub/filter/filter.c \
	gdbstub/filter/filter.h \
	gdbstub/filter/frames.c \
	gdbstub/filter/gone.c \
	gdbstub/filter/machine-x86_64.h \
	gdbstub/filter/note.c \
	gdbstub/filter/points.c \
	gdbstub/filter/private.h \
	gdbstub/filter/request.c \
	gdbstub/filter/static.c \
	gdbstub/filter/status.c \
	gdbstub/filter/talk.c \
	gdbstub/filter/words.c \
	gdbstub/wire/packet.c \
	gdbstub/wire/packet.h

# The extension of gdb: in this order they make taffrail-gdb.py.
gdb_extension = \
	gdbstub/extension/text.py \
	gdbstub/extension/target.py \
	gdbstub/extension/sdata.py \
	gdbstub/extension/fields.py \
	gdbstub/extension/condition.py \
	gdbstub/extension/actions.py \
	gdbstub/extension/dap.py \
	gdbstub/extension/functions.py \
	gdbstub/extension/libraries.py \
	gdbstub/extension/commands.py

# Runs in a hit: compiled for speed. All else in the agent is compiled for size.
gdbstub_hot = \
	gdbstub/ipa/buffer.c \
	gdbstub/ipa/cell.c \
	gdbstub/ipa/collect.c \
	gdbstub/ipa/hold.c \
	gdbstub/ipa/hooks.c \
	gdbstub/ipa/kept.c \
	gdbstub/ipa/variable.c

# Runs in the agent's threads alone (Makefile.am).
gdbstub_aside = \
	gdbstub/ipa/clean.c \
	gdbstub/ipa/site.c \
	gdbstub/ipa/traced.c \
	$(filter gdbstub/stub/%.c gdbstub/tracing/%.c gdbstub/wire/%.c, \
		$(gdbstub_sources))
