/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to the members of a recording.
 */
#include "command/processes/client.h"
#include "command/record/member-private.h"

#define STOP_TIMEOUT_MS	2000
#define DYING_MS	200

int record_ask(struct record *record, struct record_member *member,
	       enum message_type type)
{
	struct client_request request = { 0 };
	char line[CAUSE_LINE_BYTES];
	struct client client;
	int ret = client_connect(&client, member->process);

	if (!ret) {
		client.timeout_ms = STOP_TIMEOUT_MS;
		client_request_add(&request, "name", "%s", record->name);
		ret = client_call(&client, type, &request, NULL);
		client_request_release(&request);
	}
	/* no warning for a process that is just being killed */
	if (ret && type == MESSAGE_STOP && !member_ended(member, DYING_MS))
		record->left = command_failed("cannot stop the session: %s; "
					      "then: taffrail destroy %s",
					      cause_line(&client.cause, line),
					      record->name);
	client_close(&client);
	return ret;
}
