// Vocabulary is part of the public API; the modules include it from here.
#pragma once

#include <pccsql/vocabulary.h>
