# bindings/: other languages. One file a line.
python_sources = \
	bindings/python/agent.c \
	bindings/python/event.c \
	bindings/python/module.c \
	bindings/python/private.h \
	bindings/python/value.c

python_modules = \
	bindings/python/taffrail/__init__.py \
	bindings/python/taffrail/_event.py \
	bindings/python/taffrail/_handler.py \
	bindings/python/taffrail/_scope.py
