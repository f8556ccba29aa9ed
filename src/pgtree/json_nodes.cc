#include "pgtree/json_nodes.h"

namespace pccsql {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

uint32_t JsonReader::add(std::string_view key, uint32_t parent) {
  const auto index = static_cast<uint32_t>(tree_.nodes_.size());
  tree_.nodes_.push_back({key, {}, 0, 0});
  if (parent != 0) {
    uint32_t& last = last_child_.back();
    (last == 0 ? tree_.nodes_[parent].first : tree_.nodes_[last].next) = index;
    last = index;
  }
  return index;
}

// The parser escapes quotes, backslashes and what lies below a blank; all of these are one byte.
bool JsonReader::read_string(std::string_view& out) {
  std::string& json = tree_.json_;
  ++at_;
  const size_t begin = at_;
  size_t to = at_;
  while (at_ < json.size() && json[at_] != '"') {
    char c = json[at_++];
    if (c == '\\') {
      if (at_ >= json.size()) return false;
      c = json[at_++];
      switch (c) {
        case 'b':
          c = '\b';
          break;
        case 'f':
          c = '\f';
          break;
        case 'n':
          c = '\n';
          break;
        case 'r':
          c = '\r';
          break;
        case 't':
          c = '\t';
          break;
        case 'u': {
          int value = 0;
          for (int i = 0; i < 4; ++i) {
            const int digit = at_ < json.size() ? hex_digit(json[at_++]) : -1;
            if (digit < 0) return false;
            value = value * 16 + digit;
          }
          if (value > 0x7F) return false;
          c = static_cast<char>(value);
          break;
        }
        default:  // the character itself
          break;
      }
    }
    json[to++] = c;
  }
  if (at_ >= json.size()) return false;
  ++at_;
  out = std::string_view(json).substr(begin, to - begin);
  return true;
}

bool JsonReader::read_value(std::string_view key, uint32_t parent) {
  const uint32_t index = add(key, parent);
  const char c = peek();
  if (c == '{' || c == '[') {
    ++at_;
    open_.push_back(index);
    last_child_.push_back(0);
    return true;
  }
  std::string_view text;
  if (c == '"') {
    if (!read_string(text)) return false;
  } else {
    const size_t begin = at_;
    while (at_ < tree_.json_.size() && tree_.json_[at_] != ',' && tree_.json_[at_] != '}' && tree_.json_[at_] != ']')
      ++at_;
    if (at_ == begin) return false;
    text = std::string_view(tree_.json_).substr(begin, at_ - begin);
  }
  tree_.nodes_[index].text = text;
  return true;
}

bool JsonReader::read() {
  tree_.nodes_.clear();
  tree_.nodes_.push_back({});  // 0 is no node
  if (peek() != '{' || !read_value({}, 0)) return false;
  while (!open_.empty()) {
    const uint32_t parent = open_.back();
    switch (peek()) {
      case '}':
      case ']':
        ++at_;
        open_.pop_back();
        last_child_.pop_back();
        break;
      case ',':
        ++at_;
        break;
      case '\0':
        return false;
      default: {
        // A field is a string and a colon; in a list a value stands alone.
        std::string_view key;
        if (peek() == '"') {
          if (!read_string(key)) return false;
          if (peek() != ':') {
            tree_.nodes_[add({}, parent)].text = key;
            break;
          }
          ++at_;
        }
        if (!read_value(key, parent)) return false;
      }
    }
  }
  return true;
}

}  // namespace pccsql
