# testsuite/: DejaGnu runs everything, against an install of this build.

# C unit tests: testsuite/unit/ROOM/NAME.c is program testsuite/unit/ROOM/NAME.
# So are fuzz targets, which then take a few inputs; testsuite/fuzz/run takes
# many.
unit_programs = \
	testsuite/fuzz/ax \
	testsuite/fuzz/control \
	testsuite/fuzz/expr \
	testsuite/fuzz/filter \
	testsuite/fuzz/frames \
	testsuite/fuzz/metadata \
	testsuite/fuzz/plan \
	testsuite/fuzz/ring \
	testsuite/fuzz/scribble \
	testsuite/fuzz/symbols \
	testsuite/fuzz/trace \
	testsuite/fuzz/usdt \
	testsuite/unit/agent/declare \
	testsuite/unit/agent/hand-on \
	testsuite/unit/base/demangle \
	testsuite/unit/base/glob \
	testsuite/unit/base/host \
	testsuite/unit/base/index \
	testsuite/unit/base/mappings \
	testsuite/unit/buffers/anchor \
	testsuite/unit/buffers/kill-steps \
	testsuite/unit/buffers/reader \
	testsuite/unit/buffers/records \
	testsuite/unit/buffers/replaced \
	testsuite/unit/buffers/ring \
	testsuite/unit/buffers/ring-paths \
	testsuite/unit/buffers/ring-step \
	testsuite/unit/buffers/shared-types \
	testsuite/unit/buffers/tally \
	testsuite/unit/buffers/writer-steps \
	testsuite/unit/command/agents \
	testsuite/unit/command/attach \
	testsuite/unit/command/causes \
	testsuite/unit/command/client \
	testsuite/unit/command/completion \
	testsuite/unit/command/doctor \
	testsuite/unit/command/elf \
	testsuite/unit/command/export \
	testsuite/unit/command/gdbserver \
	testsuite/unit/command/load \
	testsuite/unit/command/options \
	testsuite/unit/command/procfs \
	testsuite/unit/command/reading \
	testsuite/unit/command/report \
	testsuite/unit/command/rule \
	testsuite/unit/command/runtime \
	testsuite/unit/command/saved \
	testsuite/unit/command/sandbox \
	testsuite/unit/command/symboliser \
	testsuite/unit/command/targets \
	testsuite/unit/command/texts \
	testsuite/unit/command/timeline \
	testsuite/unit/command/times \
	testsuite/unit/command/top \
	testsuite/unit/command/work \
	testsuite/unit/control/actions \
	testsuite/unit/control/descriptors \
	testsuite/unit/control/files \
	testsuite/unit/control/guest \
	testsuite/unit/control/sessions \
	testsuite/unit/control/stop \
	testsuite/unit/control/vectors \
	testsuite/unit/gdbstub/define \
	testsuite/unit/gdbstub/filter \
	testsuite/unit/gdbstub/filter-buffer \
	testsuite/unit/gdbstub/filter-gone \
	testsuite/unit/gdbstub/filter-static \
	testsuite/unit/gdbstub/filter-status \
	testsuite/unit/gdbstub/filter-talk \
	testsuite/unit/gdbstub/ipa-hold \
	testsuite/unit/gdbstub/packet \
	testsuite/unit/record/drain \
	testsuite/unit/record/members \
	testsuite/unit/record/options \
	testsuite/unit/record/outcome \
	testsuite/unit/tracepoints/ax \
	testsuite/unit/jumps/puns \
	testsuite/unit/tracepoints/ax-simple \
	testsuite/unit/tracepoints/conversion \
	testsuite/unit/tracepoints/describe \
	testsuite/unit/tracepoints/executable \
	testsuite/unit/tracepoints/expr \
	testsuite/unit/tracepoints/expr-parts \
	testsuite/unit/tracepoints/expr-unread \
	testsuite/unit/tracepoints/field-text \
	testsuite/unit/tracepoints/fields \
	testsuite/unit/tracepoints/frames \
	testsuite/unit/tracepoints/frames-live \
	testsuite/unit/tracepoints/memory \
	testsuite/unit/tracepoints/notes \
	testsuite/unit/tracepoints/object \
	testsuite/unit/tracepoints/patch-sync \
	testsuite/unit/tracepoints/prototypes \
	testsuite/unit/tracepoints/rule-split \
	testsuite/unit/tracepoints/scalar \
	testsuite/unit/tracepoints/shown \
	testsuite/unit/tracepoints/ust \
	testsuite/unit/tracepoints/usdt-functions \
	testsuite/unit/tracepoints/usdt-lookup \
	testsuite/unit/tracepoints/usdt-move \
	testsuite/unit/tracepoints/usdt-note \
	testsuite/unit/tracepoints/usdt-operand \
	testsuite/unit/tracepoints/usdt-plain \
	testsuite/unit/tracepoints/usdt-plan \
	testsuite/unit/tracepoints/usdt-spots \
	testsuite/unit/tracepoints/xz \
	testsuite/unit/traces/field-at \
	testsuite/unit/traces/histogram \
	testsuite/unit/traces/labels \
	testsuite/unit/traces/metadata \
	testsuite/unit/traces/number \
	testsuite/unit/traces/pairs \
	testsuite/unit/traces/same-names \
	testsuite/unit/traces/visit
