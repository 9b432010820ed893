# probes/: callbacks, for programs that link with libtaffrail-probe. One file a
# line.
probes_sources = \
	probes/answer.c \
	probes/connect.c \
	probes/end.c \
	probes/environment.c \
	probes/floats-x86_64.h \
	probes/fork.c \
	probes/handlers.c \
	probes/hit.c \
	probes/library.c \
	probes/list.c \
	probes/names.c \
	probes/private.h \
	probes/probe.c \
	probes/reader.c \
	probes/request.c \
	probes/stubs-private.h

if MACHINE_X86_64
probes_sources += \
	probes/handlers-x86_64.S
endif

# what it has copies of
probes_shared_sources = \
	base/arena.c \
	base/glob.c \
	base/lines.c \
	base/memory-functions.c \
	base/text.c \
	tracepoints/fields/fields.c \
	tracepoints/fields/shown.c \
	tracepoints/fields/token.c

# probe libraries
histogram_sources = \
	probes/shipped/histogram.c \
	probes/shipped/pairs-private.h \
	probes/shipped/value-private.h
watchdog_sources = \
	probes/shipped/pairs-private.h \
	probes/shipped/value-private.h \
	probes/shipped/watchdog.c
