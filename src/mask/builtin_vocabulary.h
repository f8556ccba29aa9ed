// A small vocabulary that needs no file: for tests, examples and a first look.
//
// It is built as real ones are: every byte is a token (id = byte), so that any text can be written; then the usual
// pieces of SQL, with and without the blank before them and in both cases, some of which cross the borders of words; a
// few ids share their bytes with another. At the end stand special ids, an unused one and one without text.
#pragma once

#include "mask/vocabulary.h"

namespace pccsql {

// The only end-of-text token is `<|endoftext|>`.
Vocabulary builtin_vocabulary();

}  // namespace pccsql