check_PROGRAMS += $(unit_programs)
# Most take longer to compile than to run, but for those whose own code is stepped,
# unwound or timed.
slow_programs = $(filter testsuite/unit/buffers/%, $(unit_programs)) \
	testsuite/unit/tracepoints/conversion \
	testsuite/unit/tracepoints/frames \
	testsuite/unit/tracepoints/frames-live \
	testsuite/unit/tracepoints/usdt-functions \
	testsuite/unit/tracepoints/usdt-lookup
quick_objects = $(addsuffix .$(OBJEXT), \
	$(filter-out $(slow_programs), $(unit_programs)))
$(quick_objects): CFLAGS += $(QUICK_CODE)
LDADD = libcommand.a libagent.a $(LIBELF) $(LIBZYDIS) $(LIBZ) $(LIBEXPAT)
# `cleanup` variables get a table of call sites
testsuite_fuzz_plan_CFLAGS = $(AM_CFLAGS) -fexceptions
testsuite_unit_buffers_anchor_LDADD = $(LDADD) -lm
# with the writers, which make the section of restartable sequences
testsuite_unit_control_descriptors_LDFLAGS = -Wl,-u,write_word_compact
testsuite_unit_control_files_LDFLAGS = -Wl,-u,write_word_compact
testsuite_unit_tracepoints_ax_LDADD = $(LDADD) -lm
testsuite_unit_tracepoints_conversion_LDADD = $(LDADD) -lm
# A made-up /proc: see proc.h.
wrap_proc = -Wl,--wrap=access,--wrap=fopen,--wrap=lstat,--wrap=open \
	-Wl,--wrap=opendir,--wrap=readlink,--wrap=stat
testsuite_unit_command_attach_LDFLAGS = $(wrap_proc)
testsuite_unit_command_doctor_LDFLAGS = $(wrap_proc)
testsuite_unit_command_gdbserver_LDFLAGS = $(wrap_proc)
testsuite_unit_command_load_LDFLAGS = $(wrap_proc)
testsuite_unit_command_procfs_LDFLAGS = $(wrap_proc)
testsuite_unit_record_members_LDFLAGS = $(wrap_proc)
testsuite_unit_command_runtime_LDFLAGS = $(wrap_proc) -Wl,--wrap=statfs
EXTRA_DIST += testsuite/fuzz/fuzz.h testsuite/fuzz/ring.h testsuite/fuzz/run

# The unit tests and the stress test of the rings share the test bed and the
# oracle.
stress_bed = testsuite/stress/bed.c testsuite/stress/bed.h \
	testsuite/stress/oracle.c testsuite/stress/oracle.h
testsuite_unit_tracepoints_frames_live_SOURCES = \
	testsuite/unit/tracepoints/frames-live.c $(stress_bed)
testsuite_unit_buffers_replaced_SOURCES = \
	testsuite/unit/buffers/replaced.c $(stress_bed)
testsuite_unit_control_stop_SOURCES = \
	testsuite/unit/control/stop.c $(stress_bed)
testsuite_unit_buffers_ring_SOURCES = \
	testsuite/unit/buffers/ring.c $(stress_bed)
