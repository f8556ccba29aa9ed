"""SGLang: a grammar backend, which masks the requests that name a database.

    PCCSQL_SERVE=databases.json python -m sglang.launch_server --model-path MODEL --grammar-backend pccsql
    {"text": …, "sampling_params": {"ebnf": "pccsql:shop", "max_new_tokens": 256}}

SGLang finds the backend through the entry point `sglang.srt.plugins`. A plugin that fails to load is logged and passed over;
then no backend has this name, and the server does not start.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    InvalidGrammarObject,
    register_grammar_backend,
)

from ._bitmask import get_bitmask_shape
from ._checker import Guarded
from ._engine import Engine, Matcher, fill_batch
from ._follow import Follower, Marker, NotMasked, allow_all
from ._library import Error
from ._serving import VARIABLE, Serving, ask_server, never_allowed
from .kernels import apply_torch

NAME = "pccsql"  #: of the grammar backend
PREFIX = "pccsql:"  #: what the `ebnf` of a request begins with; the database's name follows


class Grammar(BaseGrammarObject):  # type: ignore[misc]
    """One request."""

    def __init__(self, engine: Engine, begin_after: Marker | None, room: int | None = None) -> None:
        """A request about the engine's database. `room`: its `max_new_tokens`, within which the query comes to its end."""
        super().__init__()
        self._engine = engine
        self._begin_after = begin_after
        self._room = room
        self.follower = Follower(engine, begin_after, room)

    def accept_token(self, token: int) -> None:
        """The token came. One that had not been admitted is a ValueError, at which SGLang aborts the request."""
        self.current_token = token
        if not self.follower.push(token):
            raise ValueError(f"token {token} came, which the mask had not admitted: SGLang does not apply it")

    def rollback(self, k: int) -> None:
        """The last tokens did not come after all: they were a draft's."""
        self.follower.rollback(k)

    def is_terminated(self) -> bool:
        """The query came to its end. A refusal goes on to the end of the text, the one token that it admits."""
        matcher = self.follower.matcher
        return matcher is not None and matcher.is_terminated()

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """A bitmask in which everything is allowed."""
        return allocate_vocab_mask(vocab_size, batch_size, device)

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Writes which tokens may come next into a row."""
        self.follower.fill(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[Any], vocab_mask: torch.Tensor) -> None:
        """The same for many requests, on threads in C++."""
        matchers: list[Matcher | None] = [None] * vocab_mask.shape[0]
        for entry in entries:
            if not isinstance(entry.grammar, Grammar):
                entry.grammar.fill_vocab_mask(vocab_mask, entry.row)
            elif (matcher := entry.grammar.follower.matcher) is None:
                allow_all(vocab_mask, entry.row)
            else:
                matchers[entry.row] = matcher
        fill_batch(matchers, vocab_mask)

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Everything is allowed again."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """To where the logits are."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Minus infinity for all tokens that may not come next."""
        apply_torch(logits, vocab_mask)

    def copy(self) -> Grammar:
        """Another request about the same database, from its beginning."""
        return Grammar(self._engine, self._begin_after, self._room)

    def try_jump_forward(self, tokenizer: Any) -> None:
        """Nothing is written without the model: what is forced is seen in the mask."""
        return None


