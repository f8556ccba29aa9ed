#include "exec/wire.h"

#include <cstring>

namespace pccsql {
namespace {

class Packer {
 public:
  void number(uint64_t value) { raw(&value, sizeof value); }
  void real(double value) { raw(&value, sizeof value); }
  void flag(bool value) { bytes_ += value ? '\1' : '\0'; }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void value(const Value& value) {
    bytes_ += static_cast<char>(value.index());
    if (const auto* integer = std::get_if<int64_t>(&value)) number(static_cast<uint64_t>(*integer));
    if (const auto* number = std::get_if<double>(&value)) real(*number);
    if (const auto* words = std::get_if<std::string>(&value)) text(*words);
    if (const auto* blob = std::get_if<Blob>(&value)) text(blob->bytes);
  }
  size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* from, size_t size) { bytes_.append(static_cast<const char*>(from), size); }
  std::string bytes_;
};

// After bytes that were not there everything reads as zero, and ok() is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  uint64_t number() { return raw<uint64_t>(); }
  double real() { return raw<double>(); }
  bool flag() { return raw<char>() != '\0'; }
  std::string text() {
    const uint64_t size = number();
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  Value value() {
    switch (raw<char>()) {
      case 1:
        return static_cast<int64_t>(number());
      case 2:
        return real();
      case 3:
        return text();
      case 4:
        return Blob{text()};
      default:
        return Null{};
    }
  }
  // How many things follow, each at least a byte.
  size_t count() {
    const uint64_t count = number();
    if (count > rest_.size()) ok_ = false;
    return ok_ ? static_cast<size_t>(count) : 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  bool more() const { return ok_ && !rest_.empty(); }

 private:
  template <typename T>
  T raw() {
    T value{};
    if (rest_.size() < sizeof value) ok_ = false;
    if (!ok_) return value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view rest_;
  bool ok_ = true;
};

void pack(Packer& out, const SchemaStamp& stamp) {
  out.number(static_cast<uint64_t>(stamp.version));
  out.number(stamp.hash);
}
SchemaStamp unpack_stamp(Unpacker& in) {
  SchemaStamp stamp;
  stamp.version = static_cast<int64_t>(in.number());
  stamp.hash = in.number();
  return stamp;
}

void pack(Packer& out, const FenceRules& rules) {
  out.number(rules.tables.size());
  for (const FenceRules::Table& table : rules.tables) {
    out.text(table.name);
    out.flag(table.closed);
    out.flag(table.open_view);
    out.number(table.may_read.size());
    for (const auto& [column, may] : table.may_read) {
      out.text(column);
      out.flag(may);
    }
  }
  out.number(rules.functions.size());
  for (const std::string& function : rules.functions) out.text(function);
}
FenceRules unpack_rules(Unpacker& in) {
  FenceRules rules;
  for (size_t tables = in.count(); tables > 0 && in.ok(); --tables) {
    FenceRules::Table& table = rules.tables.emplace_back();
    table.name = in.text();
    table.closed = in.flag();
    table.open_view = in.flag();
    for (size_t columns = in.count(); columns > 0 && in.ok(); --columns) {
      std::string column = in.text();
      table.may_read.emplace_back(std::move(column), in.flag());
    }
  }
  for (size_t functions = in.count(); functions > 0 && in.ok(); --functions) rules.functions.push_back(in.text());
  return rules;
}

}  // namespace

std::string packed(const SessionSpec& spec) {
  Packer out;
  out.text(spec.path);
  out.number(spec.limits.rows);
  out.number(spec.limits.statement);
  out.number(static_cast<uint64_t>(spec.limits.time.count()));
  out.number(spec.limits.memory);
  out.flag(spec.fence.has_value());
  if (spec.fence) pack(out, *spec.fence);
  out.flag(spec.stamp.has_value());
  if (spec.stamp) pack(out, *spec.stamp);
  return out.take();
}

bool unpack(std::string_view bytes, SessionSpec& spec) {
  Unpacker in(bytes);
  spec.path = in.text();
  spec.limits.rows = in.number();
  spec.limits.statement = in.number();
  spec.limits.time = std::chrono::milliseconds(in.number());
  spec.limits.memory = in.number();
  if (in.flag()) spec.fence = unpack_rules(in);
  if (in.flag()) spec.stamp = unpack_stamp(in);
  return in.at_end();
}

std::string packed(const OpenReply& reply) {
  Packer out;
  out.flag(reply.error.has_value());
  if (reply.error) {
    out.text(reply.error->message);
    out.text(reply.error->file);
  }
  pack(out, reply.stamp);
  return out.take();
}

bool unpack(std::string_view bytes, OpenReply& reply) {
  Unpacker in(bytes);
  if (in.flag()) {
    reply.error.emplace();
    reply.error->message = in.text();
    reply.error->file = in.text();
  }
  reply.stamp = unpack_stamp(in);
  return in.at_end();
}

std::string packed(const RunRequest& request) {
  Packer out;
  out.text(request.sql);
  out.flag(request.instead.has_value());
  if (request.instead) out.text(*request.instead);
  out.number(request.admitted.size());
  for (const auto& [table, column] : request.admitted) {
    out.text(table);
    out.text(column);
  }
  return out.take();
}

bool unpack(std::string_view bytes, RunRequest& request) {
  Unpacker in(bytes);
  request.sql = in.text();
  if (in.flag()) request.instead = in.text();
  for (size_t count = in.count(); count > 0 && in.ok(); --count) {
    std::string table = in.text();
    request.admitted.emplace_back(std::move(table), in.text());
  }
  return in.at_end();
}

std::string packed(const RunReply& reply) {
  Packer out;
  out.number(static_cast<uint64_t>(reply.kind));
  out.text(reply.message);
  out.number(reply.columns.size());
  for (const std::string& column : reply.columns) out.text(column);
  out.number(reply.rows);
  out.number(reply.took_ns);
  return out.take();
}

bool unpack(std::string_view bytes, RunReply& reply) {
  Unpacker in(bytes);
  const uint64_t kind = in.number();
  if (kind > static_cast<uint64_t>(RunReply::Kind::SchemaChanged)) return false;
  reply.kind = static_cast<RunReply::Kind>(kind);
  reply.message = in.text();
  for (size_t columns = in.count(); columns > 0 && in.ok(); --columns) reply.columns.push_back(in.text());
  reply.rows = in.number();
  reply.took_ns = in.number();
  return in.at_end();
}

std::string packed_rows(const std::vector<std::vector<Value>>& rows, size_t& first) {
  constexpr size_t kPacket = size_t{256} << 10;
  Packer out;
  for (; first < rows.size() && out.size() < kPacket; ++first) {
    for (const Value& value : rows[first]) out.value(value);
  }
  return out.take();
}

bool unpack_rows(std::string_view bytes, size_t columns, std::vector<std::vector<Value>>& rows) {
  Unpacker in(bytes);
  while (in.more()) {
    std::vector<Value>& row = rows.emplace_back();
    row.reserve(columns);
    for (size_t i = 0; i < columns; ++i) row.push_back(in.value());
  }
  return in.at_end();
}

}  // namespace pccsql
