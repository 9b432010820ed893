# tracepoints/: markers, patching, fields, CTF metadata. One file a line.

# in the agent and in the command
tracepoints_sources = \
	tracepoints/glob.c \
	tracepoints/glob.h

# in the agent only
tracepoints_agent_sources =

if MACHINE_X86_64
tracepoints_agent_sources +=
endif

# in the command only
tracepoints_tool_sources = \
	tracepoints/metadata.c \
	tracepoints/metadata.h

# libtaffrail-pthread.so
provider_pthread_sources = \
	tracepoints/provider-pthread.c

# installed, for programs
taffrail_headers = \
	tracepoints/taffrail/marker-c.h \
	tracepoints/taffrail/marker-cxx.h \
	tracepoints/taffrail/marker-sdt.h \
	tracepoints/taffrail/marker.h \
	tracepoints/taffrail/site-generic.h \
	tracepoints/taffrail/site-x86_64.h \
	tracepoints/taffrail/site.h
ust_headers =
