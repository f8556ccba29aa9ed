"""Qwen 2.5 Coder 7B on a suite: `python qwen7b.py --suite spider-cu.jsonl --out qwen7b.jsonl`."""

import paper_model

paper_model.main("Qwen/Qwen2.5-Coder-7B-Instruct")
