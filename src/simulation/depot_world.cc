#include "simulation/depot_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/agreeing_worlds.h"

namespace trestle {
namespace {

constexpr int64_t kAtFirst = 1000;  // initial pieces in stock and places of a carrier
const std::vector<std::string> kProducts = {"p1", "p2"};
const std::vector<std::string> kCarriers = {"c1", "c2"};

std::string tags_json(const std::set<std::string>& tags) {
  return tags.empty() ? "null" : fmt::format(R"(["{}"])", fmt::join(tags, R"(",")"));
}

std::string number_json(const std::optional<std::string>& number) {
  return number ? fmt::format(R"("{}")", *number) : "null";
}

// A call with an idempotency key takes effect once, however often it is sent.
DepotEffect once(const std::string& key, DepotEffect effect) {
  if (key.empty()) return effect;
  return [key, effect = std::move(effect)](DepotWorld& world) {
    if (world.keys.contains(key)) return Expected::kSuccess;
    const Expected expected = effect(world);
    if (expected == Expected::kSuccess) world.keys.insert(key);
    return expected;
  };
}

}  // namespace

bool DepotWorld::has_number(const std::optional<std::string>& number, const std::string& except_order) const {
  return number && std::ranges::any_of(orders, [&](const auto& entry) {
           return entry.first != except_order && entry.second.number == number;
         });
}

std::string order_line(const std::string& id, const std::string& number, const std::string& day,
                       const std::set<std::string>& tags) {
  return fmt::format("order {} number {} day {} tags {}", id, number, day, fmt::join(tags, ","));
}
std::string order_part_line(const std::string& order, const std::string& product, const std::string& pieces) {
  return fmt::format("order {} has {} of {}", order, pieces, product);
}
std::string figure_line(std::string_view what, const std::string& name, const std::string& figure) {
  return fmt::format("{} {} {}", what, name, figure);
}
std::string shipment_line(const std::string& id, const std::string& product_and_carrier) {
  return fmt::format("shipment {} {}", id, product_and_carrier);
}

std::vector<std::string> DepotWorld::lines() const {
  std::vector<std::string> lines;
  for (const auto& [id, order] : orders) {
    lines.push_back(order_line(id, order.number.value_or(""), order.day, order.tags));
    for (const auto& [product, pieces] : order.lines) {
      lines.push_back(order_part_line(id, product, std::to_string(pieces)));
    }
  }
  for (const auto& [id, parts] : shipments) lines.push_back(shipment_line(id, parts));
  for (const auto& [product, pieces] : stock) lines.push_back(figure_line("stock", product, std::to_string(pieces)));
  for (const auto& [carrier, count] : places) lines.push_back(figure_line("places", carrier, std::to_string(count)));
  lines.push_back(figure_line("closed", "all", std::to_string(closed)));
  std::ranges::sort(lines);
  return lines;
}

// ---- The worlds

DepotWorlds::DepotWorlds() : worlds_(1) {
  for (const std::string& product : kProducts) worlds_[0].stock[product] = kAtFirst;
  for (const std::string& carrier : kCarriers) worlds_[0].places[carrier] = kAtFirst;
}

bool DepotWorlds::note(const DepotEffect& effect, Outcome outcome, bool certain) {
  if (outcome == Outcome::kConflict) return !certain;
  std::vector<DepotWorld> next;
  bool agrees = outcome == Outcome::kUnknown;
  for (const DepotWorld& world : worlds_) {
    DepotWorld changed = world;
    const bool succeeds = effect(changed) == Expected::kSuccess;
    if (outcome == Outcome::kSuccess) {
      if (succeeds) next.push_back(std::move(changed));
      agrees = agrees || succeeds;
    } else if (outcome == Outcome::kRefusal) {
      // While an earlier call may be half done, a refusal does not tell how that call will end.
      if (!succeeds || !certain) next.push_back(world);
      agrees = agrees || !succeeds;
    } else {
      next.push_back(world);
      if (succeeds) next.push_back(std::move(changed));
    }
  }
  if (!agrees) return false;
  worlds_ = std::move(next);
  if (worlds_.size() > 32) remove_duplicates();
  return true;
}

void DepotWorlds::remove_duplicates() {
  std::vector<DepotWorld> distinct;
  for (DepotWorld& world : worlds_) {
    if (std::ranges::find(distinct, world) == distinct.end()) distinct.push_back(std::move(world));
  }
  worlds_ = std::move(distinct);
}

bool DepotWorlds::keep(const std::vector<std::string>& lines, std::string& difference) {
  if (!keep_agreeing(worlds_, lines, difference)) return false;
  remove_duplicates();
  return true;
}

// ---- The calls

std::vector<DepotCall> DepotCalls::setup() {
  std::vector<DepotCall> calls;
  const DepotEffect none = [](DepotWorld&) { return Expected::kSuccess; };
  const auto add = [&](const char* operation, std::string inputs) {
    calls.push_back({.operation = operation, .inputs = std::move(inputs), .key = {}, .subject = {}, .effect = none});
  };
  for (const std::string& product : kProducts) {
    add("addProduct", fmt::format(R"({{"product":"{}","stock":{}}})", product, kAtFirst));
  }
  for (const std::string& carrier : kCarriers) {
    add("addCarrier", fmt::format(R"({{"carrier":"{}","places":{}}})", carrier, kAtFirst));
  }
  add("addLedger", R"({"ledger":"all","closed":0})");
  return calls;
}

DepotCall DepotCalls::create_order() {
  const std::string id = fmt::format("o{}", below(6));
  DepotOrder order{.number = {}, .day = fmt::format("d{}", below(2)), .tags = {}, .lines = {}};
  if (below(2) == 0) order.number = fmt::format("n{}", below(4));
  for (const char* tag : {"a", "b", "c"}) {
    if (below(3) == 0) order.tags.insert(tag);
  }
  return {.operation = "createOrder",
          .inputs = fmt::format(R"({{"order":"{}","number":{},"day":"{}","tags":{}}})", id, number_json(order.number),
                                order.day, tags_json(order.tags)),
          .key = {},
          .subject = "order " + id,
          .effect = [id, order](DepotWorld& world) {
            if (world.orders.contains(id) || world.has_number(order.number, id)) return Expected::kRefusal;
            world.orders[id] = order;
            return Expected::kSuccess;
          }};
}

DepotCall DepotCalls::change_order() {
  const std::string id = fmt::format("o{}", below(6));
  const std::string day = fmt::format("d{}", below(2));
  const std::optional<std::string> number = below(2) == 0 ? std::optional(fmt::format("n{}", below(4))) : std::nullopt;
  std::set<std::string> tags;
  for (const char* tag : {"a", "b", "c"}) {
    if (below(2) == 0) tags.insert(tag);
  }
  return {.operation = "changeOrder",
          .inputs = fmt::format(R"({{"order":"{}","number":{},"day":"{}","tags":{}}})", id, number_json(number), day,
                                tags_json(tags)),
          .key = {},
          .subject = "order " + id,
          .effect = [id, number, day, tags](DepotWorld& world) {
            const auto found = world.orders.find(id);
            if (found == world.orders.end() || world.has_number(number, id)) return Expected::kRefusal;
            found->second.number = number;
            found->second.day = day;
            found->second.tags = tags;
            return Expected::kSuccess;
          }};
}

DepotCall DepotCalls::add_line() {
  const std::string id = fmt::format("o{}", below(6));
  const std::string product = fmt::format("p{}", below(5));
  const int pieces = static_cast<int>(1 + below(9));
  return {.operation = "addLine",
          .inputs = fmt::format(R"({{"order":"{}","product":"{}","pieces":{}}})", id, product, pieces),
          .key = {},
          .subject = "order " + id,
          .effect = [id, product, pieces](DepotWorld& world) {
            const auto found = world.orders.find(id);
            if (found == world.orders.end() || found->second.lines.contains(product)) return Expected::kRefusal;
            found->second.lines[product] = pieces;
            return Expected::kSuccess;
          }};
}

DepotCall DepotCalls::remove_order() {
  const std::string id = fmt::format("o{}", below(6));
  return {.operation = "removeOrder",
          .inputs = fmt::format(R"({{"order":"{}"}})", id),
          .key = {},
          .subject = "order " + id,
          .effect = [id](DepotWorld& world) {
            if (world.orders.erase(id) == 0) return Expected::kRefusal;
            ++world.closed;
            return Expected::kSuccess;
          }};
}

// Some shipments name a product or carrier that does not exist, or exist already: their first steps are undone.
DepotCall DepotCalls::ship() {
  const std::string id = fmt::format("s{}", below(9));
  const std::string product = below(8) == 0 ? "none" : kProducts[below(kProducts.size())];
  const std::string carrier = below(4) == 0 ? "none" : kCarriers[below(kCarriers.size())];
  return {.operation = "ship",
          .inputs = fmt::format(R"({{"shipment":"{}","product":"{}","carrier":"{}"}})", id, product, carrier),
          .key = {},
          .subject = "shipment " + id,
          .effect = [id, product, carrier](DepotWorld& world) {
            if (product == "none" || carrier == "none" || world.shipments.contains(id)) return Expected::kRefusal;
            world.shipments[id] = product + " " + carrier;
            --world.stock[product];
            --world.places[carrier];
            return Expected::kSuccess;
          }};
}

DepotCall DepotCalls::restock() {
  const std::string& product = kProducts[below(kProducts.size())];
  const int64_t pieces = static_cast<int64_t>(1 + below(9));
  return {.operation = "restock",
          .inputs = fmt::format(R"({{"product":"{}","pieces":{}}})", product, pieces),
          .key = {},
          .subject = {},
          .effect = [product, pieces](DepotWorld& world) {
            world.stock[product] += pieces;
            return Expected::kSuccess;
          }};
}

DepotCall DepotCalls::next() {
  DepotCall call;
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
      call = create_order();
      break;
    case 3:
    case 4:
      call = change_order();
      break;
    case 5:
    case 6:
    case 7:
      call = add_line();
      break;
    case 8:
      call = remove_order();
      break;
    case 9:
    case 10:
      call = ship();
      break;
    default:
      call = restock();
  }
  if (below(2) == 0) {
    call.key = fmt::format("key-{}", ++names_);
    call.effect = once(call.key, std::move(call.effect));
  }
  return call;
}

}  // namespace trestle
