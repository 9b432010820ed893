/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of LTTng: reads the file, by expat. See saved.h.
 *
 * Invariant: whatever the file says, elements nest SAVED_DEPTH_MAX deep at
 * most, and each list has a bound. Parsing stops at the first fault.
 */
#include "command/saved/saved.h"

#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/tunables.h"
#include "buffers/layout.h"

#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentLineNumber64	XML_GetCurrentLineNumber
#endif

#define PATH_BYTES	512
#define TEXT_BYTES	16384		/* of one element */

/* The channel that is being read, which may be of a domain that is left out. */
struct channel {
	uint64_t size, count;		/* of its sub-buffers */
	bool disabled;
	bool overwrite;
	bool files, blocks;
	bool sizeless;			/* its sizes are none */
	bool tracked;			/* of a domain */
	bool differ;			/* its channels do */
	size_t begin;			/* its first event */
	uint32_t contexts;
	char contexts_left[sizeof(((struct saved_session *)0)->contexts_left)];
};

struct reader {
	XML_Parser parser;
	struct saved *saved;
	struct saved_session *session;	/* the last one, or NULL */
	struct saved_event *event;	/* the last one, or NULL */
	struct channel channel;
	struct channel domain;		/* its channels together */
	int channels;			/* of the domain */
	size_t domain_begin;		/* its first event */
	char path[PATH_BYTES];		/* names of elements, each behind '/' */
	int depth;
	char text[TEXT_BYTES];
	size_t bytes;
	char type[32];			/* of the domain */
	int error;
	char fault[160];
};

/* Ends the parsing with a fault. */
static void reader_fail(struct reader *r, int error, const char *fault)
{
	if (r->error)
		return;
	r->error = error;
	snprintf(r->fault, sizeof(r->fault), "%s", fault);
	XML_StopParser(r->parser, XML_FALSE);
}

/* Adds a zeroed element to an array that has a bound. Returns it, or NULL after
 * a failure. */
static void *list_add(struct reader *r, void *list, size_t *count, size_t most,
		      size_t bytes)
{
	void **array = list;
	char *more = *array;

	if (*count == most) {
		reader_fail(r, -E2BIG, "there are more sessions, or events of "
			    "a session, than Taffrail reads");
		return NULL;
	}
	/* doubles at each power of two */
	if (!(*count & (*count - 1))) {
		more = reallocarray(*array, *count ? *count * 2 : 1, bytes);
		if (!more) {
			reader_fail(r, -ENOMEM, "out of memory");
			return NULL;
		}
		*array = more;
	}
	more += (*count)++ * bytes;
	memset(more, 0, bytes);
	return more;
}

static void text_keep(struct reader *r, char **to)
{
	free(*to);
	*to = strdup(r->text);
	if (!*to)
		reader_fail(r, -ENOMEM, "out of memory");
}

static bool text_is(const struct reader *r, const char *word)
{
	return !strcmp(r->text, word);
}

/* Returns the element's number; a word or a negative number is 0. */
static uint64_t text_value(const struct reader *r)
{
	return *r->text == '-' ? 0 : strtoull(r->text, NULL, 10);
}

/* Adds a word to a list that is told; one that does not fit is "...". */
static void word_note(char *list, size_t room, const char *word)
{
	size_t n = strlen(list);

	if (strstr(list, "..."))
		return;
	if (n + strlen(word) + sizeof(", ...") < room)
		snprintf(list + n, room - n, "%s%s", n ? ", " : "", word);
	else
		snprintf(list + n, room - n, ", ...");
}

/* Beginnings of elements. */
static void begin_session(struct reader *r)
{
	r->event = NULL;
	r->session = list_add(r, &r->saved->sessions, &r->saved->nsessions,
			      SAVED_SESSIONS_MAX, sizeof(*r->session));
}

static void begin_domain(struct reader *r)
{
	r->domain = (struct channel){ 0 };
	r->domain_begin = r->session->nevents;
	r->channels = 0;
	r->type[0] = '\0';
}

static void begin_channel(struct reader *r)
{
	r->channel = (struct channel){ .begin = r->session->nevents };
}

static void begin_event(struct reader *r)
{
	r->event = list_add(r, &r->session->events, &r->session->nevents,
			    SAVED_EVENTS_MAX, sizeof(*r->event));
}

static void begin_tracker(struct reader *r)
{
	r->domain.tracked = true;
}

/* Ends of elements; the text is in r->text. */
static void take_session_name(struct reader *r)
{
	text_keep(r, &r->session->name);
}

static void take_type(struct reader *r)
{
	snprintf(r->type, sizeof(r->type), "%.31s", r->text);
}

