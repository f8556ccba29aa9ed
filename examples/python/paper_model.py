"""Measures a model of HuggingFace's on a suite, by itself or under the mask: what the scripts for the paper's models share.

Needs torch and transformers, and a GPU that holds the model. Weights are fetched from where transformers has them, or read from
a GGUF file (`--model model.gguf`, which needs the packages gguf and accelerate).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import pathlib
import queue
import threading
from typing import Any, Callable, Sequence

import torch
import transformers

import pccsql


class Together:
    """Calls of many threads, put together: `ask_all` is called with up to `most` questions at once."""

    def __init__(self, most: int, ask_all: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
        self.most = most
        self.ask_all = ask_all
        self.waiting: queue.Queue[tuple[Any, concurrent.futures.Future[Any]]] = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    def __call__(self, question: Any) -> Any:
        answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self.waiting.put((question, answer))
        return answer.result()

    def work(self) -> None:
        while True:
            batch = [self.waiting.get()]
            try:
                while len(batch) < self.most:
                    batch.append(self.waiting.get(timeout=0.2))
            except queue.Empty:
                pass  # the suite's last questions
            try:
                for (_, answer), made in zip(batch, self.ask_all([question for question, _ in batch])):
                    answer.set_result(made)
            except BaseException as problem:
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(problem)


def loaded(name: str, dtype: torch.dtype, device: str) -> tuple[Any, Any, pccsql.Vocabulary]:
    """Model, tokenizer and vocabulary: of a name, a folder, or a GGUF file, whose weights become numbers of `dtype`."""
    path = pathlib.Path(name)
    where, more = (path.parent, {"gguf_file": path.name}) if path.suffix == ".gguf" else (name, {})
    tokenizer = transformers.AutoTokenizer.from_pretrained(where, padding_side="left", **more)
    model = transformers.AutoModelForCausalLM.from_pretrained(where, dtype=dtype, **more).to(device).eval()
    if more:
        return model, tokenizer, pccsql.Vocabulary.of(path)
    ends = model.generation_config.eos_token_id
    return model, tokenizer, pccsql.Vocabulary.of(tokenizer, ends if isinstance(ends, list) else None)


def main(model_name: str) -> None:
    parser = argparse.ArgumentParser(description=f"Measures {model_name} on a suite of `pccsql suite build`.")
    parser.add_argument("--suite", required=True, help="what `pccsql suite build` wrote")
    parser.add_argument("--out", required=True, help="the run's file; a run that it holds is gone on with")
    parser.add_argument("--method", choices=["pcc", "direct"], default="pcc", help="pcc: under the mask (the default)")
    parser.add_argument("--model", default=model_name, help=f"another model, a folder or a GGUF file (default: {model_name})")
    parser.add_argument("--name", help="what reports call the model (default: as it was given)")
    parser.add_argument("--limit", type=int, help="the first questions alone")
    parser.add_argument("--with-database", action="store_true", help="only questions whose database is there")
    parser.add_argument("--max-tokens", type=int, help="of one answer (default: 512)")
    parser.add_argument("--batch", type=int, default=1, help="questions that are asked at once (default: 1)")
    parser.add_argument("--dtype", default="bfloat16", help="of the weights (default: bfloat16)")
    options = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer, vocabulary = loaded(options.model, getattr(torch, options.dtype), device)
    ends = list(vocabulary.end_of_text)
    tokenizer.pad_token_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0]
    memory = pccsql.Memory(256 << 20)  # for all engines together
    engines: dict[tuple[str, str], pccsql.Engine] = {}

    def engine(question: pccsql.Question) -> pccsql.Engine:
        key = question.db_id, question.policy_text
        if key not in engines:
            if len(engines) > options.batch:
                engines.clear()  # questions come database by database
            engines[key] = question.engine(vocabulary, memory=memory)
        return engines[key]

    def ask(questions: Sequence[pccsql.Question]) -> list[pccsql.Written]:
        inputs = tokenizer.apply_chat_template([question.messages for question in questions], add_generation_prompt=True,
                                               padding=True, return_tensors="pt", return_dict=True)  # fmt: skip
        inputs = {name: value.to(device) for name, value in inputs.items() if name in ("input_ids", "attention_mask")}
        width, lengths = inputs["input_ids"].shape[1], inputs["attention_mask"].sum(dim=1).tolist()
        greedy = {"max_new_tokens": max(question.max_tokens for question in questions), "do_sample": False,
                  "temperature": None, "top_p": None, "top_k": None, "repetition_penalty": 1.0,
                  "pad_token_id": ends[0], "eos_token_id": ends}  # fmt: skip
        if options.method == "direct":
            made = model.generate(**inputs, **greedy)[:, width:].tolist()
            made = [row[: next((at for at, token in enumerate(row) if token in ends), len(row))] for row in made]
            texts = [tokenizer.decode(row, skip_special_tokens=True) for row in made]
            return [pccsql.Written(*told) for told in zip(texts, lengths, map(len, made))]
        answers = pccsql.hf.generate(model, [engine(question) for question in questions], **inputs, **greedy)
        counts = [len(tokenizer(answer.text, add_special_tokens=False)["input_ids"]) for answer in answers]
        return [pccsql.Written(*told) for told in zip(answers, lengths, counts)]  # judged: pccsql.guard is in it

    generate = Together(options.batch, ask)
    given = {"limit": options.limit, "with_database": options.with_database or None, "max_tokens": options.max_tokens}
    more = {name: value for name, value in given.items() if value is not None}
    pccsql.evaluate(options.suite, generate, out=options.out, name=options.name or options.model, method=options.method,
                    parallel=options.batch, options=more)  # fmt: skip
    print(f"python -m pccsql eval report {options.out}")
