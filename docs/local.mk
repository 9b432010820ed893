# docs/: manual pages, one page a layer, examples. One file a line.
dist_man_MANS += \
	docs/man/taffrail-attach.1 \
	docs/man/taffrail-call.1 \
	docs/man/taffrail-completion.1 \
	docs/man/taffrail-connect.1 \
	docs/man/taffrail-destroy.1 \
	docs/man/taffrail-detach.1 \
	docs/man/taffrail-disable.1 \
	docs/man/taffrail-disconnect.1 \
	docs/man/taffrail-doctor.1 \
	docs/man/taffrail-enable.1 \
	docs/man/taffrail-env.1 \
	docs/man/taffrail-environment.7 \
	docs/man/taffrail-export.1 \
	docs/man/taffrail-flush.1 \
	docs/man/taffrail-gdb.1 \
	docs/man/taffrail-gdbserver.1 \
	docs/man/taffrail-list.1 \
	docs/man/taffrail-load.1 \
	docs/man/taffrail-pthread.7 \
	docs/man/taffrail-record.1 \
	docs/man/taffrail-report.1 \
	docs/man/taffrail-rule.7 \
	docs/man/taffrail-snapshot.1 \
	docs/man/taffrail-start.1 \
	docs/man/taffrail-status.1 \
	docs/man/taffrail-stop.1 \
	docs/man/taffrail-timeline.1 \
	docs/man/taffrail-top.1 \
	docs/man/taffrail-unload.1 \
	docs/man/taffrail-verify.1 \
	docs/man/taffrail-view.1 \
	docs/man/taffrail-watch.1 \
	docs/man/taffrail.1 \
	docs/man/taffrail_clock_read.3 \
	docs/man/taffrail_event_declare.3 \
	docs/man/taffrail_marker.3 \
	docs/man/taffrail_probe_attach.3 \
	docs/man/taffrail_probe_library.3 \
	docs/man/taffrail_sdt.3 \
	docs/man/taffrail_signal_chain.3 \
	docs/man/ust_marker.3

# Installed as they are named in README, so its paths and links hold there.
dist_doc_DATA = README
pagesdir = $(docdir)/docs
dist_pages_DATA = \
	docs/agent.md \
	docs/architecture.md \
	docs/attach.md \
	docs/benchmarks.md \
	docs/buffers.md \
	docs/callbacks.md \
	docs/command.md \
	docs/conditions.md \
	docs/from-lttng.md \
	docs/anywhere.md \
	docs/functions.md \
	docs/gdb-defects.md \
	docs/gdb-tutorial.md \
	docs/gdb.md \
	docs/gdbserver.md \
	docs/gdbstub.md \
	docs/glossary.md \
	docs/guarantees.md \
	docs/hacking.md \
	docs/history.md \
	docs/looking.md \
	docs/lttng.md \
	docs/memory-order.md \
	docs/packages.md \
	docs/platforms.md \
	docs/probe-libraries.md \
	docs/programs.md \
	docs/python.md \
	docs/remote.md \
	docs/renamed.md \
	docs/roadmap.md \
	docs/scarce.md \
	docs/shared.md \
	docs/tasks.md \
	docs/timeline.png \
	docs/tracepoints.md \
	docs/traces.md \
	docs/usdt.md \
	docs/writers.md
examplesdir = $(docdir)/docs/examples
dist_examples_DATA = \
	docs/examples/fields.c \
	docs/examples/handler.c \
	docs/examples/hello.c \
	docs/examples/library.c \
	docs/examples/objects.cc \
	docs/examples/plugin.c \
	docs/examples/recorder.c \
	docs/examples/redis.patch \
	docs/examples/serve.py \
	docs/examples/slow.c \
	docs/examples/ust.c

EXTRA_DIST += \
	testsuite/taffrail.examples
