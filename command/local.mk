# command/: the taffrail command, one file a sub-command. One file a line;
# main.c stands alone, so that unit tests link the rest.
command_main = \
	command/main.c
command_sources = \
	command/attach-forks.c \
	command/attach-load.c \
	command/attach-memory.c \
	command/attach-modules.c \
	command/attach-private.h \
	command/attach-provide.c \
	command/attach-stub.h \
	command/attach-stop.c \
	command/attach-target.c \
	command/attach-threads.c \
	command/attach.c \
	command/attach.h \
	command/client.c \
	command/client.h \
	command/collect.c \
	command/collect.h \
	command/comm.c \
	command/comm.h \
	command/command.h \
	command/core.c \
	command/core.h \
	command/elfnotes.c \
	command/elfnotes.h \
	command/filtered.c \
	command/filtered.h \
	command/gdb-listen.c \
	command/gdb-peer.c \
	command/gdb.c \
	command/gdb.h \
	command/gdbserver-agents.c \
	command/gdbserver-symbols.c \
	command/gdbserver-child.c \
	command/gdbserver-limits.c \
	command/gdbserver-messages.c \
	command/gdbserver-relay.c \
	command/gdbserver.c \
	command/gdbserver.h \
	command/group.c \
	command/installed.c \
	command/installed.h \
	command/json.c \
	command/json.h \
	command/list.c \
	command/markers.c \
	command/markers.h \
	command/nearest.c \
	command/nearest.h \
	command/options.c \
	command/placement.c \
	command/placement.h \
	command/process-markers.c \
	command/process-markers.h \
	command/process.c \
	command/process.h \
	command/record-joiners.c \
	command/record-joiners.h \
	command/record-loop.c \
	command/record-run.c \
	command/record.c \
	command/record.h \
	command/report.c \
	command/report.h \
	command/rule.c \
	command/rule.h \
	command/rundir-find.c \
	command/rundir-nested.c \
	command/rundir-pages.c \
	command/rundir-private.h \
	command/rundir-sweep.c \
	command/rundir-user.c \
	command/rundir.c \
	command/rundir.h \
	command/snapshot.c \
	command/start.c \
	command/status.c \
	command/stop.c \
	command/summon.c \
	command/summon.h \
	command/targets.c \
	command/targets.h \
	command/trace-clock.c \
	command/trace-limit.c \
	command/trace-private.h \
	command/trace-stream.c \
	command/trace.c \
	command/trace.h \
	command/verify-trace.c \
	command/verify.c \
	command/verify.h \
	command/watch.c

if MACHINE_X86_64
command_sources += \
	command/attach-stub-x86_64.S \
	command/attach-thread-x86_64.c
endif
