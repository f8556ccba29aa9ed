#include "base/own_files.h"

#include <filesystem>
#include <system_error>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace pccsql {
namespace {

std::filesystem::path folder_of_program() {
  std::error_code failed;
#ifdef __APPLE__
  std::string name(4096, '\0');
  auto size = static_cast<uint32_t>(name.size());
  if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
  const std::filesystem::path self = std::filesystem::canonical(name.c_str(), failed);
#else
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
#endif
  return failed ? std::filesystem::path() : self.parent_path();
}

}  // namespace

std::string own_file(std::initializer_list<const char*> places) {
  const std::filesystem::path folder = folder_of_program();
  for (const char* place : places) {
    const std::filesystem::path file = (folder / place).lexically_normal();
    std::error_code failed;
    if (std::filesystem::is_regular_file(file, failed)) return file.string();
  }
  return (folder / *places.begin()).lexically_normal().string();
}

}  // namespace pccsql
