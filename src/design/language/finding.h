// A finding about a design file: a mistake in its text (T0..) or a fault of the design (T1.. and up).
//
// Codes are stable: a code never changes its meaning and is never reused (docs/checks.md).
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

// A position in the file; line and column count from 1. Line 0: no position.
struct Place {
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

enum class Severity {
  kNote,     // worth knowing
  kWarning,  // will cause trouble
  kError,    // cannot work, or loses data
};
std::string_view severity_name(Severity severity);

struct Finding {
  std::string code;  // such as "T203"
  Severity severity = Severity::kError;
  Place place;
  std::string message;  // one sentence: what is wrong, and why it fails in DynamoDB
  std::string repair;   // suggested fix; may be empty
};

// Collects findings, so that one run reports all of them.
class Findings {
 public:
  void add(std::string_view code, Severity severity, Place place, std::string message, std::string repair = {}) {
    list_.push_back({std::string(code), severity, place, std::move(message), std::move(repair)});
  }
  // A mistake in the file's text.
  void mistake(std::string_view code, Place place, std::string message, std::string repair = {}) {
    add(code, Severity::kError, place, std::move(message), std::move(repair));
  }
  const std::vector<Finding>& list() const { return list_; }
  std::vector<Finding> take() { return std::move(list_); }
  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size(); }

 private:
  std::vector<Finding> list_;
};

}  // namespace trestle::design