static void take_enabled(struct reader *r)
{
	r->channel.disabled = !text_is(r, "true") && !text_is(r, "1");
}

static void take_mode(struct reader *r)
{
	r->channel.overwrite = text_is(r, "OVERWRITE");
}

/* Returns a number that a buffer may have, or 0 after noting that it is
 * none. */
static uint64_t buffer_value(struct reader *r)
{
	bool digits = *r->text && !r->text[strspn(r->text, "0123456789")];
	uint64_t value = digits ? text_value(r) : 0;

	if (value && value <= RING_MAX_BYTES)
		return value;
	r->channel.sizeless = true;
	return 0;
}

static void take_size(struct reader *r)
{
	r->channel.size = buffer_value(r);
}

static void take_count(struct reader *r)
{
	r->channel.count = buffer_value(r);
}

static void take_file_size(struct reader *r)
{
	r->channel.files |= text_value(r) != 0;
}

static void take_live(struct reader *r)
{
	if (text_value(r))
		r->session->left |= SAVED_SENT;
}

static void take_blocking(struct reader *r)
{
	r->channel.blocks = !text_is(r, "0");
}

/* Forgets the events from one on. */
static void events_drop(struct saved_session *session, size_t begin)
{
	while (session->nevents > begin) {
		struct saved_event *event;

		event = &session->events[--session->nevents];
		free(event->name);
		free(event->filter);
		free(event->type);
		while (event->nexclusions)
			free(event->exclusions[--event->nexclusions]);
	}
}

static void take_event_name(struct reader *r)
{
	text_keep(r, &r->event->name);
}

/* An event that is off is none. */
static void end_event(struct reader *r)
{
	if (r->event->disabled)
		events_drop(r->session, r->session->nevents - 1);
	r->event = NULL;
}

static void take_event_enabled(struct reader *r)
{
	r->event->disabled = !text_is(r, "true") && !text_is(r, "1");
}

static void take_event_type(struct reader *r)
{
	if (!text_is(r, "TRACEPOINT") && !text_is(r, "ALL"))
		text_keep(r, &r->event->type);
}

static void take_level_type(struct reader *r)
{
	r->event->levels = text_is(r, "RANGE") ? SAVED_LEVELS_FROM :
			   text_is(r, "SINGLE") ? SAVED_LEVELS_ONE :
						  SAVED_LEVELS_ALL;
}

static void take_level(struct reader *r)
{
	r->event->level = atoi(r->text);
}

static void take_filter(struct reader *r)
{
	text_keep(r, &r->event->filter);
}

static void take_exclusion(struct reader *r)
{
	if (r->event->nexclusions == SAVED_EXCLUSIONS_MAX)
		reader_fail(r, -E2BIG,
			    "an event has more exclusions than Taffrail reads");
	else
		text_keep(r, &r->event->exclusions[r->event->nexclusions++]);
}

static void take_context(struct reader *r)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} words[] = {
		{ "VTID", CONTEXT_VTID }, { "VPID", CONTEXT_VPID },
		{ "PROCNAME", CONTEXT_PROCNAME }, { "CPU_ID", CONTEXT_CPU },
		{ "IP", CONTEXT_IP }, { "PTHREAD_ID", CONTEXT_PTHREAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!text_is(r, words[i].word))
			continue;
		r->channel.contexts |= words[i].bit;
		return;
	}
	for (char *p = r->text; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p |= 32;
	r->text[32] = '\0';
	word_note(r->channel.contexts_left, sizeof(r->channel.contexts_left),
		  r->text);
}

static void end_channel(struct reader *r)
{
	struct channel *c = &r->channel, *all = &r->domain;
	/* both are at most RING_MAX_BYTES */
	uint64_t bytes = c->size * c->count;

	if (c->disabled)
		events_drop(r->session, c->begin);
	if (r->session->nevents == c->begin)
		return;
	all->sizeless |= c->sizeless || bytes > RING_MAX_BYTES;
	all->differ |= r->channels &&
		       (c->overwrite != all->overwrite || bytes != all->size ||
			c->contexts != all->contexts ||
			strcmp(c->contexts_left, all->contexts_left));
	/* the order of channels in a file is by chance */
	all->overwrite = c->overwrite && (all->overwrite || !r->channels);
	r->channels++;
	if (bytes > all->size)
		all->size = bytes;
	all->files |= c->files;
	all->blocks |= c->blocks;
	all->contexts |= c->contexts;
	if (*c->contexts_left)
		word_note(all->contexts_left, sizeof(all->contexts_left),
			  c->contexts_left);
}

