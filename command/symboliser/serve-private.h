/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of the symboliser's child. They read files in memory, `image` and
 * `bytes`; each file is input.
 */
#ifndef COMMAND_SYMBOLISER_SERVE_PRIVATE_H
#define COMMAND_SYMBOLISER_SERVE_PRIVATE_H

#include <libelf.h>

#include "command/symboliser/protocol-private.h"

/* The files of a request but split ones, by enum symboliser_kind. */
struct symboliser_image {
	void *bytes;			/* or NULL */
	size_t size;
};
struct symboliser_images {
	struct symboliser_image of[FILE_SPLIT];
	int error;			/* of the first, as symboliser.h */
};

/* Maps the files of a request: `fd`, and those whose messages follow. `write`:
 * maps pages of its own. Closes descriptors, but those of split files. */
void symboliser_files_map(struct symboliser_images *images,
			  const struct symboliser_request *request, int fd,
			  bool write);
void symboliser_files_close(struct symboliser_images *images);

/* Returns the descriptor of a split file that came with the request, once, or
 * -ENOENT, and notes the path. For child_seal(). */
int symboliser_split_open(const char *path);
extern bool symboliser_split_noting;	/* whether paths are noted */
extern uint64_t symboliser_split_id;	/* of the unit that is looked for */

/* Serves requests until the socket is closed or a request is not valid. Keeps
 * nothing of a request for the next one. */
void symboliser_serve(void);

/* Libraries that children load before they are sealed; another child serves the
 * first request for one. */
struct symboliser_libraries {
	bool cxx, lines;
};
extern struct symboliser_libraries symboliser_libraries;

/* Load the libraries that are wanted, in the child before it is sealed. Where
 * one is not installed, the answers have no names, or no lines, by it. */
void symboliser_load(void);
void symboliser_load_lines(void);

/* Returns 0, or -ENOEXEC: it is no program or library. `elf` is the same file,
 * or NULL: libelf refuses it. */
int symboliser_read_module(struct symboliser_module *module, const void *image,
			   size_t bytes, Elf *elf);

/* Returns why the file is no probe library. */
enum symboliser_unfit symboliser_read_unfit(size_t bytes, Elf *elf);

struct notes;
struct symboliser_copies;

/* The answer to ASK_MARKERS; the caller frees it. */
struct symboliser_markers {
	struct symboliser_verdict verdict;
	struct symboliser_found *found;	/* texts are in the image, or in */
	struct symboliser_copies *copies;
	size_t count;
};

/* Reads markers and USDT probes (`how`: SYMBOLISER_PLAN and the like). `debug`
 * is a debug file of the same build, or NULL. */
struct usdt_file;
void symboliser_read_markers(struct symboliser_markers *markers,
			     const void *image, size_t bytes,
			     const struct usdt_file *debug, uint32_t how);
/* Frees the array, and the copies. */
void symboliser_free_markers(struct symboliser_markers *markers);

/* Calls `take` for each event of a provider of LTTng-UST in a file, with
 * `apart` as one that is left out (WHY_APART), until a call returns another
 * value than 0. Returns this value, or a negative errno:
 * no memory, or too many. The texts last as long as `markers`. */
typedef int symboliser_take(const struct symboliser_found *found, void *priv);
int symboliser_read_lttng(struct symboliser_markers *markers,
			  const struct notes *notes, bool apart,
			  symboliser_take *take, void *priv);
/* The same for each function that symbols name, with SYMBOLISER_PLAN with its
 * placement; -EOPNOTSUPP: functions of the file are not traced. */
int symboliser_read_functions(const struct usdt_file *file,
			      const struct usdt_file *debug, uint32_t how,
			      symboliser_take *take, void *priv);
void symboliser_free_copies(struct symboliser_copies *copies);

/* Orders plans by their addresses, for qsort(). */
int symboliser_plans_compare(const void *left, const void *right);

/* Gives the symbols of `n` addresses in order, in `found`, which is all zeros.
 */
void symboliser_find_names(struct symboliser_symbol *found,
			   const uint64_t *addresses, size_t n, Elf *elf);

/* Gives the address of a symbol that the file defines; returns 0 or -ENOENT. */
int symboliser_find_address(uint64_t *address, const char *name, Elf *elf);

/* Tells whether several units may have a symbol of that name. */
bool symboliser_find_shared(const char *name, Elf *elf);

/* Puts the values that can be had at source lines, as text (spots.c). `words`
 * are the place and the expressions, each with a NUL; they may change, and so
 * may the images. */
typedef void symboliser_put(const void *bytes, size_t n);
void symboliser_read_spots(char *words, size_t bytes,
			   const struct symboliser_images *images,
			   symboliser_put *put);

/* Does the same for the types of functions (calls.c). `words` are a glob and
 * the module's name. */
void symboliser_read_calls(const char *words, size_t bytes,
			   const struct symboliser_images *images,
			   symboliser_put *put);

/* Puts the paths of split files that are missing, "split\tPATH\n" each. */
void symboliser_missing_put(symboliser_put *put);

/* Calls `take` for each frame of the addresses, in order; `frame` is valid
 * during the call. Without libdw there are none. */
void symboliser_find_lines(const uint64_t *addresses, uint32_t n, Elf *elf,
			   void (*take)(const struct symboliser_frame *frame,
					void *priv), void *priv);

#endif
