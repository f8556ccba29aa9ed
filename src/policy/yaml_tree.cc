// The library's events, turned into a tree. Events rather than its own nodes: those give YAML's `null` and `~` no text,
// silently drop aliases into their targets, and could grow without bound from a short text.
#include "policy/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace pccsql {
namespace {

constexpr size_t kDeepest = 16;  // a policy has five levels at most

// Leaves the library's parser from inside an event; never leaves this file.
struct Stop {
  std::string message;
  Position at;
};

Position position(const YAML::Mark& mark) {
  return {static_cast<uint32_t>(mark.line + 1), static_cast<uint32_t>(mark.column + 1)};
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  bool seen_document() const { return documents_ > 0; }
  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Stop{"a second document; one file holds one policy", position(mark)};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node = scalar(mark, anchor, word_at(mark));
    node.null = true;
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Stop{"an alias (`*name`); write the value out, and quote `\"*\"` where it means every other column",
               position(mark)};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    add(scalar(mark, anchor, value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Sequence, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  static YamlNode scalar(const YAML::Mark& mark, YAML::anchor_t anchor, std::string text) {
    refuse_anchor(mark, anchor);
    YamlNode node;
    node.text = std::move(text);
    node.at = position(mark);
    return node;
  }

  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor)
      throw Stop{"an anchor (`&name`); write the value out where it is needed", position(mark)};
  }

  // The spelling of a null: `null`, `~` or nothing.
  std::string word_at(const YAML::Mark& mark) const {
    const size_t begin = std::min(static_cast<size_t>(std::max(mark.pos, 0)), text_.size());
    size_t end = begin;
    while (end < text_.size() && (text_[end] == '~' || (fold(text_[end]) >= 'a' && fold(text_[end]) <= 'z'))) ++end;
    return std::string(text_.substr(begin, end - begin));
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    if (open_.size() >= kDeepest) throw Stop{"nested too deeply; a policy has five levels at most", position(mark)};
    YamlNode node;
    node.kind = kind;
    node.at = position(mark);
    open_.push_back({std::move(node), {}, false});
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::Sequence) {
      parent.node.items.push_back(std::move(node));
      return;
    }
    if (parent.has_key) {
      if (node.null && node.text.empty()) node.at = parent.key.at;  // the library would point at whatever comes next
      parent.node.entries.push_back({std::move(parent.key), std::move(node)});
    } else {
      parent.key = std::move(node);
    }
    parent.has_key = !parent.has_key;
  }

  struct Open {
    YamlNode node;
    YamlNode key;
    bool has_key = false;
  };
  std::string_view text_;
  std::vector<Open> open_;
  YamlNode root_;
  int documents_ = 0;
};

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto error = [&](std::string message, Position at) { return Error{std::move(message), file, at}; };
  // The library would guess at another encoding.
  if (const size_t nul = text.find('\0'); nul != text.npos) {
    return error("a NUL byte; a policy is UTF-8 text", position_of(text, static_cast<uint32_t>(nul)));
  }
  if (const size_t bad = find_invalid_utf8(text); bad != text.npos) {
    return error("a policy must be valid UTF-8", position_of(text, static_cast<uint32_t>(bad)));
  }
  TreeBuilder builder(text);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    return error(stop.message, stop.at);
  } catch (const YAML::Exception& e) {
    // "bad file" is what the library says of nesting beyond its own bound.
    return error("not YAML: " + (e.msg == "bad file" ? std::string("nested too deeply") : e.msg), position(e.mark));
  } catch (const std::exception& e) {
    return error(std::string("not YAML: ") + e.what(), {0, 0});
  }
  if (!builder.seen_document()) return error("there is no policy here; `version: 1` was expected", {1, 1});
  return builder.take_root();
}

}  // namespace pccsql
