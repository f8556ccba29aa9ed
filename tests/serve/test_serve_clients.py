"""`pccsql serve` and `pccsql mcp` with real clients: the Python SDKs `openai` and `mcp`, at fixed versions, in a virtual
environment in the user's cache. Where they cannot be installed, or the tiny model is not there, the test is skipped."""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import served

SDKS = {"openai": "3.51.0", "mcp": "2.3.0"}
PYTHON = served.CACHE / "serve-venv" / "bin" / "python"
QUESTION = "How many offices are there?"


def enter_venv():
    """Runs this script again under a Python that has the SDKs, which are installed first where they are missing."""
    from importlib import metadata

    def version(name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    if all(version(name) == wanted for name, wanted in SDKS.items()):
        return
    if os.environ.get("PCCSQL_IN_VENV") == "serve":
        served.skip("serve clients", f"the SDKs cannot be imported from {PYTHON.parent.parent}")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    wanted = [f"{name}=={number}" for name, number in SDKS.items()]
    check = "from importlib import metadata as m, sys; sys.exit(any(m.version(n) != v for n, v in %r))" % list(SDKS.items())
    check = check.replace(", sys;", "; import sys;")
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", check], **quiet).returncode:
        for step in ([sys.executable, "-m", "venv", str(PYTHON.parent.parent)],
                     [str(PYTHON), "-m", "pip", "install", "--quiet", *wanted]):
            try:
                done = subprocess.run(step, timeout=240, **quiet).returncode == 0
            except (OSError, subprocess.TimeoutExpired):
                done = False
            if not done:
                served.skip("serve clients", f"{' and '.join(wanted)} are not installed, and `{' '.join(step[1:4])}` failed")
    os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "PCCSQL_IN_VENV": "serve"})


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.server = served.Server(cls.scratch.name, model=served.MODEL, limits="{questions_per_minute: 1000, at_once: 4, queue: 16, seconds: 600}")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.scratch.cleanup()

    def openai(self, person="ann"):
        import openai

        return openai.OpenAI(base_url=self.server.address + "/v1", api_key=served.KEYS[person], max_retries=0)

    def test_openai_answers(self):
        client = self.openai()
        self.assertEqual([model.id for model in client.models.list()], ["pccsql/hr", "pccsql/shop"])
        reply = client.chat.completions.create(model="pccsql/hr", messages=[{"role": "user", "content": QUESTION}])
        whole = reply.model_extra["pccsql"]
        self.assertEqual(whole["verdict"], "safe")
        text = reply.choices[0].message.content
        self.assertTrue(text.startswith("```sql\n" + whole["sql"] + "\n```\n"))
        self.assertIn("| --- |", text)
        self.assertEqual(reply.usage.completion_tokens, whole["counts"]["generated_tokens"])
        _, ours = self.server.json("POST", "/v1/ask", {"question": QUESTION, "database": "hr"})
        self.assertEqual((ours["sql"], ours["rows"]), (whole["sql"], whole["rows"]))

    def test_openai_streams(self):
        client = self.openai()
        stream = client.chat.completions.create(model="pccsql/hr", messages=[{"role": "user", "content": QUESTION}], stream=True,
                                                stream_options={"include_usage": True})
        chunks = list(stream)
        self.assertEqual(chunks[-1].usage.completion_tokens > 0, True)
        self.assertEqual(chunks[-2].choices[0].finish_reason, "stop")
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        whole = chunks[-2].model_extra["pccsql"]
        self.assertTrue(text.startswith("```sql\n" + whole["sql"] + "\n```\n"), text)
        self.assertGreater(len(chunks), 8)

    def test_openai_says_what_cannot_be_had(self):
        import openai

        client = self.openai()
        messages = [{"role": "user", "content": QUESTION}]
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        for extra, field in (({"tools": [tool]}, "tools"), ({"logit_bias": {"5": 1}}, "logit_bias"), ({"n": 2}, "n"), ({"temperature": 0.7}, "temperature"),
                             ({"max_tokens": 5}, "max_tokens"), ({"stop": [";"]}, "stop"), ({"logprobs": True}, "logprobs"),
                             ({"response_format": {"type": "json_object"}}, "response_format")):
            with self.assertRaises(openai.BadRequestError) as raised:
                client.chat.completions.create(model="pccsql/hr", messages=messages, **extra)
            self.assertEqual(raised.exception.param, field)
            self.assertIn(field, raised.exception.message)
        with self.assertRaises(openai.BadRequestError):
            client.chat.completions.create(model="gpt-4", messages=messages)
        with self.assertRaises(openai.NotFoundError):
            client.chat.completions.create(model="pccsql/nowhere", messages=messages)
        with self.assertRaises(openai.BadRequestError):
            client.chat.completions.create(model="pccsql/hr", messages=[{"role": "assistant", "content": "x"}])
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=self.server.address + "/v1", api_key="x", max_retries=0).models.list()

    def http_target(self, person):
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.KEYS[person]}"}, timeout=120)
        return streamable_http_client(self.server.address + "/mcp", http_client=client)

    def stdio_target(self, person):
        from mcp.client.stdio import StdioServerParameters

        config = self.server.config.with_name("stdio.yaml")
        config.write_text(self.server.config.read_text().replace("audit.jsonl", "stdio.jsonl"))
        return StdioServerParameters(command=str(served.PROGRAM), args=["mcp", "--config", str(config)], env={"PCCSQL_KEY": served.KEYS[person], "HOME": str(pathlib.Path.home())})

    def talk(self, target, mode, version):
        from mcp import Client

        async def conversation():
            async with Client(target, mode=mode) as client:
                self.assertEqual(client.protocol_version, version)
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                self.assertEqual(sorted(tools), ["ask_database", "check_query", "run_query", "search_objects"])
                self.assertTrue(all(tool.annotations.read_only_hint for tool in tools.values()))
                self.assertTrue(all(tool.output_schema for tool in tools.values()))
                found = await client.call_tool("search_objects", {"database": "hr", "words": "salary"})
                self.assertEqual(found.structured_content["objects"][0]["columns"][0]["for"], ["Agg"])
                which = await client.call_tool("search_objects", {})
                self.assertEqual([one["name"] for one in which.structured_content["databases"]], ["hr", "shop"])
                ran = await client.call_tool("run_query", {"database": "shop", "sql": "SELECT SUM(amount) FROM sale"})
                self.assertEqual(ran.structured_content["rows"], [[6]])
                refused = await client.call_tool("run_query", {"database": "hr", "sql": "SELECT salary FROM employee"})
                self.assertFalse(refused.is_error)
                self.assertEqual((refused.structured_content["verdict"], refused.structured_content["rows"]), ("unsafe", None))
                self.assertIn("salary", refused.structured_content["reason"])
                checked = await client.call_tool("check_query", {"database": "hr", "sql": "SELECT AVG(salary) FROM employee"})
                self.assertEqual(checked.structured_content["verdict"], "safe")
                asked = await client.call_tool("ask_database", {"database": "hr", "question": QUESTION})
                self.assertEqual(asked.structured_content["verdict"], "safe")
                self.assertEqual(json.loads(asked.content[0].text), asked.structured_content)
                wrong = await client.call_tool("run_query", {"database": "nowhere", "sql": "SELECT 1"})
                self.assertTrue(wrong.is_error)
                self.assertIn("nowhere", wrong.content[0].text)
                from mcp.shared.exceptions import MCPError

                with self.assertRaises(MCPError) as raised:
                    await client.call_tool("drop_everything", {})
                self.assertEqual(raised.exception.code, -32602)

        asyncio.run(conversation())

    def test_mcp_by_http(self):
        for mode, version in (("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")):
            with self.subTest(mode):
                self.talk(self.http_target("ann"), mode, version)

    def test_mcp_by_stdio(self):
        for mode, version in (("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")):
            with self.subTest(mode):
                self.talk(self.stdio_target("ann"), mode, version)

    def test_mcp_without_an_sdk(self):
        send = lambda message, **headers: self.server.send("POST", "/mcp", message, headers=headers)
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        modern = {**call, "params": {"_meta": meta}}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
        self.assertEqual(send(call)[0], 200)
        self.assertEqual(json.loads(send(modern, **headers)[2])["result"]["resultType"], "complete")
        code = lambda reply: (reply[0], json.loads(reply[2])["error"]["code"])
        self.assertEqual(code(send("{")), (400, -32700))
        self.assertEqual(code(send([call])), (400, -32600))
        self.assertEqual(code(send({**call, "params": []})), (400, -32600))
        self.assertEqual(code(send(modern)), (400, -32020))
        self.assertEqual(code(send(modern, **{**headers, "Mcp-Method": "tools/call"})), (400, -32020))
        self.assertEqual(code(send(call, **{"MCP-Protocol-Version": "1999-01-01"})), (400, -32022))
        later = {**modern, "params": {"_meta": {**meta, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}}
        self.assertEqual(code(send(later, **headers)), (400, -32020))  # one of the two is wrong, whichever is
        self.assertEqual(code(send(later, **{**headers, "MCP-Protocol-Version": "2030-01-01"})), (400, -32022))
        self.assertEqual(code(send(call, **headers)), (400, -32602))
        self.assertEqual(code(send({**modern, "method": "initialize"}, **{**headers, "Mcp-Method": "initialize"})), (404, -32601))
        self.assertEqual(code(send({**call, "method": "no/such"})), (200, -32601))
        self.assertEqual(send({"jsonrpc": "2.0", "method": "notifications/initialized"})[0], 202)
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"):
            reply = json.loads(send({**call, "method": "initialize", "params": {"protocolVersion": version, "capabilities": {}}})[2])
            self.assertEqual(reply["result"]["protocolVersion"], "2025-11-25" if version == "1999-01-01" else version)
        self.assertEqual(self.server.send("GET", "/mcp")[0], 405)
        self.assertEqual(self.server.send("DELETE", "/mcp")[0], 405)

    def test_events_of_an_answer(self):
        status, headers, text = self.server.send("POST", "/v1/ask", {"question": QUESTION, "database": "hr"}, headers={"Accept": "text/event-stream"})
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        events = []
        for block in text.strip().split("\n\n"):
            name, data = block.split("\n", 1)
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        names = [name for name, _ in events]
        self.assertLessEqual(set(names), {"token", "blocked", "note", "verdict", "rows", "done"})
        self.assertEqual(names[-3:], ["verdict", "rows", "done"])
        whole = events[-1][1]
        self.assertEqual("".join(data["text"] for name, data in events if name == "token"), whole["sql"])
        self.assertEqual(events[-2][1]["rows"], whole["rows"])
        _, plain = self.server.json("POST", "/v1/ask", {"question": QUESTION, "database": "hr"})
        self.assertEqual(plain["sql"], whole["sql"])

    def test_many_at_once_share_the_model(self):
        import threading

        replies = []
        ask = lambda: replies.append(self.server.json("POST", "/v1/ask", {"question": QUESTION, "database": "hr"}))
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([status for status, _ in replies], [200] * 4, replies)
        self.assertEqual({reply["verdict"] for _, reply in replies}, {"safe"})


if __name__ == "__main__":
    served.need_server("serve clients")
    served.need_model("serve clients")
    enter_venv()
    served.run_tests(__name__)
