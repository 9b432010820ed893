/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks of one thread: which markers call them, in which order, and what
 * they are told.
 */
#include <dlfcn.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <unistd.h>

#include <taffrail/clock.h>
#include <taffrail/marker.h>
#include <taffrail/probe.h>
#include <urcu-bp.h>

#include "../shared/results.h"

static char order[64];
static int hits;

static void count(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
}

static void note(const struct taffrail_event *event, void *priv)
{
	(void)event;
	strcat(order, priv);
}

static void hit_one(void)
{
	TAFFRAIL_EVENT(app, one, hits);
}

static void hit_all(void)
{
	hit_one();
	TAFFRAIL_EVENT(app, two, hits);
	TAFFRAIL_EVENT(other, one, hits);
}

static void which(void)
{
	int one = 0, app = 0, all = 0, big = 0;

	check_equal("a marker: how many", taffrail_probe_attach(
			"app/one", count, &one), 1);
	check_equal("a glob: how many", taffrail_probe_attach(
			"app/[!fb]*", count, &app), 2);
	check_equal("a condition: how many", taffrail_probe_attach(
			"*/one if hits > 10", count, &big), 2);
	check_equal("none yet", taffrail_probe_attach(
			"nobody/nothing", count, &all), 0);
	hit_all();
	check_equal("a marker calls", one, 1);
	check_equal("a glob's markers call", app, 2);
	check_equal("a condition that does not hold", big, 0);
	hits = 11;
	hit_all();
	check_equal("a condition that holds", big, 2);
	check_equal("detach one", taffrail_probe_detach("app/one", count,
							&one), 0);
	hit_all();
	check_equal("one that is detached is not called", one, 2);
	check_equal("the others are", app, 6);
	check_equal("detach again", taffrail_probe_detach("app/one", count,
							  &one), -ENOENT);
	check_equal("the condition belongs to the attachment",
		    taffrail_probe_detach("*/one", count, &big), -ENOENT);
	check_equal("detach the condition", taffrail_probe_detach(
			"*/one if hits > 10", count, &big), 0);
	check_equal("detach the glob", taffrail_probe_detach(
			"app/[!fb]*", count, &app), 0);
	check_equal("detach what never matched", taffrail_probe_detach(
			"nobody/nothing", count, &all), 0);
	hit_all();
	check_equal("nobody is called", one + app + big, 2 + 6 + 4);
}

static void refusals(void)
{
	int n = 0, i, ret = 0;
	char glob[32];

	check_equal("no rule", taffrail_probe_attach("", count, &n), -EINVAL);
	check_equal("no pointer", taffrail_probe_attach(NULL, count, &n),
		    -EINVAL);
	check_equal("no callback", taffrail_probe_attach("app/one", NULL, &n),
		    -EINVAL);
	check_equal("a bad condition", taffrail_probe_attach(
			"app/one if hits >", count, &n), -EINVAL);
	check_equal("an unknown flag", taffrail_probe_attach_with(
			"app/one", count, &n, 0, 64), -EINVAL);
	check_equal("a field that is not there", taffrail_probe_attach(
			"app/one if nosuch > 1", count, &n), 0);
	hit_all();
	check_equal("does not call", n, 0);
	taffrail_probe_detach("app/one if nosuch > 1", count, &n);
	check_equal("once", taffrail_probe_attach("app/one", count, &n), 1);
	check_equal("twice", taffrail_probe_attach("app/one", count, &n),
		    -EEXIST);
	check_string("its text", taffrail_probe_strerror(-EEXIST),
		     "the callback is attached already");
	taffrail_probe_detach("app/one", count, &n);
	for (i = 0; i < 70 && ret >= 0; i++) {
		snprintf(glob, sizeof(glob), "glob%d/x", i);
		ret = taffrail_probe_attach(glob, count, &n);
	}
	check_equal("too many globs", ret, -ENOSPC);
	check_equal("64 are not", i, 65);
	while (i-- > 0) {
		snprintf(glob, sizeof(glob), "glob%d/x", i);
		taffrail_probe_detach(glob, count, &n);
	}
	check_equal("there is room again", taffrail_probe_attach(
			"app/one", count, &n), 1);
	taffrail_probe_detach("app/one", count, &n);
	urcu_bp_read_lock();
	check_equal("attach in a read-side section", taffrail_probe_attach(
			"app/one", count, &n), -EDEADLK);
	check_equal("detach in a read-side section", taffrail_probe_detach(
			"app/one", count, &n), -EDEADLK);
	urcu_bp_read_unlock();
}

