/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command's side of the symboliser. See symboliser.h.
 *
 * Facts: libstdc++ of gcc 12 reads the name `_Z1fIXsrU` without end, so a C++
 * name has a separate limit, and a child that reached the limit is replaced.
 * Itanium C++ ABI, 5.1, "External Names".
 */
#include "command/symboliser/symboliser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/sandbox/child.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/serve-private.h"

#define MS		1000000u	/* in nanoseconds */
#define WAIT_MS		60000		/* for an answer, on a busy machine */
#define SILENT_MAX	3		/* children that gave none; then none
					 * is asked */
#define REQUEST_MS_MAX	60000u		/* of processor time */
#define MODULE_MS	500u
#define CXX_MS		200u
#define CXX_BAD_MAX	4		/* names that end children; then none is
					 * read */
#define CPU_SECONDS	600		/* of a child, for all requests */
#define MEMORY_BYTES	(4ull << 30)	/* of a child: files are mapped */
#define FILE_BYTES	(1ull << 30)	/* a larger one has another child */
#define FILE_BYTES_MAX	(1ull << 46)	/* that addresses can be had for */

static struct child child;

static struct child_spec spec = {
	.prepare = symboliser_load,
	.serve = symboliser_serve,
	.cpu_seconds = CPU_SECONDS,
	.memory_bytes = MEMORY_BYTES,
	.sealed = true,
	.open = symboliser_split_open,
};

/* A request, and where the items of the answers go. More items than there is
 * room for make the whole answer none, unless it grows. */
struct asking {
	struct symboliser_request request;
	const struct symboliser_file *file;	/* or NULL */
	const struct symboliser_file *more;	/* request.more further ones */
	char *to;
	size_t item_bytes;
	size_t room, count;		/* items */
	bool grows;			/* `to` is of the heap, or NULL */
};

/* Takes answers until the last one; returns 0 or a negative errno. The child is
 * to be ended after -EPIPE and -ETIMEDOUT: answers may be under way. */
static int take_answers(struct asking *asking, uint64_t *took)
{
	struct symboliser_answer answer;
	size_t room;
	char *more;
	ssize_t n;
	int fd;

	do {
		n = child_receive(child.socket, &answer, sizeof(answer), &fd,
				  WAIT_MS);
		if (fd >= 0)
			close(fd);
		if (n < 0 || fd >= 0 ||
		    !symboliser_answer_valid(&answer, (size_t)n,
					     asking->request.what))
			return n == -ETIMEDOUT ? -ETIMEDOUT : -EPIPE;
		*took = answer.ns;
		room = asking->count + answer.count;
		if (room > asking->room || (asking->grows && !asking->to)) {
			if (!asking->grows || room > SYMBOLISER_STREAM_MAX)
				return -EPIPE;
			more = realloc(asking->to,
				       2 * room * asking->item_bytes + 1);
			if (!more)
				return -EPIPE;
			asking->to = more;
			asking->room = 2 * room;
		}
		memcpy(asking->to + asking->count * asking->item_bytes,
		       &answer.module, answer.count * asking->item_bytes);
		asking->count = room;
	} while (!answer.last && answer.count);
	return !answer.last ? -EPIPE : answer.error;
}

/* Sends a request, and its files. Returns whether that was done. */
static bool send_request(const struct asking *asking, size_t bytes)
{
	bool sent = child_send(child.socket, &asking->request,
			       REQUEST_HEAD + bytes,
			       asking->file ? asking->file->fd : -1);

	for (uint32_t i = 0; sent && i < asking->request.more; i++) {
		const struct symboliser_file *from = &asking->more[i];
		struct symboliser_more more = { from->bytes, from->kind, "" };

		snprintf(more.name, sizeof(more.name), "%s",
			 from->name ? from->name : "");
		sent = child_send(child.socket, &more, sizeof(more), from->fd);
	}
	return sent;
}

/*
 * Asks the child for no more than `ms`; returns 0 or a negative errno. Ends a
 * child before that cannot serve the request, or that might map more than the
 * request takes.
 */
