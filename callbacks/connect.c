/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks of probe libraries that are connected to markers. A connection that
 * is enabled is an attachment, as a program makes them.
 *
 * One request at a time changes the list. The service thread reads it with the
 * registry's lock.
 *
 *	connect		disabled -> enabled		disconnect
 *	  connect_()	  attached as FUNCTION		  disconnect_()
 *
 * Invariants:
 *  - connect_() comes before the first call of the callback, disconnect_()
 *    after the last one has returned;
 *  - a connection whose callback a thread does not leave stays in the list,
 *    disabled: its library cannot be unloaded.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/glob.h"
#include "callbacks/private.h"

#define LEAVE_MS	5000

/* Returns true when a rule that a command names is the connection's, or a glob
 * that matches it. */
static bool connection_selected(const char *rule,
				const struct connection *connection)
{
	return !strcmp(rule, connection->rule) ||
	       glob_match(rule, connection->rule);
}

/* Attaches the callback. Returns how many markers call it, or a negative errno
 * after call_fail(). */
static int connection_start(struct taffrail_call *call,
			    struct connection *connection)
{
	int markers;

	markers = callback_attach(connection->name, connection->rule,
				  connection->item->callback_,
				  connection->priv, 0,
				  connection->item->flags_ |
					  TAFFRAIL_PROBE_UNPINNED, NULL);
	if (markers < 0)
		return call_fail(call, markers, "%s: %s", connection->name,
				 taffrail_probe_strerror(markers));
	store_relaxed(&connection->enabled, 1);
	return markers;
}

/* Waits until no thread is in the callback, also when an earlier request was
 * tired of waiting. */
static int connection_stop(struct taffrail_call *call,
			   struct connection *connection)
{
	uint64_t nested = 0, in_handler = 0;
	int thread = 0;
	int ret;

	/* nothing tells of them when it is detached */
	taffrail_probe_missed(connection->rule, connection->item->callback_,
			      connection->priv, &nested, &in_handler);
	call->missed += nested + in_handler;
	ret = taffrail_probe_detach_within(connection->rule,
					   connection->item->callback_,
					   connection->priv, LEAVE_MS,
					   &thread);
	store_relaxed(&connection->enabled, 0);
	if (!ret || ret == -ENOENT)
		return 0;
	if (ret == -ETIMEDOUT)
		return call_fail(call, -EBUSY, "thread %d is in %s: it is "
				 "disabled; try again when the thread has left "
				 "it", thread, connection->name);
	return call_fail(call, ret, "%s: %s", connection->name,
			 taffrail_probe_strerror(ret));
}

/* The callback of rule_try(): the rule may name markers that are hit
 * meanwhile. */
static void event_ignore(const struct taffrail_event *event, void *priv)
{
}

/* Attaches the rule for a moment, to see whether a marker can meet the
 * condition. Returns 0, or a negative errno after call_fail(). */
static int rule_try(struct taffrail_call *call, const char *rule)
{
	char fault[ENTRY_FAULT_BYTES] = "";
	int markers = callback_attach("", rule, event_ignore, &connection_list,
				      0, TAFFRAIL_PROBE_SIGNAL |
						 TAFFRAIL_PROBE_UNPINNED,
				      fault);

	if (markers == -EINVAL)
		return call_fail(call, -EINVAL, "'%s' is no rule", rule);
	if (markers < 0)
		return call_fail(call, markers, "%s",
				 taffrail_probe_strerror(markers));
	taffrail_probe_detach(rule, event_ignore, &connection_list);
	return *fault ? call_fail(call, -EINVAL, "%s", fault) : 0;
}

/* Makes a connection that is not in the list. */
static struct connection *connection_new(struct taffrail_call *call,
					 const char *rule, const char *function)
{
	const struct taffrail_probe_item_ *item;
	struct connection *connection;
	struct library *library;

	item = library_item(call, function, TAFFRAIL_PROBE_ITEM_CALLBACK_,
			    &library);
	if (!item)
		return NULL;
	for (connection = connection_list; connection;
	     connection = connection->next)
		if (connection->item == item &&
		    !strcmp(connection->rule, rule)) {
			call_fail(call, -EEXIST, "%s is connected to '%s' "
				  "already", function, rule);
			return NULL;
		}
	connection = calloc(1, sizeof(*connection));
	if (!connection) {
		call_fail(call, -ENOMEM, "no memory");
		return NULL;
	}
	connection->library = library;
	connection->item = item;
	text_copy(connection->name, sizeof(connection->name), function);
	text_copy(connection->rule, sizeof(connection->rule), rule);
	return connection;
}

