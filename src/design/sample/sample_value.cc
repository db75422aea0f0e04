#include "design/sample/sample_value.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <span>

namespace trestle::design {
namespace {

using Words = std::span<const std::string_view>;

// Texts for fields whose name contains `part`. The first matching hint is used.
struct Hint {
  std::string_view part;
  std::array<std::string_view, 4> words;
};
constexpr std::array kHints = {
    Hint{"givenname", {"Ada", "Grace", "Barbara", "Edsger"}},
    Hint{"firstname", {"Ada", "Grace", "Barbara", "Edsger"}},
    Hint{"familyname", {"Lovelace", "Hopper", "Liskov", "Dijkstra"}},
    Hint{"lastname", {"Lovelace", "Hopper", "Liskov", "Dijkstra"}},
    Hint{"childname", {"Mia", "Noah", "Lena", "Theo"}},
    Hint{"username", {"ada.lovelace", "grace", "barbara", "edsger"}},
    Hint{"userid", {"ada", "grace", "barbara", "edsger"}},
    Hint{"addedby", {"grace", "ada", "edsger", "barbara"}},
    Hint{"tenantname", {"Acme", "Globex", "Initech", "Umbrella"}},
    Hint{"tenantid", {"acme", "globex", "initech", "umbrella"}},
    Hint{"tenant", {"Acme", "Globex", "Initech", "Umbrella"}},
    Hint{"agencyname", {"Northwind Studio", "Harbour Digital", "Linden", "Atlas"}},
    Hint{"agency", {"northwind", "harbour", "linden", "atlas"}},
    Hint{"rolename", {"admin", "editor", "viewer", "auditor"}},
    Hint{"policyname", {"AllowBilling", "AllowReports", "DenyExport", "ReadOnly"}},
    Hint{"groupname", {"designers", "writers", "librarians", "guests"}},
    Hint{"appname", {"Chatter", "Pixelcraft", "Streamly", "Racer 9"}},
    Hint{"appcategory", {"social", "games", "video", "games"}},
    Hint{"rulename", {"block-chatter", "block-pixelcraft", "block-streamly", "block-racer"}},
    Hint{"destinationname", {"CRM webhook", "Sales inbox", "Team chat", "Archive"}},
    Hint{"permission", {"read", "comment", "publish", "manage"}},
    Hint{"version", {"2.4.1", "2.4.0", "2.3.7", "2.3.6"}},
    Hint{"title", {"A field guide to lichens", "Maps of old harbours", "The type specimen", "Night trains"}},
    Hint{"tag", {"nature", "maps", "typography", "travel"}},
    Hint{"useragent", {"WordPress/6.6; https://lichens.example", "WordPress/6.5", "curl/8.9", "WordPress/6.4"}},
    Hint{"idempotency", {"form-7d1c-0001", "form-7d1c-0002", "form-9a40-0001", "form-9a40-0002"}},
    Hint{"formid", {"contact", "newsletter", "survey", "order"}},
    Hint{"destinationtype", {"webhook", "email", "chat", "archive"}},
    Hint{"policyid", {"pol-4f21", "pol-88c0", "pol-93ab", "pol-a017"}},
    Hint{"ruleid", {"rule-2041", "rule-2042", "rule-2043", "rule-2044"}},
    Hint{"device", {"ftd-berlin-1", "ftd-berlin-2", "ftd-paris-1", "ftd-paris-2"}},
    Hint{"note", {"Worth a second visit.", "Clear and calm.", "A bit slow.", "Lovely pictures."}},
    Hint{"body",
         {"The section on bark is superb.", "Could use a map.", "Thank you for this.", "Found an error on page 3."}},
    Hint{"description",
         {"Short guides with drawings.", "Scans in high resolution.", "For people who like paper.", "Updated weekly."}},
    Hint{"content",
         {"Lichens are two beings in one", "Harbours move, maps stay", "Letters from 1740", "Departs at 22:14"}},
    Hint{"message", {"The device did not answer.", "Timed out.", "Refused.", "Try later."}},
    Hint{"identifier", {"203.0.113.24", "198.51.100.7", "lichens.example", "192.0.2.61"}},
    Hint{"source", {"203.0.113.24", "198.51.100.7", "192.0.2.61", "192.0.2.62"}},
    Hint{"name", {"Aster", "Birch", "Clover", "Dogwood"}},
    Hint{"category", {"nature", "history", "design", "travel"}},
    Hint{"type", {"standard", "express", "bulk", "trial"}},
};
constexpr std::array<std::string_view, 4> kPlainWords = {"aster", "birch", "clover", "dogwood"};
constexpr std::array<std::string_view, 4> kDomains = {"lichens.example", "harbours.example", "specimen.example",
                                                      "nighttrain.example"};
constexpr std::array<std::string_view, 4> kPeople = {"ada", "grace", "barbara", "edsger"};
constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string folded_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

std::string seed_of(const SampleRequest& request) {
  return fmt::format("{}/{}/{}", request.entity, folded_name(request.field), request.index);
}

// A number that depends only on `seed`.
uint64_t seeded_number(std::string_view seed) {
  return std::strtoull(sha256_hex(seed).substr(0, 15).c_str(), nullptr, 16);
}

std::string random_text(std::string_view seed, std::string_view alphabet, size_t length) {
  std::string out;
  while (out.size() < length) {
    const std::string digest = sha256_hex(fmt::format("{}/{}", seed, out.size()));
    for (size_t i = 0; i + 1 < digest.size() && out.size() < length; i += 2) {
      out.push_back(alphabet[std::strtoul(digest.substr(i, 2).c_str(), nullptr, 16) % alphabet.size()]);
    }
  }
  return out;
}

std::string hinted_word(const SampleRequest& request) {
  std::string name = folded_name(request.field);
  if (name == "name" || name == "id" || name == "title" || name == "type") name = folded_name(request.entity) + name;
  for (const Hint& hint : kHints) {
    if (name.find(hint.part) == std::string::npos) continue;
    std::string word(hint.words[request.index % hint.words.size()]);
    if (request.index >= hint.words.size()) word += fmt::format(" {}", request.index / hint.words.size() + 1);
    return word;
  }
  std::string word(kPlainWords[request.index % kPlainWords.size()]);
  return request.index < kPlainWords.size() ? word : fmt::format("{}-{}", word, request.index / kPlainWords.size() + 1);
}

// `word`, adapted to the characters and lengths that the type allows.
std::string fitted(std::string_view word, const FieldType& type) {
  const StringSet single_characters =
      strings_of(FieldType{.base = BaseType::kString, .min = 1, .max = 1, .characters = type.characters});
  const auto allowed = [&](char c) { return single_characters.contains({&c, 1}); };
  std::string out;
  for (char c : word) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (allowed(c))
      out.push_back(c);
    else if (allowed(lower))
      out.push_back(lower);
    else if (allowed(upper))
      out.push_back(upper);
    else if (allowed('-'))
      out.push_back('-');
  }
  for (char c = ' '; out.empty() && c < 127; ++c) {
    if (allowed(c) && c != ' ') out.push_back(c);
  }
  if (out.empty()) out = "x";
  if (type.max) out.resize(std::min<size_t>(out.size(), static_cast<size_t>(std::max<int64_t>(*type.max, 1))));
  const size_t least = type.min ? static_cast<size_t>(std::clamp<int64_t>(*type.min, 0, 4096)) : 0;
  for (size_t i = 0; out.size() < least; ++i) out.push_back(out[i]);
  return out;
}

std::string number_value(const SampleRequest& request) {
  const FieldType& type = *request.type;
  const uint64_t random = seeded_number(seed_of(request));
  if (type.base == BaseType::kMoney) return fmt::format("{}.90", 9 + random % 90);
  if (type.base == BaseType::kNumber) return fmt::format("0.{}", 71 + random % 28);
  const std::string name = folded_name(request.field);
  int64_t value = static_cast<int64_t>(3 + random % 40);
  if (name.find("port") != std::string::npos)
    value = 443;
  else if (name.find("max") != std::string::npos || name.find("budget") != std::string::npos)
    value = 25;
  else if (name.ends_with("ms"))
    value = static_cast<int64_t>(80 + random % 400);
  if (type.min && type.max && *type.max - *type.min < 100) {
    value = *type.min + static_cast<int64_t>((static_cast<uint64_t>(*type.max - *type.min) -
                                              request.index % static_cast<uint64_t>(*type.max - *type.min + 1)));
  }
  if (type.min) value = std::max(value, *type.min);
  if (type.max) value = std::min(value, *type.max);
  return std::to_string(value);
}

std::string quoted_sample(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

std::string json_value(const std::string& text, const FieldType& type) {
  const ValueType stored = stored_type(type);
  const bool bare = stored == ValueType::kNumber || stored == ValueType::kBool || stored == ValueType::kList ||
                    stored == ValueType::kMap || is_set(stored);
  return bare ? text : quoted_sample(text);
}

std::string record_value(const SampleRequest& request) {
  const NamedRecord* record = request.design == nullptr ? nullptr : request.design->type(request.type->record);
  if (record == nullptr) return "{}";
  std::string out;
  for (const Field& field : record->fields) {
    SampleRequest inner = request;
    inner.field = field.name;
    inner.type = &field.type;
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quoted_sample(field.name),
                       json_value(sample_value(inner), field.type));
  }
  return "{" + out + "}";
}

std::string map_value(const SampleRequest& request) {
  const std::string name = folded_name(request.field);
  const uint64_t random = seeded_number(seed_of(request));
  if (request.type->element && is_numeric(*request.type->element)) {
    if (name.find("hour") != std::string::npos)
      return fmt::format(R"({{"14": {}, "15": {}}})", 2 + random % 9, 1 + random % 5);
    if (name.find("destination") != std::string::npos)
      return fmt::format(R"({{"webhook": {}, "email": {}}})", 4 + random % 20, 1 + random % 7);
    return fmt::format(R"({{"contact": {}, "newsletter": {}}})", 4 + random % 20, 1 + random % 7);
  }
  if (name.find("payload") != std::string::npos)
    return fmt::format(R"({{"email": "{}@example.com", "message": "Hello"}})", kPeople[request.index % kPeople.size()]);
  if (name.find("version") != std::string::npos) return R"({"requires": "6.0", "changelog": "Fixes."})";
  if (name.find("response") != std::string::npos) return R"({"status": 200})";
  if (name.find("config") != std::string::npos) return R"({"url": "https://hooks.example/in"})";
  if (name.find("setting") != std::string::npos) return R"({"locale": "en"})";
  return R"({"reason": "example"})";
}

std::string ip_value(size_t index) {
  constexpr std::array<std::string_view, 3> kNets = {"203.0.113.", "198.51.100.", "192.0.2."};
  return fmt::format("{}{}", kNets[index % kNets.size()], 24 + index * 17 % 200);
}

}  // namespace

