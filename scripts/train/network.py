"""The network of Qwen2.5, with a low-rank adapter beside each of its seven projections.

Weights stay as they are in the GGUF file, dequantised; only the adapter learns. A batch holds groups of questions that
share a prompt: a token sees what stands before it in the shared prompt and in its own question, and nothing of the
questions beside it, so that each is answered as if it stood alone.
"""

import math

import torch
import torch.nn.functional as F

PROJECTIONS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


class Network:
    def __init__(self, gguf, device, dtype=torch.bfloat16):
        fields = gguf.fields
        kind = fields["general.architecture"]
        if kind != "qwen2":
            raise ValueError(f"the network is that of qwen2, not of {kind}")
        self.layers = fields[f"{kind}.block_count"]
        self.heads = fields[f"{kind}.attention.head_count"]
        self.kv_heads = fields[f"{kind}.attention.head_count_kv"]
        self.width = fields[f"{kind}.embedding_length"]
        self.epsilon = fields[f"{kind}.attention.layer_norm_rms_epsilon"]
        self.theta = fields[f"{kind}.rope.freq_base"]
        self.head = self.width // self.heads
        self.device, self.dtype = device, dtype
        self.weights = {name: gguf.weight(name, device, dtype) for name in gguf.tensors}
        self.output = self.weights.get("output.weight", self.weights["token_embd.weight"])

    def adapter(self, rank, seed):
        """B is nothing, so that the adapted network begins as the network."""
        chance = torch.Generator().manual_seed(seed)
        made = {}
        for layer in range(self.layers):
            for projection in PROJECTIONS:
                name = f"blk.{layer}.{projection}.weight"
                rows, columns = self.weights[name].shape
                first = (torch.rand(rank, columns, generator=chance) * 2 - 1) * math.sqrt(1 / columns)
                made[name + ".lora_a"] = first.to(self.device).requires_grad_()
                made[name + ".lora_b"] = torch.zeros(rows, rank, device=self.device).requires_grad_()
        return made

    def _norm(self, x, weight):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return wide.to(self.dtype) * weight

    def _project(self, x, name, adapter, scale):
        made = F.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))
        if adapter is None:
            return made
        a, b = adapter[name + ".weight.lora_a"].to(self.dtype), adapter[name + ".weight.lora_b"].to(self.dtype)
        return made + F.linear(F.linear(x, a), b * scale)

    def _turned(self, x, cos, sin):
        left, right = x.chunk(2, -1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)

    def hidden(self, tokens, positions, segments, adapter=None, scale=1.0):
        """What the last layer makes of each token. `segments`: 0 the shared prompt, then a number each; -1 padding."""
        count, length = tokens.shape
        steps = torch.arange(0, self.head, 2, device=self.device).float() / self.head
        angles = positions.float()[:, None, :, None] * self.theta**-steps
        cos, sin = angles.cos().to(self.dtype), angles.sin().to(self.dtype)
        index = torch.arange(length, device=self.device)
        own = segments[:, :, None] == segments[:, None, :]
        sees = (own | (segments[:, None, :] == 0)) & (index[:, None] >= index[None, :])
        bias = torch.zeros(sees.shape, dtype=self.dtype, device=self.device).masked_fill_(~sees, float("-inf"))[:, None]
        x = F.embedding(tokens, self.weights["token_embd.weight"])
        for layer in range(self.layers):
            here = f"blk.{layer}."

            def project(value, name):
                return self._project(value, here + name, adapter, scale)

            def parted(value, heads):
                return value.view(count, length, heads, self.head).transpose(1, 2)

            normal = self._norm(x, self.weights[here + "attn_norm.weight"])
            q = self._turned(parted(project(normal, "attn_q"), self.heads), cos, sin)
            k = self._turned(parted(project(normal, "attn_k"), self.kv_heads), cos, sin)
            v = parted(project(normal, "attn_v"), self.kv_heads)
            k, v = (value.repeat_interleave(self.heads // self.kv_heads, 1) for value in (k, v))
            if hasattr(F, "scaled_dot_product_attention"):
                seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            else:
                seen = ((q @ k.transpose(-1, -2)) / math.sqrt(self.head) + bias).float().softmax(-1).to(self.dtype) @ v
            x = x + project(seen.transpose(1, 2).reshape(count, length, self.width), "attn_output")
            normal = self._norm(x, self.weights[here + "ffn_norm.weight"])
            x = x + project(F.silu(project(normal, "ffn_gate")) * project(normal, "ffn_up"), "ffn_down")
        return self._norm(x, self.weights["output_norm.weight"])

    def logits(self, hidden):
        return F.linear(hidden, self.output).float()
