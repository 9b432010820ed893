# control/: the agent's threads, the service loop, sessions. One file a line.

control_sources = \
	control/causes.def \
	control/causes.h \
	control/protocol.h \
	control/request.h \
	control/unload.h \
	control/service/action.c \
	control/service/action.h \
	control/service/call.c \
	control/service/call.h \
	control/service/demand.c \
	control/service/demand.h \
	control/service/service.c \
	control/service/service.h \
	control/service/wakeup.c \
	control/service/wakeup.h \
	control/sessions/adopt.c \
	control/sessions/budget.c \
	control/sessions/budget.h \
	control/sessions/client.c \
	control/sessions/contexts.c \
	control/sessions/environment.c \
	control/sessions/inheritance.c \
	control/sessions/inheritance.h \
	control/sessions/keep.c \
	control/sessions/known.c \
	control/sessions/quiet.c \
	control/sessions/lines.c \
	control/sessions/modules.c \
	control/sessions/objects.c \
	control/sessions/path.c \
	control/sessions/place.c \
	control/sessions/place.h \
	control/sessions/private.h \
	control/sessions/quota.c \
	control/sessions/quota.h \
	control/sessions/rings.c \
	control/sessions/rule.c \
	control/sessions/session.c \
	control/sessions/session.h \
	control/sessions/share.c \
	control/sessions/table.c \
	control/sessions/terms.c \
	control/sessions/text.c \
	control/sessions/untaken.c \
	control/threads/filtered.c \
	control/threads/filtered.h \
	control/threads/guest.c \
	control/threads/guest.h \
	control/threads/log.c \
	control/threads/log.h \
	control/threads/rights.c \
	control/threads/rights.h \
	control/threads/settings.c \
	control/threads/settings.h \
	control/threads/thread.c \
	control/threads/thread.h \
	control/threads/vectors.h

if MACHINE_X86_64
control_sources += \
	control/service/call-x86_64.S \
	control/service/demand-x86_64.S \
	control/threads/stack-x86_64.S \
	control/threads/thread-x86_64.h \
	control/threads/vectors-setup-x86_64.c \
	control/threads/vectors-x86_64.S
endif

# Runs in the agent's threads alone (Makefile.am).
control_aside = \
	control/service/service.c \
	control/sessions/adopt.c \
	control/sessions/budget.c \
	control/sessions/contexts.c \
	control/sessions/environment.c \
	control/sessions/inheritance.c \
	control/sessions/keep.c \
	control/sessions/lines.c \
	control/sessions/modules.c \
	control/sessions/share.c \
	control/sessions/text.c \
	control/sessions/untaken.c \
	control/threads/rights.c
