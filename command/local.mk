# command/: the taffrail command, one file a sub-command. One file a line;
# main.c stands alone, so that unit tests link the rest.
command_main = \
	command/main.c
command_sources = \
	command/client.c \
	command/client.h \
	command/command.h \
	command/elfnotes.c \
	command/elfnotes.h \
	command/json.c \
	command/json.h \
	command/markers.c \
	command/markers.h \
	command/nearest.c \
	command/nearest.h \
	command/options.c \
	command/rule.c \
	command/rule.h \
	command/rundir-find.c \
	command/rundir-pages.c \
	command/rundir-private.h \
	command/rundir-sweep.c \
	command/rundir.c \
	command/rundir.h \
	command/start.c \
	command/stop.c \
	command/targets.c \
	command/targets.h \
	command/trace-clock.c \
	command/trace-private.h \
	command/trace-stream.c \
	command/trace.c \
	command/trace.h