testsuite_unit_buffers_kill_steps_SOURCES = \
	testsuite/unit/buffers/kill-steps.c testsuite/unit/buffers/tracee.h \
	$(stress_bed)
testsuite_unit_buffers_writer_steps_SOURCES = \
	testsuite/unit/buffers/writer-steps.c testsuite/unit/buffers/tracee.h \
	$(stress_bed)
testsuite_unit_buffers_shared_types_SOURCES = \
	testsuite/unit/buffers/shared-types.c testsuite/unit/buffers/tracee.h \
	$(stress_bed)
testsuite_unit_tracepoints_object_SOURCES = \
	testsuite/unit/tracepoints/object.c $(stress_bed)
# These two have the objects of the library that is installed.
testsuite_unit_tracepoints_usdt_lookup_LDADD = \
	$(libtaffrail_usdt_so_OBJECTS) $(LDADD)
testsuite_unit_tracepoints_usdt_lookup_LDFLAGS = -Wl,--wrap=arena_keep
testsuite_unit_tracepoints_usdt_move_SOURCES = \
	testsuite/unit/tracepoints/usdt-move.c \
	tracepoints/usdt/jumps/move-x86_64.c
# the code of a line, and what hits it
testsuite_unit_tracepoints_usdt_spots_SOURCES = \
	testsuite/unit/tracepoints/usdt-spots.c \
	testsuite/shared/spots-load.c
testsuite_unit_tracepoints_usdt_spots_LDADD = \
	$(libtaffrail_usdt_so_OBJECTS) $(LDADD)
testsuite_unit_tracepoints_usdt_spots_CFLAGS = $(AM_CFLAGS) -O2 -g
testsuite_unit_tracepoints_usdt_spots_LDFLAGS = -Wl,--wrap=usdt_hit
testsuite_unit_jumps_puns_SOURCES = testsuite/unit/jumps/puns.c $(usdt_sources)
testsuite_unit_jumps_puns_LDFLAGS = -Wl,--wrap=usdt_hit \
	-Wl,--wrap=usdt_puns_add
testsuite_unit_buffers_records_SOURCES = \
	testsuite/unit/buffers/records.c $(stress_bed)
testsuite_unit_buffers_ring_paths_SOURCES = \
	testsuite/unit/buffers/ring-paths.c $(stress_bed)
testsuite_unit_buffers_ring_step_SOURCES = \
	testsuite/unit/buffers/ring-step.c $(stress_bed)
check_PROGRAMS += testsuite/stress/rings
testsuite_stress_rings_SOURCES = \
	testsuite/stress/consumer.c \
	testsuite/stress/events.c \
	testsuite/stress/rings.c \
	testsuite/stress/stress.h \
	$(stress_bed)
EXTRA_DIST += testsuite/stress/modes testsuite/stress/run
EXTRA_DIST += testsuite/unit/command/said.h \
	testsuite/unit/command/made.h \
	testsuite/unit/command/proc.h \
	testsuite/unit/command/elf-made.h
EXTRA_DIST += testsuite/unit/definitions.h testsuite/unit/expect.h \
	testsuite/unit/condition.h testsuite/unit/filter-bed.h \
	testsuite/unit/frames.h testsuite/unit/rings.h testsuite/unit/unit.h \
	testsuite/unit/usdt.h

# Folders, distributed as a whole. check/run finds every taffrail.*/ by itself.
EXTRA_DIST += \
	testsuite/README \
	testsuite/bench \
	testsuite/builds \
	testsuite/check \
	testsuite/config \
	testsuite/distros \
	testsuite/gdb-suite \
	testsuite/generate \
	testsuite/lib \
	testsuite/lint \
	testsuite/models \
	testsuite/programs \
	testsuite/reproducible \
	testsuite/sanitize \
	testsuite/shared \
	testsuite/taffrail.agent \
	testsuite/taffrail.attach \
	testsuite/taffrail.buffers \
	testsuite/taffrail.callbacks \
	testsuite/taffrail.check \
	testsuite/taffrail.children \
	testsuite/taffrail.commands \
	testsuite/taffrail.conditions \
	testsuite/taffrail.control \
	testsuite/taffrail.damage \
	testsuite/taffrail.declared \
	testsuite/taffrail.distros \
	testsuite/taffrail.doctor \
	testsuite/taffrail.examples \
	testsuite/taffrail.functions \
	testsuite/taffrail.gdb \
	testsuite/taffrail.gdbserver \
	testsuite/taffrail.identity \
	testsuite/taffrail.lines \
	testsuite/taffrail.lint \
	testsuite/taffrail.look \
	testsuite/taffrail.lttng \
	testsuite/taffrail.markers \
	testsuite/taffrail.models \
	testsuite/taffrail.pthread \
	testsuite/taffrail.python \
	testsuite/taffrail.scarce \
	testsuite/taffrail.service \
	testsuite/taffrail.sessions \
	testsuite/taffrail.stress \
	testsuite/taffrail.timeline \
	testsuite/taffrail.unit \
	testsuite/taffrail.usdt

