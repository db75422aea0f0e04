// Condition keys of a request: the values that conditions of policies test.
//
// Key names are case-insensitive. A key may have several values (dynamodb:LeadingKeys), or represent every possible
// value: a Scan touches all partition keys. IAM has no such concept. It treats such a key as absent, so that a Scan
// passes a ForAllValues condition on leading keys. condition.h describes the treatment here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle {

class AccessContext {
 public:
  struct Entry {
    std::string_view key;  // one of the constants below
    std::vector<std::string> values;
    bool everything = false;
  };

  AccessContext() = default;
  // Keys that this context does not have are looked up in `rest`, which must outlive it.
  explicit AccessContext(const AccessContext* rest) : rest_(rest) {}

  void set(std::string_view key, std::string value) { at(key).values = {std::move(value)}; }
  void set(std::string_view key, std::vector<std::string> values) { at(key).values = std::move(values); }
  void add(std::string_view key, std::string value) { at(key).values.push_back(std::move(value)); }
  void set_everything(std::string_view key) { at(key).everything = true; }

  // Null if the key is absent.
  const Entry* find(std::string_view key) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Entry& at(std::string_view key);

  const AccessContext* rest_ = nullptr;
  std::vector<Entry> entries_;  // few enough for a linear search
};

namespace access_key {
inline constexpr std::string_view kLeadingKeys = "dynamodb:LeadingKeys";
inline constexpr std::string_view kAttributes = "dynamodb:Attributes";
inline constexpr std::string_view kSelect = "dynamodb:Select";
inline constexpr std::string_view kReturnValues = "dynamodb:ReturnValues";
inline constexpr std::string_view kReturnConsumedCapacity = "dynamodb:ReturnConsumedCapacity";
inline constexpr std::string_view kEnclosingOperation = "dynamodb:EnclosingOperation";
inline constexpr std::string_view kFullTableScan = "dynamodb:FullTableScan";
inline constexpr std::string_view kSourceIp = "aws:SourceIp";
inline constexpr std::string_view kSecureTransport = "aws:SecureTransport";
inline constexpr std::string_view kCurrentTime = "aws:CurrentTime";
inline constexpr std::string_view kEpochTime = "aws:EpochTime";
inline constexpr std::string_view kUserName = "aws:username";
inline constexpr std::string_view kUserId = "aws:userid";
inline constexpr std::string_view kPrincipalArn = "aws:PrincipalArn";
inline constexpr std::string_view kPrincipalAccount = "aws:PrincipalAccount";
inline constexpr std::string_view kPrincipalType = "aws:PrincipalType";
inline constexpr std::string_view kUserAgent = "aws:UserAgent";
inline constexpr std::string_view kRequestedRegion = "aws:RequestedRegion";
}  // namespace access_key

}  // namespace trestle