def allocate_vocab_mask(vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
    """A bitmask in which everything is allowed, in pinned memory where there is a GPU."""
    shape = get_bitmask_shape(batch_size, vocab_size)
    return torch.full(shape, -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())


class GrammarBackend(BaseGrammarBackend):  # type: ignore[misc]
    """What `--grammar-backend pccsql` is: knows the databases, and nothing but SQL."""

    def __init__(self, serving: Serving, tokenizer: Any, vocab_size: int, eos_token_ids: Any) -> None:
        """Made by SGLang when the server starts: a policy that cannot be read, or a vocabulary that does not fit, ends it."""
        super().__init__()
        self.serving = serving
        serving.set_tokenizer(tokenizer, eos_token_ids)
        for name in serving.names:
            engine = serving.engine(name)
            if len(engine.vocabulary) > vocab_size:
                raise Error(f"the model has logits for {vocab_size} tokens, and the tokenizer {len(engine.vocabulary)}")

    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject:
        """`pccsql:` and the name of a database; `look_at_request` adds how many tokens the request may have."""
        if not key_string.startswith(PREFIX):
            return InvalidGrammarObject(f"this server writes SQL: `ebnf` is `{PREFIX}` and the name of a database")
        name, room = key_string[len(PREFIX) :], None
        before, _, after = name.rpartition(":")
        if name not in self.serving.names and after.isdecimal():
            name, room = before, int(after)
        if (why := self.serving.refusal(name)) is not None:
            return InvalidGrammarObject(why)
        return Grammar(self.serving.engine(name), self.serving.begin_after, room)

    def _refused(self, key_string: str) -> BaseGrammarObject:
        return InvalidGrammarObject(f"this server writes SQL: give `ebnf`, `{PREFIX}` and the name of a database")

    def dispatch_json(self, key_string: str) -> BaseGrammarObject:
        """Refused."""
        return self._refused(key_string)

    def dispatch_regex(self, key_string: str) -> BaseGrammarObject:
        """Refused."""
        return self._refused(key_string)

    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject:
        """Refused."""
        return self._refused(key_string)


def create_backend(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any) -> GrammarBackend:
    """What SGLang calls for `--grammar-backend pccsql`."""
    serving = Serving.from_environment()
    if serving is None:
        raise Error(f"`--grammar-backend {NAME}` needs {VARIABLE}: the file that names the databases")
    return GrammarBackend(serving, tokenizer, vocab_size, eos_token_ids)


def look_at_request(original: Any, manager: Any, req: Any) -> Any:
    """Around GrammarManager.process_req_with_grammar: a request without a grammar would not be constrained, and what is added
    to logits after the mask could undo it."""
    backend = getattr(manager, "grammar_backend", None)
    if not isinstance(backend, GrammarBackend):
        return original(manager, req)
    params = req.sampling_params
    named = any(getattr(params, field, None) is not None for field in ("json_schema", "regex", "ebnf", "structural_tag"))
    if not named and not backend.serving.allows_others:
        req.set_finish_with_abort(f"each request names its database: `ebnf` is `{PREFIX}` and its name")
        return False
    if named and getattr(req, "custom_logit_processor", None):
        req.set_finish_with_abort("a custom logit processor cannot be used under the mask: it is called after it")
        return False
    ebnf, room = getattr(params, "ebnf", None), getattr(params, "max_new_tokens", None)
    if isinstance(ebnf, str) and ebnf[len(PREFIX) :] in backend.serving.names and ebnf.startswith(PREFIX) and room:
        params.ebnf = f"{ebnf}:{int(room)}"
    return original(manager, req)


def register() -> None:
    """The entry point `sglang.srt.plugins`: makes `--grammar-backend pccsql` known."""
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType
    from sglang.srt.server_args import add_grammar_backend_choices

    register_grammar_backend(NAME, create_backend)
    add_grammar_backend_choices([NAME])
    HookRegistry.register(
        "sglang.srt.constrained.grammar_manager.GrammarManager.process_req_with_grammar", look_at_request, HookType.AROUND
    )


def self_test(server: Any, engine: Engine, database: str) -> None:
    """Asks an `sglang.Engine`, or the server at a URL (`http://localhost:30000`), for nothing but what is forbidden; NotMasked where
    that comes."""
    wanted = never_allowed(engine)
    params = {"temperature": 0, "max_new_tokens": 6, "ebnf": PREFIX + database, "logit_bias": {str(wanted): 100.0}}
    if isinstance(server, str):
        told = ask_server(f"{server.rstrip('/')}/generate", {"text": "SELECT", "sampling_params": params})
    else:
        told = server.generate("SELECT", params)
    tokens = told.get("output_ids")
    if not tokens:
        raise Error("SGLang answers without `output_ids`, so that the mask cannot be tested")
    follower = Follower(engine)
    follower.extend(tokens)
    if wanted in tokens or follower.violation is not None:
        raise NotMasked("a token came that the mask had not admitted: SGLang does not apply it")


def guard(output: Any, engine: Engine, *, begin_after: Marker | None = None) -> Guarded:
    """What `sglang.Engine.generate` returned, judged: each token was admitted, and the second judge calls the query safe."""
    follower = Follower(engine, begin_after)
    follower.extend(output["output_ids"])
    return follower.answer()
