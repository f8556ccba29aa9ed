"""Qwen 2.5 Coder 32B on a suite: `python qwen32b.py --suite spider-cu.jsonl --out qwen32b.jsonl`."""

import paper_model

paper_model.main("Qwen/Qwen2.5-Coder-32B-Instruct")
