# traces/: directories of traces, written and read: in the command. One file a
# line.

traces_sources = \
	traces/checksum.h \
	traces/checksum.c \
	traces/clock.c \
	traces/directory.c \
	traces/enumeration.c \
	traces/enumeration-private.h \
	traces/errors-private.h \
	traces/file.c \
	traces/idx.h \
	traces/idx.c \
	traces/ledger-private.h \
	traces/ledger.c \
	traces/limit.c \
	traces/list.c \
	traces/load.c \
	traces/metadata.c \
	traces/metadata.h \
	traces/private.h \
	traces/stream.c \
	traces/trace.c \
	traces/trace.h \
	traces/verify.c \
	traces/verify.h
