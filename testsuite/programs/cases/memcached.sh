# SPDX-License-Identifier: LGPL-2.1-or-later
packages='memcached python3'
command=(memcached -u nobody -l 127.0.0.1 -p 7003 -t 4)

ready()
{
	: </dev/tcp/127.0.0.1/7003
}

client()
{
	python3 - <<-'END'
	import hashlib, socket
	s = socket.create_connection(("127.0.0.1", 7003))
	f = s.makefile("rwb")
	digest = hashlib.sha256()
	for i in range(8000):
	    value = b"%d" % (i * i)
	    f.write(b"set k%d 0 0 %d\r\n%s\r\nget k%d\r\n"
	            % (i % 500, len(value), value, i % 500))
	    f.flush()
	    for _ in range(4):
	        digest.update(f.readline())
	print(digest.hexdigest())
	END
}
