# SPDX-License-Identifier: LGPL-2.1-or-later
"""What logging is given, with a handler that writes events."""
import logging
import logging.config
import sys

import taffrail


class Broken:
    def __str__(self):
        raise ValueError("no text")


class Talks:
    """Its text logs a record, which logs one, and so on."""

    def __init__(self, times):
        self.times = times

    def __str__(self):
        if self.times:
            log.info("%s", Talks(self.times - 1))
        return "talks%d" % self.times


class Enough(logging.Filter):
    def filter(self, record):
        return record.msg != "secret"


logging.config.dictConfig({
    "version": 1,
    "formatters": {"long": {"format": "LONG %(message)s"}},
    "filters": {"enough": {"()": Enough}},
    "handlers": {"events": {"class": "taffrail.Handler", "level": "INFO",
                            "formatter": "long", "filters": ["enough"]}},
    "loggers": {"app.db": {"handlers": ["events"], "level": "DEBUG",
                           "propagate": False}}})
log = logging.getLogger("app.db")
handler = log.handlers[0]
# what logging would complain about, it prints
sys.stderr = sys.stdout


def main():
    log.debug("below the handler's level")
    log.info("plain %d %s", 1, "two")
    log.warning("secret")
    log.log(35, "between")
    try:
        raise KeyError("key")
    except KeyError:
        log.exception("failed")
    assert handler.failures == 0
    log.error("wrong %d", "x")
    log.error("%s", Broken())
    log.error(Broken())
    assert handler.failures == 3
    log.info("%s", Talks(2))
    assert handler.failures == 3
    log.info("%s", Talks(20))
    assert handler.failures == 4
    handler.handle(logging.makeLogRecord({"msg": "made", "levelno": "x"}))


main()
