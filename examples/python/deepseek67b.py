"""DeepSeek Coder 6.7B on a suite: `python deepseek67b.py --suite spider-cu.jsonl --out deepseek67b.jsonl`."""

import paper_model

paper_model.main("deepseek-ai/deepseek-coder-6.7b-instruct")
