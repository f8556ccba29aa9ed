"""transformers under the mask beside `pccsql ask --method pcc`: the same weights, prompts and policies, token by token.

    python python/tests/beside_ask.py --program build/release/apps/pccsql --weights smollm2-135m.gguf --suite spider-cu.jsonl

Run by hand: it needs torch, transformers, gguf and accelerate, and a program that has llama.cpp. The weights are written down
once more as 32-bit numbers, so that llama.cpp and transformers compute with the same ones. The prompt is the one that `ask` itself
sends: it is asked first with a chat endpoint in place of the model, which keeps the messages. Then both write greedily, `ask` with the
mask alone (`--mask-alone`), because what it does beside the mask goes back in a text and a processor cannot; and each
token is compared, the one that ends the text included. Where they part, the line says how far apart the two tokens' logits are:
two programs that add in different orders differ in the last digits, and so may their choice between equals.
"""

from __future__ import annotations

import argparse
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
from typing import Any

import gguf
import numpy
import torch
import transformers

import pccsql
from pccsql import hf


def write_as_f32(source: pathlib.Path, target: pathlib.Path) -> None:
    """The same GGUF file with every tensor as 32-bit numbers."""
    reader = gguf.GGUFReader(source)
    kept = [field for field in reader.fields.values() if not field.name.startswith("GGUF.")]
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for field in kept:
        if field.name in ("general.architecture", "general.file_type"):
            continue
        inner = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), field.types[0], sub_type=inner)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        writer.add_tensor(tensor.name, values.reshape(tensor.shape[::-1].tolist()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Endpoint(http.server.BaseHTTPRequestHandler):
    """A chat endpoint that keeps what it is asked."""

    messages: list[dict[str, str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Endpoint.messages = body["messages"]
        answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "x",
                  "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "SELECT 1"}}],
                  "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}  # fmt: skip
        told = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def ask(program: str, question: str, db: pathlib.Path, policy: pathlib.Path, *more: str) -> dict[str, Any]:
    done = subprocess.run([program, "ask", "--db", str(db), "--policy", str(policy), "--no-run", "--format", "json", *more, question],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode not in (0, 1, 3):
        sys.exit(f"beside_ask: {done.stderr}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="pccsql, with llama.cpp")
    parser.add_argument("--weights", required=True, type=pathlib.Path, help="a GGUF file that transformers reads, too")
    parser.add_argument("--suite", required=True, type=pathlib.Path, help="of `pccsql suite build`, with its databases")
    parser.add_argument("--questions", type=int, default=50, help="spread over the suite (default: 50)")
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="of llama.cpp (default: %(default)s)")
    options = parser.parse_args()

    with options.suite.open(encoding="utf-8") as file:
        header, *lines = map(json.loads, file)
    data = pathlib.Path(header["data"])
    lines = [line for line in lines if line.get("db_path") and (data / line["db_path"]).exists()]
    lines = [lines[at * len(lines) // options.questions] for at in range(options.questions)]

    server = http.server.HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        weights = folder / "f32.gguf"
        write_as_f32(options.weights, weights)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=weights.name)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=weights.name, dtype=torch.float32)
        model = model.to(device).eval()
        vocabulary = pccsql.Vocabulary.of(weights)
        ends = list(vocabulary.end_of_text)
        equal = tokens = prompts = 0
        for number, line in enumerate(lines):
            policy = folder / "policy.json"
            # Of SQLite's own tables, which tables.json lists, a file says nothing.
            line["policy"]["tables"] = {name: told for name, told in line["policy"]["tables"].items() if not name.startswith("sqlite_")}
            policy.write_text(json.dumps(line["policy"]), encoding="utf-8")
            question, db = line["question"], data / line["db_path"]
            ask(options.program, question, db, policy, "--model", url, "--model-name", "x", "--method", "direct")
            messages = Endpoint.messages
            trace = folder / "trace.json"
            more = ["--max-tokens", str(options.max_tokens), "--threads", str(options.threads), "--gpu-layers", "0",
                    "--no-adapter", "--blocked", "answer", "--mask-alone"]  # fmt: skip
            told = ask(options.program, question, db, policy, "--model", str(weights), "--method", "pcc", "--trace", str(trace), *more)
            theirs = [step["id"] for step in json.loads(trace.read_text(encoding="utf-8"))["steps"]]
            inputs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True).to(device)
            length = inputs["input_ids"].shape[1]
            prompts += length == told["counts"]["prompt_tokens"]
            engine = pccsql.Engine(db=db, policy=policy, tokenizer=vocabulary, style="canonical")
            processor = hf.LogitsProcessor(engine, room=options.max_tokens)
            with torch.inference_mode():
                made = model.generate(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], do_sample=False,
                                      max_new_tokens=options.max_tokens, eos_token_id=ends, pad_token_id=ends[0],
                                      repetition_penalty=1.0, logits_processor=[processor],
                                      output_logits=True, return_dict_in_generate=True)  # fmt: skip
            ours = made.sequences[0].tolist()[length:]
            at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
            equal += ours == theirs
            tokens += at
            if ours != theirs:
                apart = ""
                if at < min(len(ours), len(theirs)):
                    logits = made.logits[at][0]
                    apart = f": logits {float(logits[ours[at]]):.5f} and {float(logits[theirs[at]]):.5f}"
                print(f"question {number}, token {at}: transformers {ours[at:at + 1]}, ask {theirs[at:at + 1]}{apart}", flush=True)
            print(f"{number + 1}: prompts alike {prompts}, answers alike {equal}, tokens alike {tokens}", file=sys.stderr, flush=True)
    server.shutdown()
    print(f"{equal} of {len(lines)} questions alike token by token, {tokens} tokens; {prompts} prompts of the same length")
    sys.exit(equal < len(lines))


if __name__ == "__main__":
    main()
