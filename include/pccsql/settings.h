// Settings: what an Engine is compiled for. All of them hold for every generation of that Engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <pccsql/memory.h>

namespace pccsql {

struct Settings {
  // Fragment: the paper's language, without set operations, CTEs, windows and CASE.
  enum class Language : uint8_t { Full, Fragment };
  // How uses of columns are counted. Strict closes every point the paper leaves open on the safe side.
  enum class Profile : uint8_t { Strict, Paper };
  // What may qualify a column before FROM has introduced it. Short: a table's name, or one or two letters and up to two
  // digits, as in `T1`.
  enum class Aliases : uint8_t { Short, Any };
  // Canonical: one form for each thing, for models that would else be led astray (docs/decoder.md).
  enum class Style : uint8_t { Any, Canonical };
  // Paper: the algorithm of the paper's appendix, to compare with. It masks columns at column slots, does not look
  // ahead, and refuses at a dead end.
  enum class Algorithm : uint8_t { Pcc, Paper };

  Language language = Language::Full;
  Profile profile = Profile::Strict;
  Aliases aliases = Aliases::Short;
  Style style = Style::Any;
  Algorithm algorithm = Algorithm::Pcc;

  // Off: a name is admitted without asking whether some FROM can still supply it, and a generation can end in a dead
  // end, which is a refusal.
  bool lookahead = true;
  // A name before FROM may be one that only a derived table will introduce. Lets a model invent column names.
  bool derived_names = false;
  // The model may answer with the word REFUSE, alone, instead of a query.
  bool refusal = false;

  // The most tokens that a generation may have, the one that ends it included; 0: no limit. A token is admitted only if
  // a whole query fits into what is left after it. Without look-ahead that cannot be known, and a generation that runs
  // out is refused.
  uint32_t token_budget = 0;

  // The most bytes that an Engine keeps to be quicker later: masks and parts of them, what trackers remember, trackers that
  // wait for the next generation. All that grows while it runs is in this, whatever the schema; when it is spent, it is
  // thrown away, and masks are the same as before. Besides, an Engine has what it was compiled to (half a kB a column), a
  // vocabulary what it was indexed to, and each generation that is running its own text's states and up to 256 kB. 0:
  // nothing is kept.
  size_t memory_bytes = size_t{256} << 20;
  // Shared with other Engines, so that all of a process stay within one limit; then memory_bytes does not count.
  std::optional<Memory> memory;
};

}  // namespace pccsql
