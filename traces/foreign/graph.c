/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes and runs graphs of libbabeltrace2.
 *
 * Invariant: a graph in which the library has aborted is neither used nor
 * freed. The classes of a trace outlive the graphs: each new one finds those of
 * the first, by their order.
 */
#ifdef HAVE_BABELTRACE2
#include "traces/foreign/graph-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"
#include "traces/foreign/guard-private.h"

#define SILENT	BT_LOGGING_LEVEL_NONE
#define CANNOT	"libbabeltrace2 cannot read the trace"

/* Tells a problem, once: the next ones follow from it. A quiet reader tells
 * none. */
static void problem_tell(struct foreign *f, const char *what, const char *why)
{
	if (f->told || f->stream.reader->quiet)
		return;
	f->told = true;
	reader_problem(f->stream.reader, f->paths[0], "%s: %s", what, why);
}

void foreign_failed(struct foreign *f, const char *what)
{
	char why[300];

	foreign_error(why, sizeof(why));
	problem_tell(f, what, why);
}

char *foreign_group(const char *path)
{
	bt_value *params = bt.value_map_create();
	const bt_value *result = NULL, *group = NULL;
	bt_query_executor *query = NULL;
	char why[16], *copy = NULL;

	if (params && !bt.value_map_insert_string_entry(params, "type",
							"directory") &&
	    !bt.value_map_insert_string_entry(params, "input", path))
		query = bt.query_executor_create(
			bt_component_class_source_as_component_class_const(
				bt.ctf), "babeltrace.support-info", params);
	if (query && !bt.query_executor_query(query, &result) && result)
		group = bt.value_map_borrow_entry_value_const(result, "group");
	else
		foreign_error(why, sizeof(why));	/* told by the graph */
	if (group && bt_value_type_is(bt.value_get_type(group),
				      BT_VALUE_TYPE_STRING))
		copy = strdup(bt.value_string_get(group));
	bt.value_put_ref(result);
	bt.query_executor_put_ref(query);
	bt.value_put_ref(params);
	return copy;
}

/* The product of an odd number and an address is no other address's. */
static uint64_t object_hash(const void *object)
{
	return (uintptr_t)object * 0x9e3779b97f4a7c15ull;
}

/* Callback of index_find(): objects differ where their hashes do. */
static bool object_is_same(uint64_t value, const void *key)
{
	return 1;		/* as the hash is */
}

const struct foreign_slot *foreign_find(const struct foreign *f,
					const void *object)
{
	uint64_t at = index_find(&f->index, object_hash(object),
				 object_is_same, NULL);

	return at ? &f->slots[at - 1] : NULL;
}

/* Adds the classes for an object. Returns 0 or -ENOMEM. A pointer from
 * foreign_find() is good until the next one is added. */
static int slot_add(struct foreign *f, const struct foreign_slot *slot)
{
	if (!array_grow(&f->slots, f->nslots, sizeof(*slot)))
		return -ENOMEM;
	f->slots[f->nslots++] = *slot;
	return index_add(&f->index, object_hash(slot->object), f->nslots);
}

/*
 * Makes the next trace class of the list, unless a graph before made it, and
 * adds the classes for the objects of a class of streams. Returns 0 or -ENOMEM;
 * a class that has no form here is told, and has no objects.
 */
static int class_describe(struct foreign *f, const bt_stream_class *class)
{
	struct reader *reader = f->stream.reader;
	struct foreign_trace *t = &f->traces[f->met];
	struct foreign_slot slot = { .object = class, .of = t };
	uint64_t n = bt.stream_class_get_event_class_count(class);
	struct trace_class *trace;
	int ret = 0;

	if (f->met >= f->ntraces) {
		trace = calloc(1, sizeof(*trace));
		if (!trace)
			return -ENOMEM;
		ret = foreign_class(reader, trace, f->from, class, f->paths[0],
				    &t->cpu);
		if (!ret)
			ret = reader_add_trace(reader, trace);
		t->trace = ret ? NULL : trace;
		if (ret) {
			trace_class_free(trace);
			free(trace);
		}
		if (ret == -ENOTSUP) {
			reader_problem(reader, f->paths[0], "events are left "
				       "out: a context has a type that "
				       "Taffrail does not know");
			ret = 0;
		}
		f->ntraces += !ret;
	}
	if (ret || !t->trace)
		return ret;
	ret = slot_add(f, &slot);
	for (uint64_t i = 0; i < n && i < t->trace->nevents && !ret; i++) {
		slot.object = bt.stream_class_event(class, i);
		slot.event = t->trace->events[i];
		ret = slot_add(f, &slot);
	}
	return ret;
}

int foreign_meet(struct foreign *f, const bt_message *beginning)
{
	const bt_trace *trace = bt.stream_borrow_trace_const(
		bt.message_stream_beginning_borrow_stream_const(beginning));
	const bt_trace_class *class = bt.trace_borrow_class_const(trace);
	uint64_t n = bt.trace_class_get_stream_class_count(class);
	int ret = 0;

	/* all directories of a graph are one trace */
	if (f->from)
		return 0;
	f->from = trace;
	if (!f->traces)
		f->traces = calloc(n + 1, sizeof(*f->traces));
	else if (n > f->ntraces)
		n = f->ntraces;
	if (!f->traces)
		return -ENOMEM;
	for (uint64_t i = 0; i < n && !ret; i++) {
		ret = class_describe(f, bt.trace_class_stream(class, i));
		f->met++;
	}
	if (f->ntraces && f->traces[0].trace)
		f->stream.event.trace = f->traces[0].trace;
	return ret;
}

