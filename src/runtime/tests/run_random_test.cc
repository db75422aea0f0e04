// Random calls of a design made for this test, compared with a plain model: guards, index attributes, children and
// tallies in the writer's transaction.
#include <fmt/format.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kShopDesign = R"yaml(design: shop
version: 1
tables:
  shop:
    key: [PK, SK]
    type: Type
    billing: on-demand
    indexes:
      GSI1: {key: [GSI1PK, GSI1SK]}
entities:
  Order:
    key: ["ORDER#{id}", ORDER]
    fields:
      id: "string([a-z0-9], 1..20)"
      number: "string([a-z0-9], 1..20) optional"
      status: enum(new, paid, sent)
      day: "string([a-z0-9], 1..20)"
      note: string(..20) optional
      tags: "list<string([a-z], 1..9)>(..9) optional"
    index:
      byStatus: {on: GSI1, key: ["{status}#{day}", "{note}#{id}"], if: status <> sent}
    unique:
      number: "NUMBER#{number}"
    each: {tags: OrderTag.tag}
  OrderTag:
    key: ["ORDER#{id}", "TAG#{tag}"]
    fields: {id: "string([a-z0-9], 1..20)", tag: "string([a-z], 1..9)"}
  Day:
    key: ["DAY#{day}", DAY]
    fields: {day: "string([a-z0-9], 1..20)", total: counter, by_status: map<int> optional}
tallies:
  ordersOfDay:
    of: Order
    into: Day
    by: {day: day}
    add: {total: 1, "by_status[status]": 1}
reads:
  order: {get: Order}
  byNumber: {get: Order.number}
  byStatus: {query: Order.byStatus, by: [status, day]}
  day: {get: Day}
writes:
  create: {put: Order, if: absent, else: 409}
  change: {update: Order, else: 404}
  replace: {put: Order}
  remove: {delete: Order, if: present, else: 404}
)yaml";

struct Order {
  std::string status, day;
  std::optional<std::string> number, note;
  std::set<std::string> tags;
};

class Shop : public testing::Test {
 protected:
  std::string inputs(const std::string& id, const Order& order) const {
    std::string json = fmt::format(R"({{"id":"{}","status":"{}","day":"{}")", id, order.status, order.day);
    if (order.number) json += fmt::format(R"(,"number":"{}")", *order.number);
    if (order.note) json += fmt::format(R"(,"note":"{}")", *order.note);
    if (!order.tags.empty()) json += fmt::format(R"(,"tags":["{}"])", fmt::join(order.tags, R"(",")"));
    return json + "}";
  }
  std::string pick(std::initializer_list<const char*> list) { return *(list.begin() + random_() % list.size()); }
  Order some() {
    Order order{
        .status = pick({"new", "paid", "sent"}), .day = pick({"mon", "tue"}), .number = {}, .note = {}, .tags = {}};
    if (random_() % 2) order.number = pick({"n1", "n2", "n3", "n4"});
    if (random_() % 2) order.note = pick({"x", "y"});
    for (const char* tag : {"a", "b", "c"}) {
      if (random_() % 3 == 0) order.tags.insert(tag);
    }
    return order;
  }
  bool taken(const std::string& id, const std::optional<std::string>& number) const {
    if (!number) return false;
    for (const auto& [other, order] : model_) {
      if (other != id && order.number == number) return true;
    }
    return false;
  }
  // Expects that the whole table equals the model.
  void compare() {
    std::set<std::string> wanted, found;
    std::map<std::string, std::map<std::string, int>> days;
    for (const auto& [id, order] : model_) {
      std::string line = fmt::format("ORDER#{} {} {}", id, order.status, order.day);
      if (order.note && order.status != "sent")
        line += fmt::format(" {}#{} {}#{}", order.status, order.day, *order.note, id);
      wanted.insert(line);
      if (order.number) wanted.insert(fmt::format("NUMBER#{} {}", *order.number, id));
      for (const std::string& tag : order.tags) wanted.insert(fmt::format("TAG {} {}", id, tag));
      days[order.day][order.status]++;
      days[order.day]["total"]++;
    }
    ScanRequest scan;
    scan.table_name = "shop";
    const auto page = world_.engine->scan(scan);
    ASSERT_TRUE(page.has_value());
    for (size_t i = 0; i < page->items.size(); ++i) {
      const ItemView item = page->items[i];
      const auto text = [&](const char* name) {
        const auto value = item.find(name);
        return value ? std::string(value->scalar()) : std::string();
      };
      const std::string pk = text("PK"), sk = text("SK");
      if (pk.starts_with("DAY#")) {
        std::map<std::string, int> counted;
        if (const int total = std::stoi(text("total")); total != 0) counted["total"] = total;
        for (const auto& field : item.find("by_status")->map()) {
          const int count = std::stoi(std::string(field.value.scalar()));
          if (count != 0) counted[std::string(field.name)] = count;
        }
        EXPECT_EQ(counted, days[pk.substr(4)]) << pk;
      } else if (pk.starts_with("NUMBER#")) {
        found.insert(pk + " " + text("id"));
      } else if (sk.starts_with("TAG#")) {
        found.insert(fmt::format("TAG {} {}", text("id"), text("tag")));
      } else {
        std::string line = fmt::format("{} {} {}", pk, text("status"), text("day"));
        if (!text("GSI1PK").empty() || !text("GSI1SK").empty())
          line += fmt::format(" {} {}", text("GSI1PK"), text("GSI1SK"));
        found.insert(line);
      }
    }
    EXPECT_EQ(found, wanted);
  }

