// Result<T> and Error are part of the public API; the modules include them from here.
#pragma once

#include <pccsql/result.h>

#include "base/span.h"
