/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of requests and answers: lines "key=value". See client.h.
 */
#include "command/processes/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void client_answer_release(struct client_answer *answer)
{
	free(answer->payload);
	*answer = (struct client_answer){ 0 };
}

void client_request_add(struct client_request *request, const char *key,
			const char *format, ...)
{
	char *value = NULL, *text;
	size_t line;
	va_list ap;
	int n;

	if (request->failed)
		return;
	va_start(ap, format);
	n = vasprintf(&value, format, ap);
	va_end(ap);
	if (n < 0) {
		request->failed = -ENOMEM;
		return;
	}
	line = strlen(key) + 1 + n + 1;
	text = realloc(request->text, request->bytes + line + 1);
	if (strchr(value, '\n')) {
		request->failed = -EINVAL;
	} else if (!text) {
		request->failed = -ENOMEM;
	} else {
		snprintf(text + request->bytes, line + 1, "%s=%s\n", key,
			 value);
		request->bytes += line;
	}
	if (text)
		request->text = text;
	free(value);
}

void client_request_release(struct client_request *request)
{
	free(request->text);
	*request = (struct client_request){ 0 };
}

bool client_answer_next(struct client_answer *answer, size_t *position,
			const char **key, const char **value)
{
	while (*position < answer->bytes) {
		char *line = answer->payload + *position;
		char *end = memchr(line, '\n', answer->bytes - *position);
		char *equals;

		if (!end)
			end = answer->payload + answer->bytes;
		*end = '\0';
		*position = end - answer->payload + 1;
		equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = '\0';
		*key = line;
		*value = equals + 1;
		return true;
	}
	return false;
}

uint64_t client_answer_number(const struct client_answer *answer,
			      const char *key)
{
	size_t n = strlen(key);
	const char *line = answer->payload;

	while (line && *line) {
		if (!strncmp(line, key, n) && line[n] == '=')
			return strtoull(line + n + 1, NULL, 0);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}
