# probes/: callbacks, for programs that link with libtaffrail-probe. One file a
# line.
probes_sources = \
	probes/fork.c \
	probes/handlers.c \
	probes/hit.c \
	probes/list.c \
	probes/private.h \
	probes/probe.c \
	probes/reader.c

# what it has copies of
probes_shared_sources = \
	base/arena.c \
	base/glob.c \
	base/memory-functions.c \
	base/text.c \
	tracepoints/fields/fields.c \
	tracepoints/fields/name.c
