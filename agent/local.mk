# agent/: the part that is loaded into the program and connects the others. One
# file a line.

agent_sources = \
	agent/attached-private.h \
	agent/attached.c \
	agent/begin.c \
	agent/callbacks.c \
	agent/callbacks.h \
	agent/called.c \
	agent/control-private.h \
	agent/control.c \
	agent/declare.h \
	agent/deferred.c \
	agent/declare.c \
	agent/exported/clock.c \
	agent/exported/emit.c \
	agent/faulting.c \
	agent/faulting.h \
	agent/fork-private.h \
	agent/fork.c \
	agent/fork.h \
	agent/hidden-private.h \
	agent/late.h \
	agent/image/handover.c \
	agent/image/handover.h \
	agent/image/lacking.c \
	agent/image/lacking.h \
	agent/leave.c \
	agent/leave.h \
	agent/private.h \
	agent/start.c \
	agent/wrap/protect.c

if MACHINE_X86_64
agent_sources += \
	agent/loader-x86_64.c \
	agent/note-x86_64.S \
	agent/wrap/clone-x86_64.c \
	agent/wrap/vfork-x86_64.S
endif

# in programs that are linked with the agent
if MACHINE_X86_64
agent_link_source = agent/link-x86_64.S
endif
EXTRA_DIST += $(agent_link_source)

# in the shared library only
agent_shared_sources = \
	agent/libc-shared.c \
	agent/beside/absent.c \
	agent/beside/elsewhere.c \
	agent/beside/hit.c \
	agent/beside/late.c \
	agent/beside/memory.c \
	agent/beside/modules.c \
	agent/beside/names.c \
	agent/beside/older.c \
	agent/beside/private.h \
	agent/beside/provider.c \
	agent/beside/section.c \
	agent/beside/stock.c \
	agent/sanitizer-shared.c \
	agent/wrap/exec.c \
	agent/wrap/fork.c \
	agent/wrap/mapping.c \
	agent/wrap/next.c \
	agent/wrap/private.h \
	agent/wrap/setid.c \
	agent/wrap/signals.c \
	agent/wrap/spawn.c \
	tracepoints/program/linked.c \
	tracepoints/program/linked.h

if MACHINE_X86_64
agent_shared_sources += \
	agent/names-shared-x86_64.c \
	agent/unload-shared.c
endif

# libc's names, for programs only: unit tests must not use them
agent_wrap_sources = \
	agent/wrap/confine.c \
	agent/wrap/limits.c

if MACHINE_X86_64
agent_wrap_sources += \
	agent/wrap/syscall-x86_64.S
endif

# Runs in a hit, or in a function of libc's that the program calls: compiled for
# speed. All else in the agent is compiled for size.
agent_hot = \
	agent/exported/clock.c \
	agent/exported/emit.c \
	agent/faulting.c \
	agent/wrap/clone-x86_64.c \
	agent/wrap/protect.c

# Runs in the agent's threads alone (Makefile.am).
agent_aside = \
	agent/called.c \
	agent/control.c

# loaded into programs of LTTng-UST's where LTTng is not installed
standin_common = agent/standin/lists.c agent/standin/private.h
standin_sources = $(standin_common) agent/standin/lttng.c
standin_older_sources = $(standin_common) agent/standin/older.c