static void priorities(void)
{
	taffrail_probe_attach_with("app/one", note, "c", -1, 0);
	taffrail_probe_attach("app/one", note, "a");
	taffrail_probe_attach_with("app/*", note, "9", 9, 0);
	taffrail_probe_attach("app/one", note, "b");
	hit_all();
	check_string("in order of priority, then of attaching", order,
		     "9abc9");
	taffrail_probe_detach("app/one", note, "a");
	taffrail_probe_detach("app/one", note, "b");
	taffrail_probe_detach("app/one", note, "c");
	taffrail_probe_detach("app/*", note, "9");
}

enum { FIELDS = 15 };

static struct {
	int n;
	int64_t i64[FIELDS];
	uint64_t u64[FIELDS];
	double real[FIELDS];
	char got[FIELDS][4];
	char names[256];
	char string[16];
	size_t length;
	size_t bytes;
	uint64_t time;
} seen;

static void look(const struct taffrail_event *event, void *priv)
{
	const char *string;
	const void *bytes;
	int i;

	(void)priv;
	seen.n = taffrail_event_fields(event);
	seen.time = taffrail_event_time(event);
	for (i = -1; i <= seen.n && i < FIELDS; i++) {
		int at = i < 0 ? FIELDS - 1 : i;
		char *got = seen.got[at];

		got[0] = taffrail_field_i64(event, i, &seen.i64[at]) ?
				 'i' : '-';
		got[1] = taffrail_field_u64(event, i, &seen.u64[at]) ?
				 'u' : '-';
		got[2] = taffrail_field_double(event, i, &seen.real[at]) ?
				 'd' : '-';
		if (taffrail_field_name(event, i)) {
			strcat(seen.names, taffrail_field_name(event, i));
			strcat(seen.names, " ");
		}
		if (taffrail_field_string(event, i, &string, &seen.length))
			memcpy(seen.string, string, seen.length);
		taffrail_field_bytes(event, i, &bytes, &seen.bytes);
	}
	check_equal("a field by its name", taffrail_field(event, "u32"), 5);
	check_equal("no such field", taffrail_field(event, "nosuch"), -1);
	check_equal("its type", taffrail_field_type(event, 5),
		    TAFFRAIL_T_U32);
	check_string("its channel", taffrail_event_channel(event), "app");
	check_string("its name", taffrail_event_name(event), "fields");
	check_equal("the same time again", taffrail_event_time(event),
		    seen.time);
}

