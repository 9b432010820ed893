# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the records of `logging` as events."""
import logging
import threading

from ._event import event
from ._scope import words

NESTED_MAX = 8          # a record of which the text logs a record, and so on


class Handler(logging.Handler):
    """A handler of which each record is an event, logging/record.

    Its fields are logger, level (a number, as logging.ERROR), message, file,
    line, function and exception. The message is the record's own: no formatter
    is asked. Nothing that is logged makes it raise; `failures` counts records
    of which something could not be written.
    """

    def __init__(self, name="logging/record", level=logging.NOTSET):
        super().__init__(level)
        self._event = event(name, logger=str, level="s32", message=str,
                            file=str, line="u32", function=str, exception=str)
        self._depth = threading.local()
        self.failures = 0

    def handle(self, record):
        """Takes no lock: threads do not wait for each other."""
        passed = self.filter(record)
        if isinstance(passed, logging.LogRecord):
            record = passed
        if passed:
            self.emit(record)
        return passed

    def emit(self, record):
        if not self._event.enabled:
            return
        depth = getattr(self._depth, "n", 0)
        if depth == NESTED_MAX:
            self.failures += 1
            return
        self._depth.n = depth + 1
        try:
            self._write(record)
        except Exception:
            self.failures += 1
        finally:
            self._depth.n = depth

    def _write(self, record):
        error = record.exc_info[1] if record.exc_info else None
        self._event(record.name, record.levelno, self._message(record),
                    record.pathname, record.lineno, record.funcName or "",
                    words(error))

    def _message(self, record):
        try:
            return record.getMessage()
        except Exception as error:
            self.failures += 1
            return f"{self._raw(record.msg)} ({words(error)})"

    @staticmethod
    def _raw(text):
        try:
            return str(text)
        except Exception:
            return "without text"
