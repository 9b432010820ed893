/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers in C++: constructors, destructors, templates. A marker in a
 * template is one marker a signature, with one site a copy of its code.
 *
 *	c++ $(pkg-config --cflags taffrail) objects.cc -o objects
 *	taffrail record -o trace -- ./objects
 */
#include <string>

#include <taffrail/marker.h>

namespace {

class connection {
public:
	explicit connection(const std::string &peer) : peer_(peer)
	{
		TAFFRAIL_EVENT(net, open, TAFFRAIL_FIELD(peer, peer_.c_str()));
	}

	~connection()
	{
		TAFFRAIL_EVENT(net, close,
			       TAFFRAIL_FIELD(peer, peer_.c_str()), sent_);
	}

	template <class T> void send(const T &value)
	{
		sent_ += sizeof(value);
		TAFFRAIL_EVENT(net, send, value,
			       TAFFRAIL_FIELD(size, sizeof(value)));
	}

	connection(const connection &) = delete;
	connection &operator=(const connection &) = delete;

private:
	std::string peer_;
	unsigned long sent_ = 0;
};

}

int main()
{
	connection a("alpha");

	a.send(42);
	{
		connection b("beta");

		b.send(2.5);
		b.send('x');
	}
	a.send(43);
	return 0;
}