/* Takes a batch of messages, which foreign_fill() then gives one by one. */
static bt_graph_simple_sink_component_consume_func_status
batch_consume(bt_message_iterator *iterator, void *priv)
{
	struct foreign *f = priv;
	bt_message_iterator_next_status status =
		bt.message_iterator_next(iterator, &f->batch, &f->n);

	f->at = 0;
	if (status)
		f->n = 0;
	/* statuses of one meaning have one value in all functions */
	return (bt_graph_simple_sink_component_consume_func_status)status;
}

/* Makes one step of the graph. Callback of guard_run(). */
static void run_once(void *priv)
{
	struct foreign *f = priv;

	f->status = bt.graph_run_once(f->graph);
}

/* Forgets a graph in which the library has aborted. */
static void give_up(struct foreign *f)
{
	f->graph = NULL;
	f->at = f->n = 0;
	f->ended = true;
	problem_tell(f, "the rest of the trace is left out",
	     "libbabeltrace2 gave up (abort) where it is damaged");
}

bool foreign_fill(struct foreign *f)
{
	while (f->at == f->n) {
		if (f->ended)
			return false;
		f->at = f->n = 0;
		if (!guard_run(run_once, f)) {
			give_up(f);
			return false;
		}
		f->ended = f->status != BT_GRAPH_RUN_ONCE_STATUS_OK;
		if (f->ended && f->status != BT_GRAPH_RUN_ONCE_STATUS_END)
			foreign_failed(f, "libbabeltrace2 cannot read on, and "
				       "the rest of the trace is left out");
	}
	return true;
}

void foreign_graph_close(struct foreign *f)
{
	/* messages hold the graph's objects, so they go first */
	while (f->at < f->n)
		bt.message_put_ref(f->batch[f->at++]);
	bt.graph_put_ref(f->graph);
	f->graph = NULL;
	f->from = NULL;
	f->at = f->n = 0;
	f->ended = true;
	f->met = f->nslots = 0;
	index_empty(&f->index);
}

/* Adds the component that reads the directories, and opens them. After a
 * failure f->source is NULL. Callback of guard_run(). */
static void add_source(void *priv)
{
	struct foreign *f = priv;
	bt_value *params = bt.value_map_create();
	bt_value *inputs = NULL;
	int ret = params ? (int)bt.value_map_insert_empty_array_entry(
		params, "inputs", &inputs) : -1;

	for (size_t i = 0; i < f->npaths && !ret; i++)
		ret = (int)bt.value_array_append_string_element(inputs,
								f->paths[i]);
	if (!ret)
		ret = (int)bt.graph_add_source_component(f->graph, bt.ctf,
							 "source", params,
							 SILENT, &f->source);
	bt.value_put_ref(params);
	if (ret)
		f->source = NULL;
}

/*
 * Makes the graph: the source of the directories, a muxer, to which all outputs
 * of the source lead and which puts the messages in order, and a sink that
 * keeps each batch of messages. Returns 0 or a status of the library.
 */
static int graph_make(struct foreign *f)
{
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t n;
	int ret;

	f->source = NULL;
	f->graph = bt.graph_create(0);
	if (f->graph && !guard_run(add_source, f))
		give_up(f);
	if (!f->source)
		return -1;
	ret = (int)bt.graph_add_filter_component(f->graph, bt.muxer, "muxer",
						 NULL, SILENT, &muxer);
	if (!ret)
		ret = (int)bt.graph_add_simple_sink_component(f->graph, "sink",
							      NULL,
							      batch_consume,
							      NULL, f, &sink);
	if (ret)
		return ret;
	n = bt.source_outputs(f->source);
	for (uint64_t i = 0; i < n && !ret; i++)
		ret = (int)bt.graph_connect_ports(f->graph,
			bt.source_output(f->source, i),
			bt.filter_input(muxer, i), NULL);
	return ret ? ret : (int)bt.graph_connect_ports(f->graph,
		bt.filter_output(muxer, 0), bt.sink_input(sink, 0), NULL);
}

int foreign_graph_open(struct foreign *f)
{
	int ret = 0;

	foreign_graph_close(f);
	if (graph_make(f)) {
		foreign_failed(f, CANNOT);
		return -EIO;
	}
	f->ended = false;
	f->fresh = true;
	/* all streams begin before anything else; their classes must be known
	 * when the reader asks for its traces */
	while (!ret && foreign_fill(f)) {
		const bt_message *message = f->batch[f->at];

		if (bt.message_get_type(message) !=
		    BT_MESSAGE_TYPE_STREAM_BEGINNING)
			break;
		ret = foreign_meet(f, message);
		bt.message_put_ref(message);
		f->at++;
	}
	if (ret)
		foreign_graph_close(f);
	return ret;
}
#endif
