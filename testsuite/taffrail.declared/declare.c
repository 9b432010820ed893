/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that are declared while the program runs.
 *
 *	declare list	declares, and waits to be asked
 *	declare asleep TAFFRAIL
 *			declares while the agent is detached
 *	declare		writes; checks what it can see itself
 */
#include <errno.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma pack(1)			/* as in some programs */
#include <taffrail/event.h>
#pragma pack()
#include <taffrail/marker.h>

#include "../shared/results.h"

static const struct taffrail_event_field all[] = {
	{ "s8", TAFFRAIL_T_S8 },	{ "u8", TAFFRAIL_T_U8 },
	{ "s16", TAFFRAIL_T_S16 },	{ "u16", TAFFRAIL_T_U16 },
	{ "s32", TAFFRAIL_T_S32 },	{ "u32", TAFFRAIL_T_U32 },
	{ "s64", TAFFRAIL_T_S64 },	{ "u64", TAFFRAIL_T_U64 },
	{ "f32", TAFFRAIL_T_F32 },	{ "f64", TAFFRAIL_T_F64 },
	{ "ptr", TAFFRAIL_T_PTR },	{ "yes", TAFFRAIL_T_BOOL },
	{ "text", TAFFRAIL_T_STRING },	{ "none", TAFFRAIL_T_STRING },
	{ "v", TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_S16 },
};
#define ALL	(sizeof(all) / sizeof(*all))

static const struct taffrail_event_field pair[] = {
	{ "id", TAFFRAIL_T_S32 }, { "url", TAFFRAIL_T_STRING },
};

static void write_all(struct taffrail_declared *event)
{
	static const int16_t v[3] = { 1, -2, 3 };
	union taffrail_value values[ALL] = {
		taffrail_value_i64(-8), taffrail_value_u64(200),
		taffrail_value_i64(-1600), taffrail_value_u64(60000),
		taffrail_value_i64(INT32_MIN), taffrail_value_u64(UINT32_MAX),
		taffrail_value_i64(INT64_MIN), taffrail_value_u64(UINT64_MAX),
		taffrail_value_double(-1.5), taffrail_value_double(2.25),
		taffrail_value_u64(0x1234), taffrail_value_u64(1),
		taffrail_value_string("text"), taffrail_value_string(NULL),
		taffrail_value_array(v, 3),
	};
	union taffrail_value none = taffrail_value_array(NULL, 3);

	check_equal("an array at NULL has no elements", (long)none.var_.n_, 0);

	taffrail_event_write(event, values);
}

static void write_pair(struct taffrail_declared *event, int id)
{
	union taffrail_value values[2];

	values[0] = taffrail_value_i64(id);
	values[1] = taffrail_value_string("/index");
	taffrail_event_write(event, values);
}

static void refused(const char *what, const char *channel, const char *name,
		    const struct taffrail_event_field *fields, unsigned int n)
{
	errno = 0;
	check(what, !taffrail_event_declare(channel, name, fields, n) &&
	      errno == EINVAL);
}

static void refusals(void)
{
	struct taffrail_event_field field = { "no-identifier",
					      TAFFRAIL_T_S32 };
	static char name[200];

	refused("no channel", "", "x", pair, 2);
	refused("no name", "app", NULL, pair, 2);
	refused("a slash", "app", "x/y", pair, 2);
	refused("a newline", "app", "x\n", pair, 2);
	refused("too many fields", "app", "x", pair, 17);
	refused("a field's name", "app", "x", &field, 1);
	field.name_ = "9x";
	refused("a digit first", "app", "x", &field, 1);
	field.name_ = "x";
	field.type_ = 0;
	refused("no type", "app", "x", &field, 1);
	field.type_ = TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_STRING;
	refused("an array of strings", "app", "x", &field, 1);
	memset(name, 'n', sizeof(name) - 1);
	refused("a long name", "app", name, pair, 2);
	refused("no fields at all", "app", "x", NULL, 1);
	field.type_ = TAFFRAIL_T_S32;
	field.name_ = NULL;
	refused("a field without a name", "app", "x", &field, 1);
	check("NULL is off", !taffrail_event_enabled(NULL));
	taffrail_event_write(NULL, NULL);
	taffrail_event_undeclare(NULL);
}

