# traces/: directories of traces, written and read: in the command. One file a
# line.

traces_sources = \
	traces/checksum.c \
	traces/checksum.h \
	traces/clock.c \
	traces/directory.c \
	traces/file.c \
	traces/idx.c \
	traces/idx.h \
	traces/ledger.c \
	traces/ledger.h \
	traces/limit.c \
	traces/load.c \
	traces/metadata.c \
	traces/metadata.h \
	traces/private.h \
	traces/stream.c \
	traces/trace.c \
	traces/trace.h \
	traces/verify.c \
	traces/verify.h