std::string ulid_value(std::string_view seed, int64_t at_s) {
  std::string out(10, '0');
  auto time = static_cast<uint64_t>(at_s) * 1000 + seeded_number(seed) % 1000;
  for (size_t i = 10; i-- > 0; time /= 32) out[i] = kCrockford[time % 32];
  return out + random_text(seed, kCrockford, 16);
}

std::string time_value(const FieldType& type, int64_t at_s) {
  const int64_t slice_s = std::max<int64_t>(type.resolution_ms / 1000, 1);
  if (type.base == BaseType::kEpoch) return std::to_string(type.milliseconds ? at_s * 1000 : at_s - at_s % slice_s);
  const std::tm utc = fmt::gmtime(static_cast<std::time_t>(at_s));
  if (type.base == BaseType::kDate) return fmt::format("{:%Y-%m-%d}", utc);
  if (type.base == BaseType::kHour) return fmt::format("{:%Y-%m-%d-%H}", utc);
  if (type.base == BaseType::kMinuteOfDay) return fmt::format("{:%H:%M}", utc);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}{}Z", utc, type.resolution_ms < 1000 ? ".000" : "");
}

std::optional<int64_t> seconds_of(const FieldType& type, std::string_view text) {
  const std::string whole(text);
  if (type.base == BaseType::kEpoch) return std::strtoll(whole.c_str(), nullptr, 10) / (type.milliseconds ? 1000 : 1);
  std::tm utc{};
  const char* format = type.base == BaseType::kDate   ? "%Y-%m-%d"
                       : type.base == BaseType::kHour ? "%Y-%m-%d-%H"
                                                      : "%Y-%m-%dT%H:%M:%S";
  if (!is_time(type) || strptime(whole.c_str(), format, &utc) == nullptr) return std::nullopt;
  return timegm(&utc);
}