static int ask_child(struct asking *asking, size_t bytes, uint32_t most,
		     uint64_t *ns)
{
	struct symboliser_request *request = &asking->request;
	uint64_t maps = asking->file ? asking->file->bytes : 0, took = 0;
	bool *library = request->what == ASK_CXX ? &symboliser_libraries.cxx :
			request->what == ASK_LINES ||
			request->what == ASK_SPOTS ?
						   &symboliser_libraries.lines :
						   NULL;
	static unsigned int silent;
	int ret = -EPIPE;

	if (!*ns || silent == SILENT_MAX)
		return -ETIMEDOUT;
	request->ms = *ns / MS < most ? (uint32_t)(*ns / MS) + 1 : most;
	request->file_bytes = maps;
	for (uint32_t i = 0; i < request->more; i++)
		maps += asking->more[i].bytes;
	maps = maps <= FILE_BYTES ? 0 :
	       maps < FILE_BYTES_MAX ? maps : FILE_BYTES_MAX;
	if (spec.map_bytes != maps || (library && !*library)) {
		spec.map_bytes = maps;
		if (library)
			*library = true;
		child_end(&child);
	}
	/* a child is gone with the thread of this command that made it */
	for (int i = 0; i < 2; i++) {
		if (!child_begin(&child, &spec))
			return -EAGAIN;
		if (send_request(asking, bytes)) {
			ret = take_answers(asking, &took);
			break;
		}
		child_end(&child);
	}
	silent += ret == -ETIMEDOUT;
	if (ret == -EPIPE || ret == -ETIMEDOUT) {
		child_end(&child);
		took = request->ms * (uint64_t)MS;
	}
	*ns -= took < *ns ? took : *ns;
	return ret;
}

/* Asks for the one item of a request that has no words. */
static int ask_item(void *to, size_t bytes, uint32_t what,
		    const struct symboliser_file *file, uint64_t *ns)
{
	struct asking asking = { .request.what = what, .file = file, .to = to,
				 .room = 1, .item_bytes = bytes };

	return ask_child(&asking, 0, MODULE_MS, ns);
}

int symboliser_module(struct symboliser_module *module,
		      const struct symboliser_file *file, uint64_t *ns)
{
	return ask_item(module, sizeof(*module), ASK_MODULE, file, ns);
}

int symboliser_library(uint64_t *unfit, const struct symboliser_file *file,
		       uint64_t *ns)
{
	return ask_item(unfit, sizeof(*unfit), ASK_LIBRARY, file, ns);
}

struct symboliser_file symboliser_opened(const struct opener_file *file)
{
	return (struct symboliser_file){ .fd = file->fd,
					 .bytes = (uint64_t)file->st.st_size };
}

int symboliser_read_open(struct symboliser_module *module,
			 const struct opener_file *file)
{
	const struct symboliser_file from = symboliser_opened(file);
	uint64_t ns = SYMBOLISER_NS;

	memset(module, 0, sizeof(*module));
	return symboliser_module(module, &from, &ns);
}

int symboliser_read(struct symboliser_module *module, const char *path)
{
	struct opener_file file;
	int ret = opener_open(&file, path, 0);

	memset(module, 0, sizeof(*module));
	if (ret)
		return ret;
	ret = symboliser_read_open(module, &file);
	opener_close(&file);
	return ret;
}

int symboliser_place(uint64_t *address, const struct symboliser_module *module,
		     uint64_t offset)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	/* a mapping begins with the page that has the segment's first byte; lld
	 * and mold begin the code in the last page of the segment before */
	for (uint32_t i = 0; i < module->nsegments; i++) {
		const struct symboliser_segment *s = &module->segments[i];

		if (!s->code || offset < s->offset - s->offset % page ||
		    offset >= s->offset + s->file_bytes)
			continue;
		*address = s->address + (offset - s->offset);
		return 0;
	}
	return -ENOENT;
}

bool symboliser_needs(const struct symboliser_module *module, const char *name)
{
	for (const char *p = module->needed; *p; p += strlen(p) + 1)
		if (!strncmp(p, name, strlen(name)))
			return true;
	return false;
}

/* Asks for an item of a name; returns 0 or a negative errno: -ENOENT the name
 * is too long for a request. */
static int ask_name(struct asking *asking, const char *name, uint32_t most,
		    uint64_t *ns)
{
	size_t bytes = strlen(name) + 1;

	if (bytes > SYMBOLISER_LINKER_BYTES)
		return -ENOENT;
	asking->request.count = (uint32_t)bytes;
	memcpy(asking->request.name, name, bytes);
	return ask_child(asking, bytes, most, ns);
}

int symboliser_address(uint64_t *address, const char *name,
		       const struct symboliser_file *file, uint64_t *ns)
{
	struct asking asking = { .request.what = ASK_ADDRESS, .file = file,
				 .to = (char *)address, .room = 1,
				 .item_bytes = sizeof(*address) };

	return ask_name(&asking, name, REQUEST_MS_MAX, ns);
}

/* Asks for items of addresses; returns 0 or a negative errno. */
static int ask_addresses(struct asking *asking, const uint64_t *addresses,
			 size_t n, uint64_t *ns)
{
	if (n > SYMBOLISER_ADDRESSES_MAX)
		return -E2BIG;
	asking->request.count = (uint32_t)n;
	memcpy(asking->request.addresses, addresses, n * sizeof(*addresses));
	return n ? ask_child(asking, n * sizeof(*addresses), REQUEST_MS_MAX,
			     ns) : 0;
}

