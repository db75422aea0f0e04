// A plain value: the type of inputs, computations and answers of a design's operations, independent of DynamoDB's
// types.
//
// Absent is not null: an absent value is a field that does not exist, null an input that the caller set to null
// ("remove this"). Numbers are canonical text (model/number.h), exact to 38 digits. A moment is a computed time (`now +
// 1h`); values read from inputs and items are text or numbers in the notation of the field's type. If that type is a
// time, they have a time form, so that they compare as times; a string that looks like a time does not. A map keeps the
// order in which its members were set. A set holds distinct scalars of one kind, sorted.
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
  enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kText, kBinary, kList, kMap, kSet, kMoment, kDuration };
  // The notation of a text or number that a type declares to be a time. kText: ISO 8601, a date or an hour.
  enum class TimeForm : uint8_t { kNone, kText, kSeconds, kMilliseconds };

  Plain() = default;  // absent
  static Plain null();
  static Plain boolean(bool value);
  static Plain number(int64_t value);
  static Plain number(std::string canonical);
  static Plain text(std::string value);
  static Plain binary(std::string bytes);
  static Plain list(List values);
  static Plain map(Map members = {});
  static Plain set(List members);  // sorts the members and removes duplicates
  static Plain moment(int64_t unix_ms);
  static Plain duration(int64_t seconds);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_absent() const { return kind_ == Kind::kAbsent; }
  TimeForm time_form() const { return time_form_; }
  void set_time_form(TimeForm form) { time_form_ = form; }
  // A moment, or a value of a type that is a time.
  bool is_time() const { return kind_ == Kind::kMoment || time_form_ != TimeForm::kNone; }
  // Neither absent nor null.
  bool exists() const { return kind_ != Kind::kAbsent && kind_ != Kind::kNull; }

  bool truth() const { return std::get<bool>(data_); }
  const std::string& string() const { return std::get<std::string>(data_); }  // kNumber, kText, kBinary
  int64_t integer() const { return std::get<int64_t>(data_); }                // kMoment: ms; kDuration: s
  const List& elements() const { return std::get<List>(data_); }              // kList, kSet
  List& elements() { return std::get<List>(data_); }
  const Map& members() const { return std::get<Map>(data_); }
  Map& members() { return std::get<Map>(data_); }

  // The member of a map; absent if there is none or this is not a map.
  const Plain& member(std::string_view name) const;
  Plain& set(std::string_view name, Plain value);  // this must be a map
  void erase(std::string_view name);

  // Regardless of time forms. Maps are equal if they have the same members, in any order.
  friend bool operator==(const Plain& a, const Plain& b);

 private:
  using Data = std::variant<std::monostate, bool, int64_t, std::string, List, Map>;
  Plain(Kind kind, Data data) : kind_(kind), data_(std::move(data)) {}

  Kind kind_ = Kind::kAbsent;
  TimeForm time_form_ = TimeForm::kNone;
  Data data_;
};

// The elements of a list or set; empty for other values.
Plain::List elements_of(const Plain& value);

}  // namespace trestle::runtime
