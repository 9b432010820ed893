# Callbacks, for programs that link with libtaffrail-probe. One file a line.
callbacks_sources = \
	callbacks/answer.c \
	callbacks/attach.c \
	callbacks/connect.c \
	callbacks/end.c \
	callbacks/environment.c \
	callbacks/floats-x86_64.h \
	callbacks/fork.c \
	callbacks/handled.c \
	callbacks/handlers.c \
	callbacks/hit.c \
	callbacks/library.c \
	callbacks/list.c \
	callbacks/names.c \
	callbacks/private.h \
	callbacks/reader.c \
	callbacks/request.c \
	callbacks/stubs-private.h

if MACHINE_X86_64
callbacks_sources += \
	callbacks/handlers-x86_64.S
endif

# what it has copies of
callbacks_shared_sources = \
	base/arena.c \
	base/demangle-rust.c \
	base/demangle.c \
	base/glob.c \
	base/lines.c \
	base/mappings.c \
	base/memory-functions.c \
	base/text.c \
	tracepoints/conditions/rule-split.c \
	tracepoints/fields/fields.c \
	tracepoints/fields/shown.c \
	tracepoints/fields/token.c

# probe libraries
histogram_sources = \
	callbacks/shipped/histogram.c \
	callbacks/shipped/pairs-private.h \
	callbacks/shipped/value-private.h
watchdog_sources = \
	callbacks/shipped/pairs-private.h \
	callbacks/shipped/value-private.h \
	callbacks/shipped/watchdog.c
