/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reasons in words. See reason.h.
 */
#include "command/common/reason.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/limits.h"
#include "control/protocol.h"

/* Returns the words for an errno that a limit may cause, and the remedy; those
 * of strerror() for another one. */
static const char *reason_of_limit(int error)
{
	switch (error) {
	case EMFILE:
	case ENOLCK:
		return limits_raise(error);
	case ENFILE:
		return "all processes together have too many open files: end "
		       "some, or raise fs.file-max";
	case ENOMEM:
		return "out of memory: end other programs, or raise the limit "
		       "(ulimit -v)";
	default:
		return strerror(error);
	}
}

const char *reason_of_output(int error)
{
	static char text[160];

	switch (-error) {
	case ENOSPC:
		return "the disk is full: make room, or give a directory on "
		       "another disk (-o)";
	case EDQUOT:
		return "your quota on this disk is used up: make room, or give "
		       "a directory on another disk (-o)";
	case EFBIG:
		snprintf(text, sizeof(text), "%s: raise it, or use --max-size",
			 limits_error(EFBIG));
		return text;
	case EACCES:
	case EPERM:
		return "you may not write there: give another directory (-o)";
	case EROFS:
		return "the file system is read-only: give another directory "
		       "(-o)";
	case ENOENT:
		return "the directory above it does not exist: make that first "
		       "(mkdir -p)";
	case ENOTDIR:
	case EEXIST:
		return "it, or a part of its path, is a file: give another "
		       "directory (-o)";
	case ENAMETOOLONG:
		return "the path is too long: give a shorter one (-o)";
	case ELOOP:
		return "it is a symbolic link: give the directory itself (-o)";
	case EIO:
		return "the disk fails (the kernel's log says more: dmesg); "
		       "give a directory on another disk (-o)";
	case EBADMSG:
		return "the buffers hold what no agent writes: another program "
		       "wrote there, or the agent is of another version";
	case ESTALE:
		return "another program cut a file in this trace";
	default:
		return reason_of_limit(-error);
	}
}

const char *reason_of_program(const char *program, int error)
{
	bool path = strchr(program, '/');
	struct stat st;

	if (!*program)
		return "the program's name is empty";
	if (error == ENOENT && strchr(program, ' '))
		return "No such file; arguments are words of their own, not "
		       "in the quotes of the program's name";
	if (error == ENOENT && path && !stat(program, &st))
		return "its interpreter (behind #!, or the dynamic linker) "
		       "does not exist";
	if (error == ENOENT && !path && !access(program, X_OK))
		return "No such file in PATH; for the one in this directory, "
		       "put ./ before its name";
	if (error == ENOENT && !path)
		return program[strspn(program, "0123456789")] ?
			       "No such file in PATH" :
			       "No such file in PATH; for a process, put -p "
			       "before its number";
	if (error == EACCES && path && !stat(program, &st) &&
	    S_ISDIR(st.st_mode))
		return "it is a directory";
	if (error == EACCES)
		return "you may not execute it: see chmod +x, or give its "
		       "interpreter";
	if (error == ENOEXEC)
		return "it is neither a program of this machine nor a script "
		       "that begins with #!";
	return reason_of_limit(error);
}

/* Returns why no files can be made in a runtime directory, and the remedy. */
static const char *reason_of_directory(int error)
{
	switch (error) {
	case ENOENT:
		return "a directory above it does not exist: make that "
		       "(mkdir -p)";
	case ENOTDIR:
	case ELOOP:
		return "a part of the path is a file or a symbolic link: "
		       "start the program with another TAFFRAIL_DIR in its "
		       "own environment";
	case EACCES:
	case EPERM:
		return "the program's user may not write there: give the "
		       "directory to that user (chown), or start the program "
		       "with another TAFFRAIL_DIR in its own environment";
	case EROFS:
		return "the file system is read-only: start the program with "
		       "a TAFFRAIL_DIR on another one in its own environment";
	case ENOSPC:
		return "make room, or free inodes (df, df -i), or start the "
		       "program with a TAFFRAIL_DIR on another file system in "
		       "its own environment";
	case EDQUOT:
		return "raise the quota of the program's user, or remove files "
		       "of that user's there";
	case EMFILE:
		return "too many open files: raise the program's limit (ulimit "
		       "-n)";
	case EFBIG:
		return "raise the program's limit (ulimit -f)";
	default:
		return reason_of_limit(error);
	}
}

const char *reason_of_agent(const char *text, const char *directory)
{
	static const char mark[] = ": error ";
	static char said[1024];
	const char *at = strstr(text, mark);

	if (at)
		snprintf(said, sizeof(said), "%.*s in %s: %s",
			 (int)(at - text), text, directory,
			 reason_of_directory(atoi(at + strlen(mark))));
	else if (!strncmp(text, PROTOCOL_NO_ROOM, strlen(PROTOCOL_NO_ROOM)))
		snprintf(said, sizeof(said), "%s: %s: %s", text, directory,
			 reason_of_directory(strstr(text, "quota")  ? EDQUOT :
					     strstr(text, "ulimit") ? EFBIG :
								      ENOSPC));
	else
		return text;
	return said;
}

const char *reason_of_files(int error)
{
	switch (-error) {
	case EBADMSG:
		return "its files are damaged: another program wrote there";
	case EPROTO:
		return "its agent is of another version: use the taffrail that "
		       "belongs to its libtaffrail";
	case ENOENT:
		return "its files were removed from the runtime directory";
	case EACCES:
	case EPERM:
		return "its files belong to another user, or are open to "
		       "others";
	default:
		return reason_of_limit(-error);
	}
}

const char *reason_of_room(int error)
{
	switch (error) {
	case ENOSPC:
		return "make room there, or give a smaller --buffer-size";
	case EDQUOT:
		return "a quota (--quota, TAFFRAIL_QUOTA, or the disk's) "
		       "leaves no more: raise it, or give a smaller "
		       "--buffer-size";
	case EFBIG:
		return "its limit of a file's size (ulimit -f) allows no more: "
		       "raise it, or give a smaller --buffer-size";
	case ENOMEM:
		return "its limit of address space (ulimit -v) leaves no more: "
		       "raise it, or give a smaller --buffer-size";
	default:
		return reason_of_directory(error);
	}
}
