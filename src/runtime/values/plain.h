// A plain value: what a design's operations take, compute and answer, free of DynamoDB's types.
//
// Absent is not null: absent is a field that is not there, null an input that was given as null ("remove this").
// Numbers are canonical text (model/number.h), exact to 38 digits. A moment is a time that was computed (`now + 1h`);
// what is read from inputs and items is text or a number as its field's type writes it. A map keeps the order in which
// its members were set. A set holds scalars of one kind, sorted, each once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/value.h"

namespace trestle::runtime {

class Plain {
 public:
  using List = std::vector<Plain>;
  using Map = std::vector<std::pair<std::string, Plain>>;
  enum class Kind { kAbsent, kNull, kBool, kNumber, kText, kBinary, kList, kMap, kSet, kMoment, kDuration };

  Plain() = default;  // absent
  static Plain null();
  static Plain boolean(bool value);
  static Plain number(int64_t value);
  static Plain number(std::string canonical);
  static Plain text(std::string value);
  static Plain binary(std::string bytes);
  static Plain list(List values);
  static Plain map(Map members = {});
  static Plain set(List members);  // sorted, and each once, here
  static Plain moment(int64_t unix_ms);
  static Plain duration(int64_t seconds);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_absent() const { return kind_ == Kind::kAbsent; }
  // Neither absent nor null.
  bool exists() const { return kind_ != Kind::kAbsent && kind_ != Kind::kNull; }

  bool truth() const { return std::get<bool>(data_); }
  const std::string& string() const { return std::get<std::string>(data_); }  // kNumber, kText, kBinary
  int64_t integer() const { return std::get<int64_t>(data_); }                // kMoment: ms; kDuration: s
  const List& elements() const { return std::get<List>(data_); }              // kList, kSet
  List& elements() { return std::get<List>(data_); }
  const Map& members() const { return std::get<Map>(data_); }
  Map& members() { return std::get<Map>(data_); }

  // The member of a map; absent if there is none or this is no map.
  const Plain& member(std::string_view name) const;
  Plain& set(std::string_view name, Plain value);  // this must be a map
  void erase(std::string_view name);

  friend bool operator==(const Plain&, const Plain&) = default;

 private:
  using Data = std::variant<std::monostate, bool, int64_t, std::string, List, Map>;
  Plain(Kind kind, Data data) : kind_(kind), data_(std::move(data)) {}

  Kind kind_ = Kind::kAbsent;
  Data data_;
};

// Those of a list or set; none of anything else.
Plain::List elements_of(const Plain& value);

}  // namespace trestle::runtime