/* Ends a connection that is in no list, or no longer: no thread is in the
 * callback. */
static void connection_free(struct connection *connection)
{
	if (connection->item->disconnect_)
		connection->item->disconnect_(connection->priv);
	free(connection);
}

int connection_make(struct taffrail_call *call, const char *rule,
		    const char *function, int enabled)
{
	struct connection *connection = connection_new(call, rule, function);
	int markers = 0;

	if (!connection)
		return call->error;
	if (call->nwords && !connection->item->connect_)
		call_fail(call, -EINVAL, "%s takes no settings: '%s' is too "
			  "much", function, call->words[0]);
	if (!call->error && !rule_try(call, rule) &&
	    connection->item->connect_ &&
	    connection->item->connect_(call, &connection->priv))
		call->error = -ECANCELED;
	if (call->error) {
		free(connection);
		return call->error;
	}
	if (enabled)
		markers = connection_start(call, connection);
	if (markers < 0) {
		connection_free(connection);
		return markers;
	}
	connection->next = connection_list;
	store_release(&connection_list, connection, CONNECTION_LIST);
	call_add(call, "markers=%d\n", markers);
	return 0;
}

/* Takes a connection whose callback no thread is in out of the list. */
static void take_out(struct connection **link)
{
	struct connection *connection = *link;

	store_release(link, connection->next, CONNECTION_LIST);
	/* the service thread may stand on it */
	callback_host.wait();
	connection_free(connection);
}

int connection_end(struct taffrail_call *call, const char *rule,
		   const char *function)
{
	struct connection **link = &connection_list;
	int count = 0;
	int ret = 0;

	while (!ret && *link) {
		if (strcmp((*link)->name, function) ||
		    !connection_selected(rule, *link)) {
			link = &(*link)->next;
			continue;
		}
		ret = connection_stop(call, *link);
		if (!ret) {
			take_out(link);
			count++;
		}
	}
	if (!ret && !count)
		return call_fail(call, -ENOENT, "%s is not connected to '%s'",
				 function, rule);
	if (!ret)
		call_add(call, "count=%d\n", count);
	return ret;
}

uint32_t connection_markers(const char *rule, const char *function)
{
	const struct connection *connection = connection_list;
	const struct entry *entry;
	uint32_t markers = 0;

	while (connection && (strcmp(connection->rule, rule) ||
			      strcmp(connection->name, function)))
		connection = connection->next;
	if (!connection)
		return 0;
	callback_lock();
	for (entry = entry_list; entry; entry = entry->next)
		if (entry->callback == connection->item->callback_ &&
		    entry->priv == connection->priv &&
		    !strcmp(entry->name, connection->name))
			markers += load_relaxed(&entry->markers);
	callback_unlock();
	return markers;
}

int connection_end_library(struct taffrail_call *call,
			   const struct library *library)
{
	struct connection **link = &connection_list;
	int ret = 0;

	while (!ret && *link) {
		if ((*link)->library != library) {
			link = &(*link)->next;
			continue;
		}
		ret = connection_stop(call, *link);
		if (!ret)
			take_out(link);
	}
	return ret;
}

int connection_enable(struct taffrail_call *call, const char *rule)
{
	struct connection *connection;
	int markers = 0;
	int count = 0;

	for (connection = connection_list; connection;
	     connection = connection->next) {
		int ret = 0;

		if (!connection_selected(rule, connection))
			continue;
		if (!connection->enabled)
			ret = connection_start(call, connection);
		if (ret < 0)
			return ret;
		markers += ret;
		count++;
	}
	call_add(call, "count=%d\nmarkers=%d\n", count, markers);
	return 0;
}

int connection_disable(struct taffrail_call *call, const char *rule)
{
	struct connection *connection;
	int count = 0;

	for (connection = connection_list; connection;
	     connection = connection->next) {
		int ret;

		if (!connection_selected(rule, connection))
			continue;
		ret = connection_stop(call, connection);
		if (ret)
			return ret;
		count++;
	}
	call_add(call, "count=%d\n", count);
	return 0;
}