/* Levels and messages. */
static void remarks(void)
{
	struct taffrail_declared *event, *plain;
	static char message[1100];

	errno = 0;
	check("an unknown level", !taffrail_event_declare_with(
			"app", "x", pair, 2, "loud", NULL) && errno == EINVAL);
	check("no level", !taffrail_event_declare_with(
			"app", "x", pair, 2, "", NULL));
	check("a newline in a message", !taffrail_event_declare_with(
			"app", "x", pair, 2, NULL, "a\n"));
	memset(message, 'm', 1000);
	event = taffrail_event_declare_with("app", "long", pair, 2, NULL,
					    message);
	check("a long message", !!event);
	write_pair(event, 7);
	memset(message, 'm', 1030);
	check("a message that is too long", !taffrail_event_declare_with(
			"app", "x", pair, 2, NULL, message));
	event = taffrail_event_declare_with(
		"app", "said", pair, 2, "warning",
		"\"{url}\" of {id}, not {{id} (C:\\x, {none})");
	check("a level and a message", !!event);
	check("the same again", taffrail_event_declare_with(
			"app", "said", pair, 2, "warning",
			"\"{url}\" of {id}, not {{id} (C:\\x, {none})") == event);
	plain = taffrail_event_declare("app", "plain", pair, 2);
	check("another level is another marker", taffrail_event_declare_with(
			"app", "plain", pair, 2, "info", NULL) != plain);
	check("neither is the plain one", taffrail_event_declare_with(
			"app", "plain", pair, 2, NULL, NULL) == plain);
	write_pair(event, 3);
	write_pair(plain, 4);
	event = taffrail_event_declare_with("app", "bare", NULL, 0, "emerg",
					    "no fields");
	check("without fields", !!event);
	taffrail_event_write(event, NULL);
}

/* Runs `taffrail WHAT PID`. */
static int command(const char *taffrail, const char *what)
{
	char line[512];

	snprintf(line, sizeof(line), "%s %s %d", taffrail, what, getpid());
	return system(line);
}

/* Declares and forgets while the agent sleeps. */
static void asleep(const char *taffrail)
{
	struct taffrail_declared *before, *forgotten, *meanwhile;

	before = taffrail_event_declare("app", "before", pair, 2);
	forgotten = taffrail_event_declare("app", "forgotten", pair, 2);
	check_equal("detach", command(taffrail, "detach"), 0);
	meanwhile = taffrail_event_declare("app", "meanwhile", pair, 2);
	check("declared while the agent sleeps", !!meanwhile);
	taffrail_event_undeclare(forgotten);
	write_pair(meanwhile, 1);
	write_pair(before, 1);
	check_equal("attach", command(taffrail, "attach"), 0);
	check_equal("list", command(taffrail, "list -p"), 0);
}

/* A child forgets a marker before its first event. */
static void forgets_first(struct taffrail_declared *event)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(20);
		taffrail_event_undeclare(event);
		write_pair(event, -2);
		_exit(taffrail_event_enabled(event));
	}
	waitpid(pid, &status, 0);
	check_equal("a child that forgets first", status, 0);
}

static void again_and_again(struct taffrail_declared *event)
{
	int i;

	for (i = 0; i < 2000; i++) {
		taffrail_event_undeclare(event);
		if (taffrail_event_declare("app", "pair", pair, 2) != event)
			break;
	}
	check_equal("declared and forgotten", i, 2000);
}

int main(int argc, char **argv)
{
	struct taffrail_declared *event, *other;
	int status, i;
	pid_t pid;

	if (argc > 2) {
		asleep(argv[2]);
		return 0;
	}
	event = taffrail_event_declare("app", "pair", pair, 2);
	if (argc > 1 && !strcmp(argv[1], "list")) {
		taffrail_event_undeclare(taffrail_event_declare(
			"app", "forgotten", pair, 2));
		taffrail_event_declare("app", "all", all, ALL);
		taffrail_event_declare_with("app", "said", pair, 2, "warning",
					    "{url}, \"{id}\"");
		puts("ready");
		fflush(stdout);
		while (read(0, &status, 1) > 0) {
			write_pair(event, 1);
			puts(taffrail_event_enabled(event) ? "on" : "off");
			fflush(stdout);
		}
		return 0;
	}
	refusals();
	remarks();
	check("declared", !!event);
	check("it is on", taffrail_event_enabled(event));
	check("the same again", taffrail_event_declare("app", "pair", pair,
						       2) == event);
	check("other fields are another marker",
	      taffrail_event_declare("app", "pair", all, 2) != event);
	for (i = 0; i < 100; i++)
		write_pair(event, i);
	other = taffrail_event_declare("app", "all", all, ALL);
	write_all(other);
	taffrail_event_undeclare(event);
	check("forgotten: it is off", !taffrail_event_enabled(event));
	write_pair(event, -1);
	check("declared again", taffrail_event_declare("app", "pair", pair,
						       2) == event);
	check("it is on again", taffrail_event_enabled(event));
	write_pair(event, 100);
	pid = fork();
	if (!pid) {
		write_pair(event, 101);
		event = taffrail_event_declare("app", "child", pair, 2);
		write_pair(event, 102);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	check_equal("a child", status, 0);
	forgets_first(event);
	again_and_again(event);
	return 0;
}