# `make check` installs below the build folder and tests this install.
stage_dir = $(abs_builddir)/stage
check_dir = $(abs_builddir)/testsuite
runtest = runtest

# where programs find the package; empty if it was not built
if PYTHON_BINDING
python_place = $(stage_dir)$(pyexecdir)
endif

stage: all
	$(AM_V_at)rm -rf $(stage_dir)
	$(AM_V_GEN)$(MAKE) $(AM_MAKEFLAGS) -s DESTDIR=$(stage_dir) install \
		>/dev/null

# Ends tests' programs that hang. musl's start takes half of the time, and one
# that is not static three times.
$(check_dir)/limit: testsuite/check/limit.c
	$(AM_V_at)mkdir -p $(check_dir)
	$(AM_V_GEN)musl-gcc -O2 -static -o $@ $< 2>/dev/null || \
		$(CC) -O2 -static -o $@ $< 2>/dev/null || $(CC) -O2 -o $@ $<

site: stage $(check_dir)/limit
	@command -v $(runtest) >/dev/null || { echo 'make check: no runtest:' \
		'install the package dejagnu' >&2; exit 1; }
	@mkdir -p $(check_dir)
	@{ echo 'set tool taffrail'; \
	   echo 'set srcdir "$(abs_top_srcdir)/testsuite"'; \
	   echo 'set objdir "$(check_dir)"'; \
	   echo 'set taffrail_top "$(abs_top_srcdir)"'; \
	   echo 'set taffrail_prefix "$(stage_dir)$(prefix)"'; \
	   echo 'set taffrail_bindir "$(stage_dir)$(bindir)"'; \
	   echo 'set taffrail_libdir "$(stage_dir)$(libdir)"'; \
	   echo 'set taffrail_includedir "$(stage_dir)$(includedir)"'; \
	   echo 'set taffrail_limit "$(check_dir)/limit"'; \
	   echo 'set taffrail_cc {$(CC)}'; \
	   echo 'set taffrail_cxx {$(CXX)}'; \
	   echo 'set taffrail_python {$(PYTHON)}'; \
	   echo 'set taffrail_python_place {$(python_place)}'; \
	   echo 'set taffrail_unit_programs {$(unit_programs)}'; \
	   echo 'set build_triplet $(build_triplet)'; \
	   echo 'set host_triplet $(host_triplet)'; \
	 } >$(check_dir)/site.exp

# Long runs and measurements are scripts with one interface: they run in the
# build folder, and these variables tell them what to test.
script_environment = TAFFRAIL_SRCDIR=$(abs_top_srcdir) \
	TAFFRAIL_BUILDDIR=$(abs_builddir) \
	TAFFRAIL_PREFIX=$(stage_dir)$(prefix) CC="$(CC)" CXX="$(CXX)" \
	PYTHON="$(PYTHON)" PYTHON_PLACE="$(python_place)"
run_script = run_script() { \
	test -x "$$1" || { echo "make $@: $$1 does not exist" >&2; exit 1; }; \
	env $(script_environment) "$$@"; }; run_script

