// The page's own files, which travel inside the program.
#pragma once

#include <string_view>
#include <vector>

namespace pccsql {

struct PageFile {
  std::string_view path;  // of the address
  std::string_view type;
  std::string_view text;
};

const std::vector<PageFile>& page_files();

}  // namespace pccsql
