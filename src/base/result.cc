#include "base/result.h"

namespace pccsql {

std::string Error::to_string() const {
  std::string text;
  if (!file.empty()) text += file + ":";
  if (at.line != 0) text += std::to_string(at.line) + ":" + std::to_string(at.column) + ":";
  if (!text.empty()) text += " ";
  return text + message;
}

}  // namespace pccsql
