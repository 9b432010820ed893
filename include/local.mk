# include/: headers for programs. One file a line.

# installed, for programs
taffrail_headers = \
	include/taffrail/clock.h \
	include/taffrail/event.h \
	include/taffrail/marker-c.h \
	include/taffrail/marker-cxx.h \
	include/taffrail/marker-field-cxx.h \
	include/taffrail/marker-group-c.h \
	include/taffrail/marker-group-cxx.h \
	include/taffrail/marker-hit-cxx.h \
	include/taffrail/marker-holder-cxx.h \
	include/taffrail/marker-library-cxx.h \
	include/taffrail/marker-narrow.h \
	include/taffrail/marker-scope-cxx.h \
	include/taffrail/marker-sections.h \
	include/taffrail/marker-sdt.h \
	include/taffrail/marker-shown-c.h \
	include/taffrail/marker-shown-cxx.h \
	include/taffrail/marker-text-cxx.h \
	include/taffrail/marker-text.h \
	include/taffrail/marker-union-c.h \
	include/taffrail/marker-union-cxx.h \
	include/taffrail/marker-words-c.h \
	include/taffrail/marker-words-cxx.h \
	include/taffrail/marker.h \
	include/taffrail/probe.h \
	include/taffrail/probe-library.h \
	include/taffrail/sdt.h \
	include/taffrail/signal.h \
	include/taffrail/site-generic.h \
	include/taffrail/site-x86_64.h \
	include/taffrail/site.h

compat_headers = \
	include/taffrail/compat/sys/sdt.h

ust_headers = \
	include/ust/marker.h
