// A way to open SQLite files by which a database in write-ahead mode is read together with its log, and nothing is
// made beside it.
//
// SQLite keeps an index of the log in a file of its own, which it makes if it is not there and which a connection that
// may not write cannot take away again. Here the index lies in memory, made anew from the log for each connection. So
// nobody else is told of the reader: whoever opens a file so must look whether it has changed meanwhile.
#pragma once

namespace pccsql {

// The name to give to sqlite3_open_v2(); nullptr: it cannot be had.
const char* private_log_vfs();

}  // namespace pccsql