int symboliser_names(struct symboliser_symbol *symbols,
		     const uint64_t *addresses, size_t n,
		     const struct symboliser_file *file, uint64_t *ns)
{
	struct asking asking = { .request.what = ASK_NAMES, .file = file,
				 .to = (char *)symbols, .room = n,
				 .item_bytes = sizeof(*symbols) };
	int ret = ask_addresses(&asking, addresses, n, ns);

	return ret ? ret : asking.count == n ? 0 : -EPIPE;
}

int symboliser_lines(struct symboliser_frame *frames, size_t room,
		     size_t *frames_n, const uint64_t *addresses, size_t n,
		     const struct symboliser_file *file, uint64_t *ns)
{
	struct asking asking = { .request.what = ASK_LINES, .file = file,
				 .to = (char *)frames, .room = room,
				 .item_bytes = sizeof(*frames) };
	int ret = ask_addresses(&asking, addresses, n, ns);

	*frames_n = ret ? 0 : asking.count;
	for (size_t i = 0; i < *frames_n; i++)
		if (frames[i].address >= n ||
		    (i && frames[i].address < frames[i - 1].address))
			return -EPIPE;
	return ret;
}

const char *symboliser_error(int error)
{
	return error == -EPIPE ? "it cannot be read: it is damaged, or was cut "
				 "while it was read" :
	       error == -ETIMEDOUT ? "it takes too long to read" :
	       error == -ENOEXEC ? "not an ELF file" :
	       error == -EAGAIN ? "no process can be made to read it" :
				  strerror(-error);
}

int symboliser_markers(const struct symboliser_file *file,
		       const struct symboliser_file *debug, uint32_t how,
		       int (*take)(const struct symboliser_found *found,
				   void *priv), void *priv,
		       char error[SYMBOLISER_ERROR_BYTES], uint64_t *ns)
{
	struct asking asking = { .request.what = ASK_MARKERS, .file = file,
				 .more = debug, .request.more = !!debug,
				 .request.count = how,
				 .grows = true, .item_bytes = 1 };
	int ret = ask_child(&asking, 0, REQUEST_MS_MAX, ns);
	size_t n = 0, at = sizeof(struct symboliser_verdict);
	struct symboliser_verdict verdict;
	struct symboliser_found found;

	error[0] = '\0';
	if (!ret && !symboliser_verdict_read(&verdict, asking.to, asking.count))
		ret = -EPIPE;
	/* nothing is handed out of a stream that is not sound as a whole */
	for (; !ret && at < asking.count; at += n) {
		n = symboliser_record_read(&found, asking.to + at,
					   asking.count - at);
		if (!n)
			ret = -EPIPE;
	}
	if (!ret) {
		strcpy(error, verdict.text);
		for (at = sizeof(verdict); !ret && at < asking.count; at += n) {
			n = symboliser_record_read(&found, asking.to + at,
						   asking.count - at);
			ret = take(&found, priv);
		}
		if (verdict.error)
			ret = verdict.error;
	}
	if (ret && !error[0])
		snprintf(error, SYMBOLISER_ERROR_BYTES, "%s",
			 symboliser_error(ret));
	free(asking.to);
	return ret;
}

int symboliser_spots(char **text, const char *words, size_t bytes,
		     const struct symboliser_file *files, uint32_t n,
		     uint64_t *ns)
{
	struct asking asking = { .request.what = ASK_SPOTS, .file = files,
				 .more = files + 1, .request.more = n - 1,
				 .request.count = (uint32_t)bytes,
				 .grows = true, .item_bytes = 1 };
	int ret;

	*text = NULL;
	if (bytes > SYMBOLISER_WORDS_BYTES || !n || n > SYMBOLISER_FILES_MAX)
		return -E2BIG;
	memcpy(asking.request.words, words, bytes);
	ret = ask_child(&asking, bytes, REQUEST_MS_MAX, ns);
	if (!ret)
		*text = asking.to ? strndup(asking.to, asking.count) :
				    strdup("");
	free(asking.to);
	return ret ? ret : *text ? 0 : -ENOMEM;
}

char *symboliser_cxx(const char *name, size_t *length, uint64_t *ns)
{
	static unsigned int bad;
	struct symboliser_text text = { 0 };
	struct asking asking = { .request.what = ASK_CXX, .to = (char *)&text,
				 .item_bytes = sizeof(text), .room = 1 };
	uint64_t left = *ns;
	int ret;

	*length = 0;
	if (strncmp(name, "_Z", 2) || bad == CXX_BAD_MAX)
		return NULL;
	ret = ask_name(&asking, name, CXX_MS, &left);
	/* how many such names there may be is limited, so others pay nothing */
	if (ret == -EPIPE || ret == -ETIMEDOUT)
		bad++;
	else
		*ns = left;
	if (ret || !text.length)
		return NULL;
	*length = text.length;
	return strdup(text.text);
}

void symboliser_end(void)
{
	child_end(&child);
}
