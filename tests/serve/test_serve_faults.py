"""What can go wrong around `pccsql serve`: callers who dawdle, leave or send rubbish, thousands of idle connections, TLS, full disks,
databases that are locked, replaced or damaged. Nobody else is held up, nothing is lost, and what is refused is told clearly."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

AMOUNTS = {"sql": "SELECT amount FROM sale ORDER BY amount", "database": "shop"}


class Faults(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def serve(self, **config):
        server = served.Server(self.folder, **config)
        self.addCleanup(server.__exit__)
        return server

    def raw(self, server):
        host, port = server.host.split(":")
        made = socket.create_connection((host, int(port)), timeout=60)
        self.addCleanup(made.close)
        return made

    def answers(self, server, within=5.0):
        begin = time.monotonic()
        self.assertEqual(server.json("GET", "/health")[0], 200)
        self.assertLess(time.monotonic() - begin, within)

    def test_ten_thousand_idle_connections_hold_up_nobody(self):
        wanted = 10_000
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < wanted + 500:
            self.skipTest(f"this user may have {hard} files open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = self.serve()
        host, port = server.host.split(":")
        idle = []
        try:
            for i in range(wanted):
                idle.append(socket.create_connection((host, int(port)), timeout=20))
                if i % 3 == 0:
                    idle[-1].sendall(b"GET /health HTTP/1.1\r\nHost: x")  # half a head
                if i % 1000 == 999:
                    self.answers(server)
            self.answers(server)
            self.assertEqual(server.json("POST", "/v1/run", AMOUNTS)[1]["rows"], [[1], [2], [3]])
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            threads = int(status.split("Threads:")[1].split()[0])
            self.assertLess(threads, 40)
        finally:
            for one in idle:
                one.close()

    def test_slow_heads_and_bodies_are_dropped_in_time(self):
        server = self.serve()
        slow = [self.raw(server) for _ in range(150)]
        begin = time.monotonic()
        for one in slow[:120]:
            one.sendall(b"POST /v1/run HTTP/1.1\r\n")
        for one in slow[120:]:
            one.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        while time.monotonic() - begin < 8:  # a byte now and then
            time.sleep(1)
            for one in slow:
                with contextlib.suppress(OSError):
                    one.sendall(b"X")
            self.answers(server)
        for one in slow:
            one.settimeout(30)
            with contextlib.suppress(ConnectionError):
                got = one.recv(4096)
                self.assertRegex(got, rb"^(HTTP/1.1 4|$)")
        self.assertLess(time.monotonic() - begin, 40)

    def test_requests_on_one_connection_are_answered_in_turn(self):
        server = self.serve()
        one = self.raw(server)
        one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 3 + b"GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = b""
        while more := one.recv(65536):
            got += more
        self.assertEqual((got.count(b"HTTP/1.1 200"), got.count(b"HTTP/1.1 404")), (3, 1))
        # Slowly, and in pieces.
        one = self.raw(server)
        for piece in (b"GET /hea", b"lth HTTP/1.1\r\nHost: x\r", b"\n\r", b"\n"):
            one.sendall(piece)
            time.sleep(0.2)
        self.assertIn(b" 200 ", one.recv(4096))

    def test_what_is_no_request_is_told_so_and_ends_the_connection(self):
        server = self.serve()
        for head, status in ((b"\x00\xff HTTP/9.9\r\n\r\n", b" 400 "), (b"GET /health\r\n\r\n", b" 400 "), (b"GET /health HTTP/1.1\r\nA\x00b: c\r\n\r\n", b" 400 "),
                             (b"POST /v1/run HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ", b" 400 "),
                             (b"POST /v1/run HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b" 400 "),
                             (b"POST /v1/run HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", b" 400 "),
                             (b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b" 400 "),
                             (b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", b" 400 "),
                             (b"GET /health HTTP/1.1\r\n\r\n", b" 400 "),
                             (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", b" 414 "), (b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", b" 400 "),
                             (b"GET /" + b"a" * 100_000, b" 4")):
            one = self.raw(server)
            with contextlib.suppress(ConnectionError):
                one.sendall(head + b"GET /metrics HTTP/1.1\r\n\r\n")
            got = b""
            with contextlib.suppress(ConnectionError):
                while more := one.recv(65536):
                    got += more
            self.assertIn(status, got.split(b"\r\n")[0], head[:60])
            self.assertEqual((got.count(b"HTTP/1.1 "), got.count(b"Connection: close\r\n")), (1, 1), got)
        self.answers(server)
        self.assertTrue(any(line.get("status") == 400 for line in server.audit()))

    def test_a_hundred_megabytes_are_not_taken(self):
        server = self.serve()
        for extra in (b"Content-Length: 104857600\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"):
            one = self.raw(server)
            one.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + served.KEYS["ann"].encode() + b"\r\n" + extra)
            sent = 0
            with contextlib.suppress(OSError):
                one.settimeout(10)
                for _ in range(1600):
                    part = b"x" * 65536
                    one.sendall(b"10000\r\n" + part + b"\r\n" if b"chunked" in extra else part)
                    sent += 65536
            with contextlib.suppress(OSError):
                self.assertRegex(one.recv(4096), rb"^(HTTP/1.1 413|$)")
            resident = int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * resource.getpagesize()
            self.assertLess(resident, 300e6)
            self.answers(server)

    def test_deep_json_is_refused_at_every_door(self):
        server = self.serve()
        deep = "[" * 300_000 + "]" * 300_000
        for path, body in (("/v1/run", f'{{"sql": {deep}}}'), ("/v1/chat/completions", f'{{"model": "pccsql/hr", "messages": {deep}}}'),
                           ("/v1/policy/try", f'{{"labels": {deep}}}'), ("/mcp", f'{{"jsonrpc": "2.0", "id": {deep}, "method": "ping"}}'),
                           ("/mcp", f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"run_query","arguments":{{"sql":{deep}}}}}}}')):
            status, _, text = server.send("POST", path, body)
            self.assertEqual(status, 400, text[:300])
        self.answers(server)

    def test_rubbish_in_chat_messages_is_a_400(self):
        server = self.serve()
        for messages in ([{"role": "user", "content": [{"type": 5, "text": "x"}]}], [{"role": ["user"], "content": "x"}], [7], [], [{"role": "user"}],
                         [{"role": "user", "content": {"type": "text"}}], [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]):
            status, _, text = server.send("POST", "/v1/chat/completions", {"model": "pccsql/hr", "messages": messages})
            self.assertEqual(status, 400, text)

    def test_the_audit_on_a_full_disk_stays_whole_and_nothing_is_shown(self):
        limit = 9000

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        server = self.serve(before=small_files)
        statuses = []
        for _ in range(60):
            status, reply = server.json("POST", "/v1/run", AMOUNTS)
            statuses.append(status)
            if status != 200:
                self.assertEqual((status, reply["error"]["code"]), (500, "audit_failed"))
                self.assertNotIn("rows", reply)
        self.assertIn(200, statuses)
        self.assertEqual(statuses[-1], 500)
        self.assertTrue(all(line["time"] for line in server.audit()))
        self.assertEqual(sum(line["kind"] == "answered" for line in server.audit()), statuses.count(200))

    def test_a_database_that_is_locked_replaced_or_damaged_is_an_answer(self):
        server = self.serve()
        path = self.folder / "shop.sqlite"
        ask = lambda: server.json("POST", "/v1/run", AMOUNTS)[1]
        self.assertEqual(ask()["rows"], [[1], [2], [3]])
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            reply = ask()
            self.assertEqual((reply["kind"], reply["rows"]), ("failed", None))
            self.assertRegex(reply["reason"], "lock|busy")
            self.assertEqual(server.json("POST", "/v1/run", {"sql": "SELECT city FROM office LIMIT 1", "database": "hr"})[1]["kind"], "answered")
        self.assertEqual(ask()["rows"], [[1], [2], [3]])
        other = self.folder / "other.sqlite"
        with contextlib.closing(sqlite3.connect(other)) as db:
            db.executescript(served.SHOP.replace("(1, 1, 3, 'x')", "(1, 1, 30, 'x')"))
        os.replace(other, path)
        self.assertIn(ask()["rows"], ([[1], [2], [30]], [[1], [2], [3]], None))
        self.assertEqual(ask()["rows"], [[1], [2], [30]])
        path.write_bytes(b"this is no database" * 1000)
        self.assertEqual((ask()["kind"], ask()["rows"]), ("failed", None))
        path.unlink()
        self.assertEqual((ask()["kind"], ask()["rows"]), ("failed", None))
        self.answers(server)

    def test_the_audit_goes_on_in_a_new_file_when_the_old_one_was_moved(self):
        server = self.serve()
        server.json("POST", "/v1/run", AMOUNTS)
        (self.folder / "audit.jsonl").rename(self.folder / "audit.1")
        server.process.send_signal(signal.SIGHUP)
        while "read again" not in server.process.stderr.readline():
            pass
        server.json("POST", "/v1/run", AMOUNTS)
        self.assertEqual(len(server.audit()), 1)

    def test_strangers_cannot_fill_the_disk(self):
        server = self.serve()
        for _ in range(700):
            self.assertEqual(server.send("GET", "/v1/databases", person=None)[0], 401)
        self.assertEqual(sum(line.get("status") == 401 for line in server.audit()), 600)
        self.assertRegex(server.send("GET", "/metrics")[2], r'pccsql_refused_total\{status="401"\} 700')

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_tls(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        server = self.serve(extra="tls: {certificate: cert.pem, key: key.pem}\n", limits="{at_once: 1, queue: 4, seconds: 30}")
        self.assertTrue(server.address.startswith("https://"))
        context = ssl.create_default_context(cafile=self.folder / "cert.pem")
        host, port = server.host.split(":")

        def send(connection, body):
            text = json.dumps(body).encode()
            connection.sendall(b"POST /v1/run HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (served.KEYS["ann"].encode(), len(text)) + text)

        def connect():
            made = context.wrap_socket(socket.create_connection((host, int(port)), timeout=60), server_hostname="127.0.0.1")
            self.addCleanup(made.close)
            return made

        one = connect()
        for _ in range(3):
            send(one, AMOUNTS)
            got = b""
            while b'"rows":[[1],[2],[3]]' not in got:
                more = one.recv(65536)
                self.assertTrue(more, got)
                got += more
        # One who speaks no TLS, one who stops in the middle of the handshake: nobody else waits.
        plain = self.raw(server)
        plain.sendall(b"GET /health HTTP/1.1\r\n\r\n")
        half = self.raw(server)
        half.sendall(b"\x16\x03\x01\x02\x00")
        send(one, AMOUNTS)
        self.assertIn(b" 200 ", one.recv(65536))
        # Who leaves frees his place, here too.
        slow = connect()
        send(slow, {"sql": "SELECT instr(printf('%20000000c', ' '), printf('%10000000c', 'b'))", "database": "hr"})
        time.sleep(1)
        slow.close()
        begin = time.monotonic()
        send(one, AMOUNTS)
        self.assertIn(b" 200 ", one.recv(65536))
        self.assertLess(time.monotonic() - begin, 8)
        with self.assertRaises((ssl.SSLError, OSError)):
            old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            warnings.simplefilter("ignore", DeprecationWarning)
            old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
            old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
            old.wrap_socket(socket.create_connection((host, int(port)), timeout=20)).recv(1)

    def test_a_wrong_certificate_is_told_at_the_start(self):
        (self.folder / "cert.pem").write_text("no certificate")
        with self.assertRaises(RuntimeError) as raised:
            served.Server(self.folder, extra="tls: {certificate: cert.pem, key: cert.pem}\n")
        self.assertIn("are no certificate and its key, in PEM", str(raised.exception))

    def test_a_port_that_is_taken_is_told(self):
        server = self.serve()
        config = server.config.read_text().replace("127.0.0.1:0", server.host)
        (self.folder / "second.yaml").write_text(config)
        done = subprocess.run([served.PROGRAM, "serve", "--config", self.folder / "second.yaml"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be listened on", done.stderr)

    def test_a_model_that_is_gone_is_told_at_the_start(self):
        done = subprocess.run([served.PROGRAM, "serve", "--config", served.write_config(self.folder, model="gone.gguf")], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("gone.gguf", done.stderr)

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_curl(self):
        server = self.serve()
        for more in ([], ["--http1.0"], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]):
            done = subprocess.run(["curl", "-sS", "--max-time", "20", *more, "-H", f"Authorization: Bearer {served.KEYS['ann']}", "-H", "Content-Type: application/json",
                                   "-d", json.dumps(AMOUNTS), f"{server.address}/v1/run"], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, json.loads(done.stdout)["rows"]), (0, [[1], [2], [3]]), done.stderr)

    def test_many_threads_at_every_door_while_the_file_is_read_again(self):
        server = self.serve()
        wrong = []

        def ask(person, path, body, wanted):
            for _ in range(40):
                status, _, text = server.send("POST", path, body, person)
                if status != wanted:
                    wrong.append((path, status, text))

        jobs = [("ann", "/v1/check", {"sql": "SELECT salary FROM employee", "database": "hr"}, 200), ("ann", "/v1/run", AMOUNTS, 200),
                ("bob", "/v1/policy/try", {"labels": [{"table": "employee", "column": "name", "policy": "Hidden"}]}, 200),
                ("cara", "/v1/explain", {"prefix": "SELECT "}, 200), ("dan", "/v1/roles", {"sql": "SELECT 1"}, 200), ("nobody", "/v1/run", AMOUNTS, 401),
                ("dan", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "check_query", "arguments": {"sql": "SELECT 1"}}}, 200)]
        threads = [threading.Thread(target=ask, args=job) for job in jobs]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            server.process.send_signal(signal.SIGHUP)
            server.process.stderr.readline()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        kinds = [(line["who"], line["kind"]) for line in server.audit()]  # nothing was told in between that is not there
        for one in (("ann", "checked"), ("ann", "answered"), ("cara", "explained"), ("dan", "roles"), ("dan", "checked")):
            self.assertEqual(kinds.count(one), 40, one)


if __name__ == "__main__":
    served.need_server("serve faults")
    served.run_tests(__name__)
