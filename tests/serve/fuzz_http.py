"""Throws malformed HTTP, JSON, JSON-RPC and chat requests at a server of its own for so many seconds, on real sockets, and looks every
so often whether it still answers rightly. Prints what it did; exits with 1 where the server died, stopped answering, told a key, or
let something out that it must not.

    tests/serve/fuzz_http.py SECONDS [SEED]
"""

import json
import pathlib
import random
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

HIDDEN = (b"birth_date", b"sick_note", b"street_address", b"supplier code")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
BODIES = [
    ("/v1/check", {"sql": "SELECT name FROM employee", "database": "hr", "show_run": True}),
    ("/v1/run", {"sql": "SELECT AVG(salary) FROM employee", "database": "hr"}),
    ("/v1/roles", {"sql": "SELECT * FROM item", "database": "shop"}),
    ("/v1/explain", {"prefix": "SELECT name FROM employee WHERE ", "database": "hr"}),
    ("/v1/ask", {"question": "How many?", "database": "hr", "stream": True, "evidence": "x"}),
    ("/v1/policy/try", {"database": "hr", "labels": [{"table": "employee", "column": "name", "policy": "Hidden"}], "text": "version: 1"}),
    ("/v1/chat/completions", {"model": "pccsql/hr", "messages": [{"role": "user", "content": [{"type": "text", "text": "How many?"}]}], "stream": False, "n": 1}),
    ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_query", "arguments": {"sql": "SELECT 1", "database": "hr"}, "_meta": META}}),
    ("/mcp", {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}),
    ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
]
ODD = [None, True, False, 0, -1, 1e308, 1 << 70, "", "\x00", "\ud800", "a" * 5000, [], {}, [[]], {"": {}}, [None] * 50, "SELECT", "ssn", "../../etc/passwd", "<script>"]
BYTES = [b"\x00", b"\xff", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b":", b" ", b"\t", b"%", b"%00", b"..", b"{", b"[", b'"', b"\\u0000", b"HTTP/1.1", b"chunked", b"0\r\n\r\n", b"-1",
         b"99999999999999999999", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"Range: bytes=0-1\r\n", b"Upgrade: websocket\r\n"]


def odd_json(value, rng, depth=0):
    """The value with one or another part replaced, left out, doubled or wrapped."""
    if rng.random() < 0.06:
        return rng.choice(ODD)
    if isinstance(value, dict):
        made = {}
        for key, part in value.items():
            if rng.random() < 0.05:
                continue
            made[rng.choice(["x", key.upper(), key + "\u202e", ""]) if rng.random() < 0.03 else key] = odd_json(part, rng, depth + 1)
        if rng.random() < 0.05:
            made[rng.choice(["tools", "n", "stop", "id", "database", "role"])] = rng.choice(ODD)
        return made
    if isinstance(value, list):
        made = [odd_json(part, rng, depth + 1) for part in value]
        return made * rng.choice([1, 1, 1, 2]) if rng.random() < 0.5 else made
    if isinstance(value, str) and rng.random() < 0.1:
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice(["'", '"', ";", "--", "\u0000", "\u2028", "*", "(", ")", " ssn ", "e.*"]) + value[at:]
    return value


def mangled(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5, 20])):
        at = rng.randrange(len(data) + 1)
        how = rng.randrange(5)
        if how == 0:
            data[at:at] = rng.choice(BYTES)
        elif how == 1:
            del data[at : at + rng.randrange(1, 8)]
        elif how == 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif how == 3:
            end = min(len(data), at + rng.randrange(1, 60))
            data[at:at] = data[at:end]
        else:
            del data[at : len(data) if rng.random() < 0.2 else at + 1]
    return bytes(data)


def request(rng):
    path, body = rng.choice(BODIES)
    text = json.dumps(odd_json(body, rng)).encode()
    if rng.random() < 0.05:
        text = rng.choice([b"[", b'{"a":']) * rng.randrange(1, 100_000)
    key = rng.choice([*served.KEYS.values(), "nobody", ""])
    head = [f"{rng.choice(['POST'] * 8 + ['GET', 'PUT', 'OPTIONS', 'TRACE', 'HEAD'])} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {key}"]
    chunked = rng.random() < 0.2
    if chunked:
        head.append("Transfer-Encoding: chunked")
        at = rng.randrange(len(text) + 1)
        text = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (text[:at], text[at:]) if part) + b"0\r\n\r\n"
    else:
        head.append(f"Content-Length: {len(text) + rng.choice([0] * 20 + [-1, 1, 5000])}")
    if path == "/mcp" and rng.random() < 0.7:
        head += ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: run_query"]
    if rng.random() < 0.1:
        head.append(f"Origin: {rng.choice(['null', 'http://127.0.0.1', 'http://evil.example'])}")
    if rng.random() < 0.1:
        head.append("Accept: text/event-stream")
    whole = "\r\n".join(head).encode() + b"\r\n\r\n" + text
    return mangled(whole, rng) if rng.random() < 0.6 else whole


def main():
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    statuses, sent, silent = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder, served.Server(folder) as server:
        host, port = server.host.split(":")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                said = b""
                with socket.create_connection((host, int(port)), timeout=5) as raw:
                    for _ in range(rng.choice([1, 1, 1, 2, 3])):
                        data = request(rng)
                        sent += 1
                        said += data
                        cut = rng.randrange(len(data) + 1) if data and rng.random() < 0.1 else len(data)
                        raw.sendall(data[:cut])
                    if rng.random() < 0.3:
                        raw.shutdown(socket.SHUT_WR)
                    raw.settimeout(0.3)
                    got = raw.recv(1 << 16)
            except (TimeoutError, ConnectionError, BrokenPipeError):
                got = b""
            if got[:9] == b"HTTP/1.1 ":
                statuses[got[9:12].decode("latin-1")] = statuses.get(got[9:12].decode("latin-1"), 0) + 1
            else:
                silent += 1
            admin = served.KEYS["bob"].encode() in said  # who is told everything
            for told in (*[key.encode() for key in served.KEYS.values()], *(() if admin else HIDDEN)):
                if told in got and told not in said:
                    print(f"FOUND: {told!r} after {said!r}: {got!r}")
                    sys.exit(1)
            if sent % 500 < 3:
                status, reply = server.json("POST", "/v1/check", {"sql": "SELECT salary FROM employee", "database": "hr"})
                if server.process.poll() is not None or (status, reply["verdict"]) != (200, "unsafe"):
                    print(f"FOUND: the server answers {status} {reply} after {said!r}")
                    sys.exit(1)
        for line in server.audit():  # every line is whole
            assert line["time"]
    status, _, error = server.ended
    print(f"{sent} requests; answers by status: {dict(sorted(statuses.items()))}; {silent} without one; the server ended with {status}")
    if status != 0:
        print(error[-4000:])
        sys.exit(1)


if __name__ == "__main__":
    main()
