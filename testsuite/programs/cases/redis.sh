# SPDX-License-Identifier: LGPL-2.1-or-later
packages='redis-server redis-tools'
varies=threads	# jemalloc makes some
command=(redis-server --port 7002 --bind 127.0.0.1 --save '' --dir . --io-threads 2)

ready()
{
	redis-cli -p 7002 ping | grep PONG
}

client()
{
	redis-cli -p 7002 flushall
	redis-benchmark -p 7002 -n 5000 -c 20 -q -t set,lpush,zadd >/dev/null
	seq -f 'set key:%.0f value:%.0f' 5000 | redis-cli -p 7002 | sort | uniq -c
	redis-cli -p 7002 config set appendonly yes
	redis-cli -p 7002 eval 'local s = 0
		for i = 1, 300000 do s = s + i % 7 end return s' 0
}

stop()
{
	redis-cli -p 7002 shutdown nosave
}

filter()
{
	sed 's/^[0-9]*:[A-Z] [^*#-]*//'
}