std::string json_list(const std::vector<std::string>& members, const FieldType& element) {
  std::string out;
  for (const std::string& member : members) out += (out.empty() ? "" : ", ") + json_value(member, element);
  return "[" + out + "]";
}

std::vector<std::string> sample_members(const SampleRequest& request) {
  const FieldType& type = *request.type;
  if (!type.element) return {};
  const bool many = is_scalar(*type.element) && (!type.max || *type.max >= 2);
  std::vector<std::string> members;
  for (size_t i = 0; i < (many ? 2U : 1U); ++i) {
    SampleRequest inner = request;
    inner.type = type.element.get();
    inner.index = request.index + i;
    std::string member = sample_value(inner);
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(std::move(member));
  }
  return members;
}

std::string sample_value(const SampleRequest& request) {
  const FieldType& type = *request.type;
  const std::string seed = seed_of(request);
  switch (type.base) {
    case BaseType::kString:
      return fitted(hinted_word(request), type);
    case BaseType::kText:
      return hinted_word(request) + " \u2026";
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
      return number_value(request);
    case BaseType::kBool:
      return request.index % 2 == 0 ? "true" : "false";
    case BaseType::kUlid:
      return ulid_value(seed, request.at_s);
    case BaseType::kUuid: {
      std::string id = sha256_hex(seed).substr(0, 32);
      id[12] = '4';
      id[16] = 'a';
      for (size_t at : {20U, 16U, 12U, 8U}) id.insert(at, "-");
      return id;
    }
    case BaseType::kToken:
      return random_text(seed, kBase64Url, static_cast<size_t>((type.min.value_or(32) * 8 + 5) / 6));
    case BaseType::kSha256:
      return sha256_hex(seed);
    case BaseType::kHex:
      return random_text(seed, "0123456789abcdef", static_cast<size_t>(type.min.value_or(32)));
    case BaseType::kEmail:
      return fmt::format("{}@{}", kPeople[request.index % kPeople.size()], "example.com");
    case BaseType::kDomain:
      return std::string(kDomains[request.index % kDomains.size()]);
    case BaseType::kPatternDomain:
      return "*." + std::string(kDomains[request.index % kDomains.size()]);
    case BaseType::kUrl:
      return fmt::format("https://{}/", kDomains[request.index % kDomains.size()]);
    case BaseType::kE164:
      return fmt::format("+4915555501{:02}", 27 + request.index * 14 % 70);
    case BaseType::kIp:
      return ip_value(request.index);
    case BaseType::kCidr:
      return request.index % 2 == 0 ? "203.0.113.0/24" : "198.51.100.0/24";
    case BaseType::kTime:
    case BaseType::kDate:
    case BaseType::kHour:
    case BaseType::kEpoch:
      return time_value(type, request.at_s);
    case BaseType::kMinuteOfDay:
      return folded_name(request.field).find("end") == std::string::npos ? "21:00" : "06:30";
    case BaseType::kZone:
      return request.index % 2 == 0 ? "Europe/Berlin" : "UTC";
    case BaseType::kEnum:
      return type.values[request.index % type.values.size()];
    case BaseType::kSet:
    case BaseType::kList:
      return json_list(sample_members(request), *type.element);
    case BaseType::kMap:
    case BaseType::kAny:
      return map_value(request);
    case BaseType::kRecord:
      return record_value(request);
    case BaseType::kBinary:
      return "(binary)";
  }
  return "";
}

}  // namespace trestle::design
