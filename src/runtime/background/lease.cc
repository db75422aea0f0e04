#include "runtime/background/lease.h"

#include "base/random_id.h"
#include "design/plan/plan.h"

namespace trestle::runtime {

Lease::Lease(Database& database, std::string design, bool seizes)
    : database_(database), design_(std::move(design)), owner_(random_uuid()), seizes_(seizes) {}

Outcome<bool> Lease::hold(int64_t now_ms) {
  if (held_ && now_ms >= renewed_ms_ && now_ms - renewed_ms_ < kLeaseMs / 3) return true;
  UpdateItemRequest request{
      .table_name = std::string(design::kJournalTable),
      .key = Item({{"PK", Value::string("LEASE#" + design_)}, {"SK", Value::string("background")}})};
  request.update_expression = held_ ? "SET #o = :me, #x = :until" : "SET #o = :me, #x = :until ADD #f :one";
  request.placeholders.names = NameMap{{"#o", "owner"}, {"#x", "expires"}};
  request.placeholders.values = ValueMap{{":me", Value::string(owner_)}, {":until", Value::number(now_ms + kLeaseMs)}};
  if (!held_) {
    request.placeholders.names->emplace_back("#f", "fence");
    request.placeholders.values->emplace_back(":one", Value::number(1));
  }
  if (!seizes_) {
    request.condition.expression = "attribute_not_exists(#o) OR #o = :me OR #x < :now";
    request.placeholders.values->emplace_back(":now", Value::number(now_ms));
  }
  const auto done = database_.update_item(request);
  if (!done) {
    held_ = false;
    if (done.error().code == ErrorCode::kConditionalCheckFailed) return false;
    return std::unexpected(refused_by(done.error()));
  }
  seizes_ = false;
  held_ = true;
  renewed_ms_ = now_ms;
  return true;
}

void Lease::release() {
  if (!held_) return;
  held_ = false;
  UpdateItemRequest request{
      .table_name = std::string(design::kJournalTable),
      .key = Item({{"PK", Value::string("LEASE#" + design_)}, {"SK", Value::string("background")}})};
  request.update_expression = "SET #x = :never";
  request.condition.expression = "#o = :me";
  request.placeholders.names = NameMap{{"#o", "owner"}, {"#x", "expires"}};
  request.placeholders.values = ValueMap{{":me", Value::string(owner_)}, {":never", Value::number(0)}};
  // If this fails, the lease expires.
  (void)database_.update_item(request);
}

}  // namespace trestle::runtime
