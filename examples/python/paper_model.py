"""Measures a model of HuggingFace's on a suite, by itself or under the mask: what the scripts for the paper's models share.

Needs torch and transformers, and a GPU that holds the model. Weights are fetched from where transformers has them.
"""

from __future__ import annotations

import argparse

import torch
import transformers

import pccsql


def main(model_name: str) -> None:
    parser = argparse.ArgumentParser(description=f"Measures {model_name} on a suite of `pccsql suite build`.")
    parser.add_argument("--suite", required=True, help="what `pccsql suite build` wrote")
    parser.add_argument("--out", required=True, help="the run's file; a run that it holds is gone on with")
    parser.add_argument("--method", choices=["pcc", "direct"], default="pcc", help="pcc: under the mask (the default)")
    parser.add_argument("--model", default=model_name, help=f"another model, or a folder with one (default: {model_name})")
    parser.add_argument("--limit", type=int, help="the first questions alone")
    parser.add_argument("--dtype", default="bfloat16", help="of the weights (default: bfloat16)")
    options = parser.parse_args()

    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = getattr(torch, options.dtype)
    model = transformers.AutoModelForCausalLM.from_pretrained(options.model, dtype=dtype).to(device).eval()
    ends = model.generation_config.eos_token_id
    vocabulary = pccsql.Vocabulary.of(tokenizer, ends if isinstance(ends, list) else None)
    memory = pccsql.Memory(256 << 20)  # for all engines together
    engines: dict[tuple[str, str], pccsql.Engine] = {}

    def generate(question: pccsql.Question) -> pccsql.Written:
        inputs = tokenizer.apply_chat_template(question.messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
        inputs = {name: value.to(device) for name, value in inputs.items()}
        prompt_tokens = inputs["input_ids"].shape[1]
        greedy = {"max_new_tokens": question.max_tokens, "do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if options.method == "direct":
            made = model.generate(**inputs, **greedy, pad_token_id=vocabulary.end_of_text[0])[0, prompt_tokens:]
            return pccsql.Written(tokenizer.decode(made, skip_special_tokens=True), prompt_tokens, len(made))
        key = question.db_id, question.policy_text
        if key not in engines:
            engines.clear()  # questions come database by database
            engines[key] = question.engine(vocabulary, memory=memory)
        answer = pccsql.hf.generate(model, engines[key], **inputs, **greedy)[0]  # judged: pccsql.guard is in it
        return pccsql.Written(answer, prompt_tokens, len(tokenizer(answer.text)["input_ids"]))

    more = {} if options.limit is None else {"limit": options.limit}
    pccsql.evaluate(options.suite, generate, out=options.out, name=options.model, method=options.method, options=more)
    print(f"python -m pccsql eval report {options.out}")
