# buffers/: layout of shared memory, clock, rings, writers, reader. One file a
# line.

buffers_sources = \
	buffers/clock-x86_64.h \
	buffers/clock.c \
	buffers/clock.h \
	buffers/ctf.h \
	buffers/cursor.h \
	buffers/gnu-hash.h \
	buffers/layout.h \
	buffers/ring-view.c \
	buffers/ring-view.h \
	buffers/rings/anchor.c \
	buffers/rings/anchor.h \
	buffers/rings/channel.c \
	buffers/rings/channel.h \
	buffers/rings/page.c \
	buffers/rings/path.c \
	buffers/rings/private.h \
	buffers/rings/replace.c \
	buffers/rings/room.c \
	buffers/rings/shared.c \
	buffers/rings/shared.h \
	buffers/vdso-private.h \
	buffers/vdso.c \
	buffers/wake.h \
	buffers/words.c \
	buffers/words.h \
	buffers/writers/choose.c \
	buffers/writers/direct.c \
	buffers/writers/event.c \
	buffers/writers/hold-private.h \
	buffers/writers/inline-x86_64.h \
	buffers/writers/locked.c \
	buffers/writers/pieces-x86_64.h \
	buffers/writers/private.h \
	buffers/writers/record.c \
	buffers/writers/tally.h \
	buffers/writers/write.c \
	buffers/writers/write.h

if MACHINE_X86_64
buffers_sources += \
	buffers/writers/fast-x86_64.c \
	buffers/writers/flush-x86_64.c \
	buffers/writers/rseq-x86_64.c \
	buffers/writers/section-x86_64.c \
	buffers/writers/sequence-x86_64.c \
	buffers/writers/tally-x86_64.c
endif

# in the command only
buffers_tool_sources = \
	buffers/reader/copy.c \
	buffers/reader/map.c \
	buffers/reader/private.h \
	buffers/reader/reader.c \
	buffers/reader/reader.h \
	buffers/reader/step.h \
	buffers/reader/ring.c \
	buffers/reader/walk.c

# Runs in a hit: compiled for speed. All else in the agent is compiled for size.
buffers_hot = \
	buffers/clock.c \
	buffers/writers/direct.c \
	buffers/writers/event.c \
	buffers/writers/fast-x86_64.c \
	buffers/writers/locked.c \
	buffers/writers/record.c \
	buffers/writers/section-x86_64.c \
	buffers/writers/sequence-x86_64.c \
	buffers/writers/tally-x86_64.c \
	buffers/writers/write.c

# Runs in the agent's threads alone (Makefile.am).
buffers_aside = \
	buffers/ring-view.c \
	buffers/rings/page.c \
	buffers/rings/replace.c \
	buffers/rings/room.c \
	buffers/writers/choose.c \
	buffers/writers/flush-x86_64.c
