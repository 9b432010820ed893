# gdbstub/: GDB's remote protocol. One file a line.

# in the agent
gdbstub_sources = \
	gdbstub/connection.c \
	gdbstub/connection.h \
	gdbstub/constant.c \
	gdbstub/define-point.c \
	gdbstub/define-settings.c \
	gdbstub/define.c \
	gdbstub/files.c \
	gdbstub/frame-buffer.c \
	gdbstub/frame-fields.c \
	gdbstub/frame.c \
	gdbstub/frame.h \
	gdbstub/marker-text.c \
	gdbstub/marker-text.h \
	gdbstub/markers.c \
	gdbstub/packet.c \
	gdbstub/packet.h \
	gdbstub/registers.h \
	gdbstub/rsp.h \
	gdbstub/status.c \
	gdbstub/run.c \
	gdbstub/run.h \
	gdbstub/stub.c \
	gdbstub/target.c \
	gdbstub/trace.h \
	gdbstub/transfer.c \
	gdbstub/upload.c

# in the command: the filter for gdbserver
gdbstub_tool_sources = \
	gdbstub/filter-answer.c \
	gdbstub/filter-buffer.c \
	gdbstub/filter-define.c \
	gdbstub/filter-frames.c \
	gdbstub/filter-gone.c \
	gdbstub/filter-points.c \
	gdbstub/filter-private.h \
	gdbstub/filter-request.c \
	gdbstub/filter-static.c \
	gdbstub/filter-status.c \
	gdbstub/filter-talk.c \
	gdbstub/filter-x86_64.h \
	gdbstub/filter.c \
	gdbstub/filter.h \
	gdbstub/marker-text.c \
	gdbstub/marker-text.h \
	gdbstub/packet.c \
	gdbstub/packet.h

# The extension of gdb: in this order they make taffrail-gdb.py.
gdb_extension = \
	gdbstub/gdb-text.py \
	gdbstub/gdb-target.py \
	gdbstub/gdb-sdata.py \
	gdbstub/gdb-condition.py \
	gdbstub/gdb-commands.py

if MACHINE_X86_64
gdbstub_sources += \
	gdbstub/registers-x86_64.c
endif
