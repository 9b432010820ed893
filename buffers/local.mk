# buffers/: shared memory layout, clock, rings, CTF. One file a line.
buffers_sources = \
	buffers/anchor.c \
	buffers/anchor.h \
	buffers/base.h \
	buffers/channel-page.c \
	buffers/channel-private.h \
	buffers/channel.c \
	buffers/channel.h \
	buffers/clock-x86_64.h \
	buffers/clock.c \
	buffers/clock.h \
	buffers/ctf.h \
	buffers/cursor.h \
	buffers/file.c \
	buffers/file.h \
	buffers/host-x86_64.h \
	buffers/host.c \
	buffers/host.h \
	buffers/layout.h \
	buffers/wake.h \
	buffers/locked.c \
	buffers/sys-x86_64.h \
	buffers/sys.h \
	buffers/tally.h \
	buffers/text.c \
	buffers/text.h \
	buffers/tunables.h \
	buffers/vdso.c \
	buffers/vdso.h \
	buffers/write-hard.h \
	buffers/write-x86_64.h \
	buffers/write.c \
	buffers/write.h

if MACHINE_X86_64
buffers_sources += \
	buffers/flush-x86_64.c \
	buffers/tally-x86_64.c \
	buffers/write-fast-x86_64.c \
	buffers/write-section-x86_64.c \
	buffers/write-sequence-x86_64.c
endif

# in the agent only: the command is a program of its own libc
buffers_agent_sources = \
	buffers/memory-functions.c

# in the command only
buffers_tool_sources = \
	buffers/idx.c \
	buffers/idx.h \
	buffers/reader-map.c \
	buffers/reader-ring.c \
	buffers/reader-walk.c \
	buffers/reader.c \
	buffers/reader.h