static void end_domain(struct reader *r)
{
	struct saved_session *session = r->session;
	struct channel *all = &r->domain;

	if (session->nevents == r->domain_begin)
		return;
	if (strcmp(r->type, "UST")) {
		session->left |= strcmp(r->type, "KERNEL") ? SAVED_AGENTS :
							     SAVED_KERNEL;
		events_drop(session, r->domain_begin);
		return;
	}
	session->channels += r->channels;
	session->buffer = all->sizeless ? 0 : all->size;
	session->overwrite = all->overwrite;
	session->contexts = all->contexts;
	memcpy(session->contexts_left, all->contexts_left,
	       sizeof(session->contexts_left));
	session->left |= (all->files ? SAVED_FILES : 0) |
			 (all->blocks ? SAVED_BLOCKS : 0) |
			 (all->tracked ? SAVED_TRACKED : 0) |
			 (all->sizeless ? SAVED_SIZES : 0) |
			 (all->differ ? SAVED_CHANNELS : 0);
}

#define SESSION		"/sessions/session"
#define DOMAIN		SESSION "/domains/domain"
#define CHANNEL		DOMAIN "/channels/channel"
#define EVENT		CHANNEL "/events/event"
#define CONTEXT		CHANNEL "/contexts/context"

/* Elements, by their path. A '*' at the end stands for any one element. */
static const struct {
	const char *path;
	void (*begin)(struct reader *r);
	void (*end)(struct reader *r);
	uint32_t left;			/* enum saved_left, of the session */
	const char *context;		/* that the channel has */
} elements[] = {
	{ SESSION, .begin = begin_session },
	{ SESSION "/name", .end = take_session_name },
	{ SESSION "/attributes/live_timer_interval", .end = take_live },
	{ SESSION "/attributes/rotation_schedules/*", .left = SAVED_ROTATED },
	{ SESSION "/output/consumer_output/destination/net_output",
	  .left = SAVED_SENT },
	{ SESSION "/output/snapshot_outputs/output/consumer_output/destination/"
	  "net_output", .left = SAVED_SENT },
	{ DOMAIN, .begin = begin_domain, .end = end_domain },
	{ DOMAIN "/type", .end = take_type },
	{ DOMAIN "/process_attr_trackers/*", .begin = begin_tracker },
	{ DOMAIN "/trackers/*", .begin = begin_tracker },
	{ CHANNEL, .begin = begin_channel, .end = end_channel },
	{ CHANNEL "/enabled", .end = take_enabled },
	{ CHANNEL "/overwrite_mode", .end = take_mode },
	{ CHANNEL "/subbuffer_size", .end = take_size },
	{ CHANNEL "/subbuffer_count", .end = take_count },
	{ CHANNEL "/tracefile_size", .end = take_file_size },
	{ CHANNEL "/tracefile_count", .end = take_file_size },
	{ CHANNEL "/live_timer_interval", .end = take_live },
	{ CHANNEL "/blocking_timeout", .end = take_blocking },
	{ EVENT, .begin = begin_event, .end = end_event },
	{ EVENT "/name", .end = take_event_name },
	{ EVENT "/enabled", .end = take_event_enabled },
	{ EVENT "/type", .end = take_event_type },
	{ EVENT "/loglevel_type", .end = take_level_type },
	{ EVENT "/loglevel", .end = take_level },
	{ EVENT "/filter", .end = take_filter },
	{ EVENT "/exclusions/exclusion", .end = take_exclusion },
	{ CONTEXT "/type", .end = take_context },
	{ CONTEXT "/perf", .context = "perf" },
	{ CONTEXT "/app", .context = "$app" },
};

/* Returns whether the reader is at the element with this path. */
static bool path_is(const struct reader *r, const char *path)
{
	size_t n = strlen(path);

	if (path[n - 1] != '*')
		return !strcmp(r->path, path);
	return !strncmp(r->path, path, n - 1) && !strchr(r->path + n - 1, '/');
}

static void XMLCALL element_begin(void *arg, const XML_Char *name,
				  const XML_Char **attributes)
{
	struct reader *r = arg;
	size_t used = strlen(r->path);

	r->bytes = 0;
	r->text[0] = '\0';
	if (r->depth++ == SAVED_DEPTH_MAX ||
	    used + strlen(name) + 2 > sizeof(r->path)) {
		reader_fail(r, -EINVAL, "its elements nest too deeply");
		return;
	}
	snprintf(r->path + used, sizeof(r->path) - used, "/%s", name);
	if (r->depth == 1 && strcmp(name, "sessions"))
		reader_fail(r, -EINVAL, "it is no file of lttng save");
	for (size_t i = 0; !r->error && i < ARRAY_SIZE(elements); i++) {
		if (!path_is(r, elements[i].path))
			continue;
		if (elements[i].begin)
			elements[i].begin(r);
		if (elements[i].left)
			r->session->left |= elements[i].left;
		if (elements[i].context)
			word_note(r->channel.contexts_left,
				  sizeof(r->channel.contexts_left),
				  elements[i].context);
	}
}

