/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reasons in words, with the remedy, where an errno says too little. A text is
 * valid until the next call.
 */
#ifndef COMMAND_COMMON_REASON_H
#define COMMAND_COMMON_REASON_H

/* Says why a trace cannot be written, or not completely; `error` is a negative
 * errno. */
const char *reason_of_output(int error);

/* Says why a program cannot be executed; `error` is execvp()'s errno. */
const char *reason_of_program(const char *program, int error);

/* Returns why an agent has not started, by the text of the agent
 * (agent/begin.c), with the runtime directory, words for an errno, and the
 * remedy. */
const char *reason_of_agent(const char *text, const char *directory);

/* Says why the files of a process cannot be read; `error` is a negative
 * errno. */
const char *reason_of_files(int error);

/* Says which limit keeps an agent from making buffers of the wanted size, or
 * the remedy for want of room in their directory; `error` is the errno that it
 * has noted. */
const char *reason_of_room(int error);

#endif