  std::mt19937_64 random_{20260115};
  std::map<std::string, Order> model_;
  DesignWorld world_{kShopDesign};
};

TEST_F(Shop, random_writes_leave_what_a_plain_model_says) {
  for (int round = 0; round < 1500; ++round) {
    const std::string id = pick({"o1", "o2", "o3", "o4", "o5"});
    const bool exists = model_.contains(id);
    const Order order = some();
    switch (random_() % 5) {
      case 0: {
        const int status = world_.call("create", inputs(id, order)).status;
        const bool refused = exists || taken(id, order.number);
        EXPECT_EQ(status, refused ? 409 : 200);
        if (!refused) model_[id] = order;
        break;
      }
      case 1: {
        const int status = world_.call("remove", fmt::format(R"({{"id":"{}"}})", id)).status;
        EXPECT_EQ(status, exists ? 200 : 404);
        model_.erase(id);
        break;
      }
      case 2: {
        const Reply reply = world_.call("replace", inputs(id, order));
        const bool refused = taken(id, order.number);
        EXPECT_EQ(reply.status, refused ? 409 : 200) << reply.message;
        if (!refused) model_[id] = order;
        break;
      }
      default: {
        std::string json = fmt::format(R"({{"id":"{}")", id);
        Order changed = exists ? model_[id] : Order{};
        if (random_() % 2) json += fmt::format(R"(,"status":"{}")", changed.status = order.status);
        if (random_() % 3 == 0) json += fmt::format(R"(,"day":"{}")", changed.day = order.day);
        if (random_() % 2) {
          changed.number = order.number;
          json += order.number ? fmt::format(R"(,"number":"{}")", *order.number) : R"(,"number":null)";
        }
        if (random_() % 2) {
          changed.note = order.note;
          json += order.note ? fmt::format(R"(,"note":"{}")", *order.note) : R"(,"note":null)";
        }
        if (random_() % 2) {
          changed.tags = order.tags;
          json += order.tags.empty() ? R"(,"tags":null)"
                                     : fmt::format(R"(,"tags":["{}"])", fmt::join(order.tags, R"(",")"));
        }
        const Reply reply = world_.call("change", json + "}");
        const bool refused = exists && taken(id, changed.number);
        EXPECT_EQ(reply.status, !exists ? 404 : refused ? 409 : 200) << json << reply.message;
        if (exists && !refused) model_[id] = changed;
        if (reply.status == 200) {
          EXPECT_EQ(reply["item"].member("status").string(), changed.status);
        }
      }
    }
    compare();
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST_F(Shop, writers_at_once_keep_guards_and_tallies_exact) {
  for (const char* id : {"o1", "o2", "o3"})
    world_.ok("create", fmt::format(R"({{"id":"{}","status":"new","day":"mon"}})", id));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t));
      for (int i = 0; i < 25; ++i) {
        const char* statuses[] = {"new", "paid", "sent"};
        const int status =
            world_
                .call("change",
                      fmt::format(R"({{"id":"o{}","status":"{}","number":"n{}","tags":["{}"]}})", random() % 3 + 1,
                                  statuses[random() % 3], random() % 4, static_cast<char>('a' + random() % 3)))
                .status;
        EXPECT_TRUE(status == 200 || status == 409) << status;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const char* id : {"o1", "o2", "o3"}) {
    const Plain item = world_.ok("order", fmt::format(R"({{"id":"{}"}})", id))["item"];
    Order order{.status = item.member("status").string(), .day = "mon", .number = {}, .note = {}, .tags = {}};
    if (item.member("number").exists()) order.number = item.member("number").string();
    if (item.member("tags").exists()) order.tags = {item.member("tags").elements()[0].string()};
    model_[id] = order;
  }
  compare();
}

}  // namespace
}  // namespace trestle::runtime
