// Whether masks that are made on this thread may leave parts for other schemas: while a vocabulary is prepared, so that what it
// keeps does not grow afterwards.
#pragma once

namespace pccsql {

inline thread_local bool learns_shapes = false;

}  // namespace pccsql
