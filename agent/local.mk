# agent/: what loads into the program. One file a line.
agent_sources = \
	agent/protocol.h

if MACHINE_X86_64
agent_sources +=
endif