static void fields(void)
{
	int8_t s8 = -8;
	uint8_t u8 = 200;
	int16_t s16 = -1600;
	uint16_t u16 = 60000;
	int32_t s32 = INT32_MIN;
	uint32_t u32 = UINT32_MAX;
	int64_t s64 = INT64_MIN;
	uint64_t u64 = UINT64_MAX;
	float f32 = -1.5f;
	double f64 = DBL_MAX;
	void *pointer = &s8;
	const char *text = "text";
	int array[3] = { 1, 2, 3 };
	uint64_t before = taffrail_clock_read();

	taffrail_probe_attach("app/fields", look, NULL);
	TAFFRAIL_EVENT(app, fields, s8, u8, s16, u16, s32, u32, s64, u64, f32,
		       f64, pointer, text, TAFFRAIL_ARRAY(array, 3));
	taffrail_probe_detach("app/fields", look, NULL);
	check_equal("how many fields", seen.n, 13);
	check_string("their names", seen.names, "s8 u8 s16 u16 s32 u32 s64 "
		     "u64 f32 f64 pointer text array ");
	check("the time", seen.time > before &&
	      seen.time < taffrail_clock_read());
	check("signed", seen.i64[0] == -8 && seen.i64[2] == -1600 &&
	      seen.i64[4] == INT32_MIN && seen.i64[6] == INT64_MIN);
	check("unsigned", seen.u64[1] == 200 && seen.u64[3] == 60000 &&
	      seen.u64[5] == UINT32_MAX && seen.u64[7] == UINT64_MAX);
	check("float and double", seen.real[8] == -1.5 &&
	      seen.real[9] == DBL_MAX && seen.real[2] == -1600 &&
	      seen.real[3] == 60000);
	check_equal("a pointer", (long)seen.u64[10], (long)(uintptr_t)pointer);
	check_string("a string", seen.string, "text");
	check_equal("its length", seen.length, 4);
	check_equal("an array's bytes", seen.bytes, sizeof(array));
	check_string("negative is not unsigned", seen.got[0], "i-d");
	check_string("small is both", seen.got[1], "iud");
	check_string("too large is not signed", seen.got[7], "-ud");
	check_string("a double is no integer", seen.got[9], "--d");
	check_string("a pointer is an address", seen.got[10], "-u-");
	check_string("a string is no number", seen.got[11], "---");
	check_string("an array is no number", seen.got[12], "---");
	check_string("beyond the last", seen.got[13], "---");
	check_string("before the first", seen.got[14], "---");
}

static void one_string(const struct taffrail_event *event, void *priv)
{
	size_t *length = priv;
	const char *string;
	int64_t small;

	if (!taffrail_field_string(event, taffrail_field(event, "s"), &string,
				   length))
		*length = 99;
	if (!taffrail_field_i64(event, 0, &small) || small != 3)
		*length = 98;
}

enum state { IDLE, RUNNING = -5, DONE = 200 };

/* Adds "NAME " of each field that has a name for its value, else "- ". */
static void names(const struct taffrail_event *event, void *priv)
{
	const char *name;
	size_t length;
	int i;

	for (i = -1; i <= taffrail_event_fields(event); i++) {
		if (taffrail_field_name_of_value(event, i, &name, &length))
			strncat(priv, name, length);
		else
			strcat(priv, "-");
		strcat(priv, " ");
	}
}

static void names_of_values(void)
{
	char got[128] = "";
	enum state idle = IDLE, running = RUNNING, other = 7;
	signed char small = RUNNING;
	uint64_t done = DONE;
	int yes = 3;

	taffrail_probe_attach("app/found", names, got);
	TAFFRAIL_EVENT(app, found, TAFFRAIL_ENUM(idle, IDLE, RUNNING),
		       TAFFRAIL_ENUM(running, IDLE, RUNNING), yes,
		       TAFFRAIL_ENUM(other, IDLE, RUNNING),
		       TAFFRAIL_ENUM(small, IDLE, RUNNING),
		       TAFFRAIL_ENUM(done, IDLE, DONE), TAFFRAIL_BOOL(yes),
		       TAFFRAIL_HEX(yes), TAFFRAIL_BOOL(!yes), "text",
		       TAFFRAIL_ERRNO(ENOENT), TAFFRAIL_ERRNO(-EHWPOISON),
		       TAFFRAIL_ERRNO(41), TAFFRAIL_ERRNO(yes - 3));
	taffrail_probe_detach("app/found", names, got);
	check_string("names of values", got,
		     "- IDLE RUNNING - - RUNNING DONE true - false - "
		     "ENOENT -EHWPOISON - - - ");
}

static void marks(void)
{
	static const char whole[] = { 'a', 'b', 'c', 'd', 'e' };
	const char *volatile nobody = NULL;
	size_t length;

	taffrail_probe_attach("app/bound*", one_string, &length);
	TAFFRAIL_MARK(app, bound, "n %d s %.2s", 3, whole);
	check_equal("%.2s", length, 2);
	TAFFRAIL_MARK(app, bounded, "n %d s %.*s", 3, 4, whole);
	check_equal("%.*s", length, 4);
	TAFFRAIL_MARK(app, bound_null, "n %d s %.2s", 3, nobody);
	check_equal("NULL under a precision", length, 6);
	TAFFRAIL_MARK(app, bound_not, "n %d s %s", 3, "four");
	check_equal("%s", length, 4);
	TAFFRAIL_MARK(app, bound_small, "n %hhd s %s", (signed char)3, "");
	check_equal("an empty string", length, 0);
	taffrail_probe_detach("app/bound*", one_string, &length);
}

