# agent/: what loads into the program. One file a line.
agent_sources = \
	agent/agent.h \
	agent/api.c \
	agent/attach.c \
	agent/attach.h \
	agent/bell.c \
	agent/bell.h \
	agent/control.c \
	agent/control.h \
	agent/demand.c \
	agent/demand.h \
	agent/descriptors.c \
	agent/descriptors.h \
	agent/entries.c \
	agent/entries.h \
	agent/filtered.c \
	agent/filtered.h \
	agent/fork.c \
	agent/fork.h \
	agent/gdb.c \
	agent/gdb.h \
	agent/guest.c \
	agent/guest.h \
	agent/ipa-abi.h \
	agent/ipa-buffer.c \
	agent/ipa-cell.c \
	agent/ipa-clean.c \
	agent/ipa-collect.c \
	agent/ipa-hold.c \
	agent/ipa-limits.c \
	agent/ipa-program.c \
	agent/ipa-site.c \
	agent/ipa-socket.c \
	agent/ipa.c \
	agent/ipa.h \
	agent/leave.c \
	agent/leave.h \
	agent/lines.c \
	agent/lines.h \
	agent/log.c \
	agent/log.h \
	agent/peer.c \
	agent/peer.h \
	agent/place.c \
	agent/place.h \
	agent/protect.c \
	agent/protocol.h \
	agent/quota.c \
	agent/quota.h \
	agent/rights.c \
	agent/rights.h \
	agent/service.c \
	agent/service.h \
	agent/session-text.c \
	agent/session.c \
	agent/session.h \
	agent/settings.c \
	agent/settings.h \
	agent/share.c \
	agent/start.c \
	agent/thread.c \
	agent/thread.h \
	agent/vectors.h

# in the shared library only
agent_shared_sources = \
	agent/exec-shared.c \
	agent/fork-shared.c \
	agent/libc-shared.c \
	agent/modules-shared.c \
	agent/sanitizer-shared.c \
	agent/setid.c

if MACHINE_X86_64
agent_sources += \
	agent/loader-x86_64.c \
	agent/clone-x86_64.c \
	agent/demand-x86_64.S \
	agent/ipa-x86_64.S \
	agent/ipa-x86_64.h \
	agent/vectors-setup-x86_64.c \
	agent/vectors-x86_64.S \
	agent/vfork-x86_64.S \
	agent/thread-x86_64.h
endif

if MACHINE_X86_64
agent_shared_sources += \
	agent/names-shared-x86_64.c
endif

# libc's names, which only programs are to find: not unit tests
agent_wrap_sources = \
	agent/confine.c

if MACHINE_X86_64
agent_wrap_sources += \
	agent/syscall-x86_64.S
endif
