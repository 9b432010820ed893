# SPDX-License-Identifier: LGPL-2.1-or-later
packages='nodejs'
command=(node -e '
	const { Worker } = require("worker_threads");
	const { execSync } = require("child_process");
	const crypto = require("crypto"), zlib = require("zlib");
	console.log(execSync("echo from a shell").toString());
	for (let i = 0; i < 3; i++)
		new Worker("let s = 0; for (let i = 0; i < 2e7; i++) s += i % 7;" +
			"require(\"worker_threads\").parentPort.postMessage(s)",
			{ eval: true }).on("message", (s) => console.log(s));
	crypto.pbkdf2("a", "b", 300000, 32, "sha256",
		(e, key) => console.log(key.toString("hex").length));
	console.log(zlib.deflateSync(Buffer.alloc(2e7, "abc")).length);
	process.exitCode = 5;')

filter()
{
	sort
}
