// The VFS is the default one. Of files that it opens, the main database gets methods for shared memory that give memory
// of this process, where all locks are free; and the log is opened without the right to write or to make it.
#include "schema/private_log.h"

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace pccsql {
namespace {

constexpr char kName[] = "pccsql-private-log";

using Region = std::unique_ptr<unsigned char[]>;

struct Regions {
  std::mutex mutex;
  std::map<sqlite3_file*, std::vector<Region>> of;
};
Regions& regions() {
  static Regions all;
  return all;
}

int map_region(sqlite3_file* file, int number, int size, int, void volatile** out) {
  try {
    const std::lock_guard lock(regions().mutex);
    std::vector<Region>& own = regions().of[file];
    while (own.size() <= static_cast<size_t>(number)) {
      own.push_back(std::make_unique<unsigned char[]>(static_cast<size_t>(size)));
    }
    *out = own[static_cast<size_t>(number)].get();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int lock_region(sqlite3_file*, int, int, int) { return SQLITE_OK; }
void region_barrier(sqlite3_file*) { std::atomic_thread_fence(std::memory_order_seq_cst); }
int unmap_regions(sqlite3_file* file, int) {
  const std::lock_guard lock(regions().mutex);
  regions().of.erase(file);
  return SQLITE_OK;
}

// The methods of main databases, by those of the default VFS that they are made from: it has several sets, by the kind
// of file system.
const sqlite3_io_methods* with_private_regions(const sqlite3_io_methods* methods) {
  static std::mutex mutex;
  static std::map<const sqlite3_io_methods*, std::unique_ptr<sqlite3_io_methods>> made;
  const std::lock_guard lock(mutex);
  std::unique_ptr<sqlite3_io_methods>& own = made[methods];
  if (!own) {
    own = std::make_unique<sqlite3_io_methods>(*methods);
    own->xShmMap = map_region;
    own->xShmLock = lock_region;
    own->xShmBarrier = region_barrier;
    own->xShmUnmap = unmap_regions;
  }
  return own.get();
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* const standard = static_cast<sqlite3_vfs*>(vfs->pAppData);
  // Not called a log: of one the default VFS sees to it that it belongs to the database's owner, which is a change too.
  if ((flags & SQLITE_OPEN_WAL) != 0) flags = SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_READONLY;
  const int rc = standard->xOpen(standard, name, file, flags, out_flags);
  if (rc != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return rc;
  try {
    if (file->pMethods->iVersion >= 2) file->pMethods = with_private_regions(file->pMethods);
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    file->pMethods->xClose(file);
    return SQLITE_NOMEM;
  }
}

}  // namespace

const char* private_log_vfs() {
  static sqlite3_vfs vfs;
  static const bool registered = [] {
    sqlite3_vfs* const standard = sqlite3_vfs_find(nullptr);
    if (standard == nullptr) return false;
    vfs = *standard;
    vfs.zName = kName;
    vfs.pNext = nullptr;
    vfs.pAppData = standard;
    vfs.xOpen = open_file;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  }();
  return registered ? kName : nullptr;
}

}  // namespace pccsql
