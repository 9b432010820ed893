# base/: system calls, text, tables: code that knows nothing of tracing. One
# file a line.

# in the agent and in the command
base_sources = \
	base/base.h \
	base/order.def \
	base/demangle-rust.c \
	base/demangle.c \
	base/demangle.h \
	base/entries.c \
	base/file.c \
	base/file.h \
	base/glob.c \
	base/glob.h \
	base/host-x86_64.h \
	base/host.c \
	base/host.h \
	base/index.c \
	base/index.h \
	base/lines.c \
	base/lines.h \
	base/mappings.c \
	base/mappings.h \
	base/preload.c \
	base/preload.h \
	base/sys-x86_64.h \
	base/sys.h \
	base/text.c \
	base/text.h \
	base/tunables.h

# in the agent only
base_agent_sources = \
	base/arena.c \
	base/arena.h \
	base/memory-functions.c

# Runs in a hit: compiled for speed. All else in the agent is compiled for size.
base_hot = \
	base/memory-functions.c
