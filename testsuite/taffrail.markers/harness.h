/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tiny agent for the tests of markers: finds the sites of the program and
 * of its libraries through their notes, as the real agent does, switches them
 * by name and writes down what they hand over.
 */
#ifndef TESTSUITE_MARKERS_HARNESS_H
#define TESTSUITE_MARKERS_HARNESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Switches the sites of a name, also guards. Returns how many there are. */
int harness_switch(const char *name, int on);

/* Compares the events since the last call, and forgets them. */
void harness_expect(const char *what, const char *want);

/* Compare a number. */
void harness_equal(const char *what, long got, long want);

/* Compares text 3 of the marker: the format or the arguments. */
void harness_text(const char *name, const char *want);

/* The cases: each source file has one of these. */
void cases_run(void);
void cases_run_cxx(void);
void second_run(int x);

#ifdef __cplusplus
}
#endif

#endif