static int guarded(void)
{
	return TAFFRAIL_ENABLED(app, one);
}

static void nested(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
	errno = 42;
	hit_all();
}

/* Detaches itself, and attaches another. */
static void once(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
	check_equal("detach itself", taffrail_probe_detach("app/one", once,
							   priv), 0);
	check_equal("attach in a callback", taffrail_probe_attach(
			"app/two", count, priv), 1);
}

static void inside(void)
{
	uint64_t missed = 0;
	int n = 0;

	check_equal("a guard is off", guarded(), 0);
	taffrail_probe_attach("app/*", nested, &n);
	check_equal("a guard is on", guarded(), 1);
	errno = 7;
	hit_one();
	check_equal("errno stays", errno, 7);
	check_equal("a hit in a callback calls nothing", n, 1);
	taffrail_probe_missed("app/*", nested, &n, &missed, NULL);
	check_equal("and is counted", missed, 2);
	taffrail_probe_detach("app/*", nested, &n);
	check_equal("a guard is off again", guarded(), 0);
	n = 0;
	taffrail_probe_attach("app/one", once, &n);
	hit_all();
	check_equal("attached and detached in a callback", n, 2);
	hit_all();
	check_equal("and so it stays", n, 3);
	taffrail_probe_detach("app/two", count, &n);
}

static void libraries(const char *path)
{
	void (*hit)(void);
	void *library;
	int n = 0;

	check_equal("not loaded yet", taffrail_probe_attach(
			"library/*", count, &n), 0);
	library = dlopen(path, RTLD_NOW);
	*(void **)&hit = dlsym(library, "library_hit");
	hit();
	check_equal("a library that comes later", n, 1);
	dlclose(library);
	library = dlopen(path, RTLD_NOW);
	*(void **)&hit = dlsym(library, "library_hit");
	hit();
	check_equal("and comes again", n, 2);
	taffrail_probe_detach("library/*", count, &n);
	hit();
	check_equal("detached", n, 2);
	dlclose(library);
}

/* Libraries that have callbacks. */
static void owned(const char *path)
{
	int (*attach)(unsigned int flags);
	void *library = dlopen(path, RTLD_NOW);
	int argc = 0;
	int *called;

	*(void **)&attach = dlsym(library, "library_attach");
	called = dlsym(library, "library_called");
	check_equal("a library's callback", attach(0), 1);
	dlclose(library);
	hit_all();
	check_equal("stays while it is attached", *called, 1);
	check("the library stays",
	      !!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
	library = dlopen(path, RTLD_NOW);
	*(void **)&attach = dlsym(library, "library_detach");
	attach(0);
	dlclose(library);
	dlclose(library);
	check("then it goes", !dlopen(path, RTLD_NOW | RTLD_NOLOAD));

	library = dlopen(path, RTLD_NOW);
	*(void **)&attach = dlsym(library, "library_once");
	attach(0);
	dlclose(library);
	hit_all();
	hit_all();
	check_equal("one that detaches itself, and has been closed",
		    taffrail_probe_attach("app/none", count, &argc), 0);
	taffrail_probe_detach("app/none", count, &argc);

	library = dlopen(path, RTLD_NOW);
	*(void **)&attach = dlsym(library, "library_attach");
	attach(TAFFRAIL_PROBE_UNPINNED);
	dlclose(library);
	check("one that detaches itself goes",
	      !dlopen(path, RTLD_NOW | RTLD_NOLOAD));
	hit_all();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	which();
	refusals();
	priorities();
	fields();
	names_of_values();
	marks();
	inside();
	libraries(argv[1]);
	owned(argv[1]);
	return 0;
}
