# gdbstub/: GDB's remote protocol, in the agent. One file a line.
gdbstub_sources = \
	gdbstub/connection.h \
	gdbstub/files.c \
	gdbstub/marker-text.c \
	gdbstub/marker-text.h \
	gdbstub/markers.c \
	gdbstub/packet.c \
	gdbstub/packet.h \
	gdbstub/registers.h \
	gdbstub/rsp.h \
	gdbstub/stub.c \
	gdbstub/target.c \
	gdbstub/trace.c \
	gdbstub/transfer.c

if MACHINE_X86_64
gdbstub_sources += \
	gdbstub/registers-x86_64.c
endif
