# command/: the taffrail command. One file a line. main.c stands alone, because
# unit tests link the rest.

command_main = \
	command/main.c

command_sources = \
	command/attach.c \
	command/attach/access.c \
	command/attach/attach.h \
	command/attach/forking.c \
	command/attach/forks.c \
	command/attach/load.c \
	command/attach/memory.c \
	command/attach/modules.c \
	command/attach/private.h \
	command/attach/provide.c \
	command/attach/stop.c \
	command/attach/stub.h \
	command/attach/target.c \
	command/attach/threads.c \
	command/attach/turns.c \
	command/common/command.h \
	command/common/installed.c \
	command/common/installed.h \
	command/common/json.c \
	command/common/json.h \
	command/common/options.c \
	command/common/printable.c \
	command/common/printable.h \
	command/completion/completion.c \
	command/completion/completion.h \
	command/completion/present.c \
	command/completion/propose.c \
	command/completion/scripts.c \
	command/completion/words.c \
	command/elf/elfnotes.c \
	command/elf/elfnotes.h \
	command/elf/markers.c \
	command/elf/markers.h \
	command/elf/placement.c \
	command/elf/placement.h \
	command/elf/process-markers.c \
	command/elf/process-markers.h \
	command/gdb/gdb.c \
	command/gdb/gdb.h \
	command/gdb/listen.c \
	command/gdb/peer.c \
	command/gdb/socket.c \
	command/gdbserver/agents.c \
	command/gdbserver/child.c \
	command/gdbserver/comm.c \
	command/gdbserver/comm.h \
	command/gdbserver/gdbserver.c \
	command/gdbserver/gdbserver.h \
	command/gdbserver/limits.c \
	command/gdbserver/messages.c \
	command/gdbserver/relay.c \
	command/gdbserver/symbols.c \
	command/list.c \
	command/process/process.c \
	command/process/process.h \
	command/processes/client.c \
	command/processes/client.h \
	command/processes/faults.c \
	command/processes/faults.h \
	command/processes/group.c \
	command/processes/nearest.c \
	command/processes/nearest.h \
	command/processes/rule.c \
	command/processes/rule.h \
	command/processes/summon.c \
	command/processes/summon.h \
	command/processes/targets.c \
	command/processes/targets.h \
	command/processes/vouch.c \
	command/processes/vouch.h \
	command/record/consume.c \
	command/record/consume.h \
	command/record/joiners.c \
	command/record/joiners.h \
	command/record/loop.c \
	command/record/options.c \
	command/record/record.c \
	command/record/record.h \
	command/record/report.c \
	command/record/report.h \
	command/record/run.c \
	command/record/shortage.c \
	command/record/shortage.h \
	command/record/signals.c \
	command/record/unreached.c \
	command/record/unreached.h \
	command/rundir/away.c \
	command/rundir/core.c \
	command/rundir/core.h \
	command/rundir/entries.c \
	command/rundir/find.c \
	command/rundir/living.c \
	command/rundir/nested.c \
	command/rundir/pages.c \
	command/rundir/private.h \
	command/rundir/removed.c \
	command/rundir/rundir.c \
	command/rundir/rundir.h \
	command/rundir/sweep.c \
	command/rundir/user.c \
	command/snapshot.c \
	command/start.c \
	command/status.c \
	command/stop.c \
	command/verify.c \
	command/watch.c

if MACHINE_X86_64
command_sources += \
	command/attach/stub-x86_64.S \
	command/attach/thread-x86_64.c
endif
