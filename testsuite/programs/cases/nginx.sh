# SPDX-License-Identifier: LGPL-2.1-or-later
packages='nginx-light nginx apache2-utils curl'
command=(nginx -e stderr -p "$work" -c "$work/nginx.conf")

prepare()
{
	mkdir -p html && chmod 755 . html
	seq 100000 >html/page
	cat >nginx.conf <<-END
	daemon off;
	user nobody nogroup;
	worker_processes 2;
	pid $work/pid;
	events { worker_connections 128; }
	http {
		access_log off;
		sendfile on;
		server { listen 127.0.0.1:7001; root $work/html; }
	}
	END
}

ready()
{
	curl -sf http://127.0.0.1:7001/page
}

client()
{
	ab -n 4000 -c 8 http://127.0.0.1:7001/page 2>&1 |
		grep -E '^(Complete|Failed|Non-2xx|Total transferred)'
	curl -s http://127.0.0.1:7001/page | sha256sum
	curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:7001/none
}