# All files, or SUBJECT=agent, TEST=children/fork, RUNTESTFLAGS="fork.exp OPTIONS";
# CHECK_JOBS=N: so many at a time. There is no shell between make and the
# script, so the script sees when make ends.
check-local: site
	@exec env $(script_environment) RUNTEST="$(runtest)" \
		SUBJECT="$(SUBJECT)" TEST="$(TEST)" CHECK_JOBS="$(CHECK_JOBS)" \
		TIER="$(TIER)" \
		RUNTESTFLAGS="$(or $(RUNTESTFLAGS),$(CHECK_TESTS))" \
		$(abs_top_srcdir)/testsuite/check/run

check-quick:
	@$(MAKE) $(AM_MAKEFLAGS) check TIER=quick

# LONG: some of its targets
check-long: all
	@$(run_script) $(abs_top_srcdir)/testsuite/check/long $(LONG)

bench: stage testsuite/unit/tracepoints/usdt-functions
	@$(run_script) $(abs_top_srcdir)/testsuite/bench/run

# STRESS_FLAGS: --quick, --only WORD, --list
check-stress: site $(check_PROGRAMS)
	@$(run_script) $(abs_top_srcdir)/testsuite/stress/run $(STRESS_FLAGS)

# GDB_SRC is a source tree of GDB, GDB_TESTS some files of gdb.trace/ in it.
check-gdb: stage
	@$(run_script) $(abs_top_srcdir)/testsuite/gdb-suite/run \
		$(GDB_TEST_FLAGS) "$(GDB_SRC)" $(GDB_TESTS)

# Run as root, by hand. DISTROS_DIR has the trees; DISTROS_FLAGS: --flags
# 'FILE.exp ...', --fresh, --remove, --table; DISTROS: names of releases.
check-distros:
	@$(run_script) $(abs_top_srcdir)/testsuite/distros/run \
		$(DISTROS_FLAGS) $(DISTROS)

# Run as root, by hand. PROGRAMS_FLAGS: --only NAME, --times N, --list,
# --table
check-programs: stage
	@$(run_script) $(abs_top_srcdir)/testsuite/programs/run \
		$(PROGRAMS_FLAGS)

# COUNT programs of the seeds from SEED on; GENERATE_FLAGS: more options of the
# script. A program that fails stays in generated/SEED.
check-generated: stage
	@$(run_script) $(abs_top_srcdir)/testsuite/generate/run --quiet \
		--count $(or $(COUNT),20000) $(SEED:%=--seed=%) --gdb 100 \
		--keep $(abs_builddir)/generated $(GENERATE_FLAGS)

# By hand. BUILDS_FLAGS: --only WORD, --tests 'FILE.exp ...', --list, --table
check-builds:
	@$(run_script) $(abs_top_srcdir)/testsuite/builds/run $(BUILDS_FLAGS)

check-models:
	@$(run_script) $(abs_top_srcdir)/testsuite/models/run

check-sanitize:
	@$(run_script) $(abs_top_srcdir)/testsuite/sanitize/run

check-reproducible: dist
	@$(run_script) $(abs_top_srcdir)/testsuite/reproducible/run \
		$(abs_builddir)/$(distdir).tar.xz

figures:
	@cd $(top_srcdir) && python3 testsuite/lint/figures.py $(FOLDERS)

lint-commits:
	@cd $(top_srcdir) && \
	python3 testsuite/lint/commits.py $${RANGE-origin/main..}

lint: all
	@$(run_script) $(abs_top_srcdir)/testsuite/lint/lint.sh

# Programs that the sanitizers' builds need; they install nothing.
unit-programs: $(check_PROGRAMS)
print-unit-programs:
	@echo $(unit_programs)
.PHONY: check-quick check-long check-builds check-reproducible \
	check-distros check-generated check-programs unit-programs \
	print-unit-programs

clean-local:
	rm -rf $(stage_dir) $(check_dir)/run $(check_dir)/site.exp \
		$(check_dir)/site.bak $(check_dir)/taffrail.sum \
		$(check_dir)/taffrail.log $(check_dir)/taffrail.unstable $(check_dir)/parts \
		$(check_dir)/seconds $(check_dir)/gdb-index \
		$(check_dir)/limit $(check_dir)/compiled \
		$(abs_builddir)/lint $(abs_builddir)/long \
		$(abs_builddir)/sanitize-* \
		$(abs_builddir)/stress-* \
		$(abs_builddir)/gdb-suite $(abs_builddir)/generated \
		$(abs_builddir)/builds