static void XMLCALL element_end(void *arg, const XML_Char *name)
{
	struct reader *r = arg;

	if (r->error)
		return;
	r->text[r->bytes] = '\0';
	for (size_t i = 0; !r->error && i < ARRAY_SIZE(elements); i++)
		if (elements[i].end && path_is(r, elements[i].path))
			elements[i].end(r);
	*strrchr(r->path, '/') = '\0';
	r->depth--;
	r->bytes = 0;
}

static void XMLCALL text_take(void *arg, const XML_Char *text, int n)
{
	struct reader *r = arg;

	if (r->bytes + (size_t)n >= sizeof(r->text)) {
		reader_fail(r, -EINVAL, "a text in it is too long");
		return;
	}
	memcpy(r->text + r->bytes, text, (size_t)n);
	r->bytes += (size_t)n;
}

static void XMLCALL doctype_refuse(void *arg, const XML_Char *name,
				   const XML_Char *system, const XML_Char *pub,
				   int internal)
{
	reader_fail(arg, -EINVAL, "it declares a document type, which no file "
		    "of lttng save does");
}

/* Parses the text of a file. Returns 0 or a negative errno. */
static int saved_parse(struct reader *r, const char *text, size_t bytes,
		       const char *path, struct cause *cause)
{
	r->parser = XML_ParserCreate(NULL);
	if (!r->parser)
		return cause_set(cause, -ENOMEM, OUT_OF_MEMORY);
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, element_begin, element_end);
	XML_SetCharacterDataHandler(r->parser, text_take);
	XML_SetStartDoctypeDeclHandler(r->parser, doctype_refuse);
	if (XML_Parse(r->parser, text, (int)bytes, 1) != XML_STATUS_OK &&
	    !r->error)
		reader_fail(r, -EINVAL,
			    XML_ErrorString(XML_GetErrorCode(r->parser)));
	if (r->error)
		cause_set(cause, r->error, SAVED_INVALID, .path = path,
			  .n = (int64_t)XML_GetCurrentLineNumber64(r->parser),
			  .text = r->fault);
	XML_ParserFree(r->parser);
	return r->error;
}

/* Reads the file into memory that the caller frees. Returns its size or a
 * negative errno. */
static ssize_t saved_load(char **text, const char *path)
{
	struct stat st;
	size_t used = 0;
	ssize_t n = -ENOMEM;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		n = -errno;
	} else if (S_ISDIR(st.st_mode)) {
		n = -EISDIR;
	} else {
		*text = malloc(SAVED_FILE_BYTES + 1);
		for (; *text && used <= SAVED_FILE_BYTES;
		     used += (size_t)n) {
			n = read(fd, *text + used, SAVED_FILE_BYTES + 1 - used);
			if (n <= 0)
				break;
		}
		if (n < 0 && *text)
			n = -errno;
	}
	close(fd);
	return n < 0 ? n : used > SAVED_FILE_BYTES ? -EFBIG : (ssize_t)used;
}

int saved_read(struct saved *saved, const char *path, struct cause *cause)
{
	struct reader *r = calloc(1, sizeof(*r));
	char *text = NULL;
	ssize_t n = r ? saved_load(&text, path) : -ENOMEM;
	int ret;

	*saved = (struct saved){ 0 };
	if (n < 0) {
		ret = cause_set(cause, (int)n, SAVED_UNREAD, .path = path,
				.error = (int)n);
	} else {
		r->saved = saved;
		ret = saved_parse(r, text, (size_t)n, path, cause);
	}
	for (size_t i = 0; !ret && i < saved->nsessions; i++)
		if (!saved->sessions[i].name)
			ret = cause_set(cause, -EINVAL, SAVED_INVALID,
					.path = path, .n = 1,
					.text = "a session has no name");
	if (!ret && !saved->nsessions)
		ret = cause_set(cause, -EINVAL, SAVED_INVALID, .path = path,
				.n = 1, .text = "there is no session in it");
	free(text);
	free(r);
	return ret;
}

void saved_release(struct saved *saved)
{
	for (size_t i = 0; i < saved->nsessions; i++) {
		events_drop(&saved->sessions[i], 0);
		free(saved->sessions[i].events);
		free(saved->sessions[i].name);
	}
	free(saved->sessions);
	*saved = (struct saved){ 0 };
}
