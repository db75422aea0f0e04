#include "design/plan/permissions.h"

#include <algorithm>

#include "design/plan/plan.h"

namespace trestle::design {
namespace {

class Collector {
 public:
  explicit Collector(const Design& design) : design_(design) {}

  std::vector<Permission> take() { return std::move(list_); }

  void operation(const Operation& operation) {
    const Plan plan = plan_operation(design_, operation);
    steps(plan.steps);
    steps(plan.idempotent_steps);
    for (const auto& [failure, also] : plan.also) steps(also);
  }

  void streams() {
    const auto reads = [&](const Entity* entity) {
      if (entity == nullptr) return;
      for (const char* action : {"DescribeStream", "GetShardIterator", "GetRecords"})
        put({entity->table, std::string(kStream), action, nullptr});
    };
    for (const Tally& tally : design_.tallies) {
      if (!tally.through_stream) continue;
      reads(design_.entity(tally.of));
      if (const Entity* into = design_.entity(tally.into))
        put({into->table, {}, "GetItem", into->key.empty() ? nullptr : &into->key[0]});
    }
    for (const Plan& plan : plan_design(design_)) steps(plan.afterwards);
    for (const Reaction& reaction : design_.reactions) {
      reads(design_.entity(reaction.entity));
      for (const std::string& name : {reaction.ask, reaction.run, reaction.then}) {
        if (const Operation* called = design_.operation(name)) operation(*called);
      }
    }
    if (list_.empty()) return;
    // For the stream, its checkpoints, its lease and dead letters.
    for (const Tally& tally : design_.tallies) {
      if (const Entity* of = design_.entity(tally.of); of != nullptr && tally.through_stream)
        put({of->table, {}, "DescribeTable", nullptr});
    }
    for (const Reaction& reaction : design_.reactions) {
      if (const Entity* entity = design_.entity(reaction.entity)) put({entity->table, {}, "DescribeTable", nullptr});
    }
    for (const char* action : {"Query", "PutItem", "UpdateItem", "DeleteItem"})
      put({std::string(kJournalTable), {}, action, nullptr});
  }

  void blobs() {
    for (const Entity& entity : design_.entities) {
      if (entity.spills.empty()) continue;
      put({entity.table, {}, "Scan", nullptr});
      put({entity.table, {}, "DescribeContinuousBackups", nullptr});
      put({{}, {}, "ListBackups", nullptr});
    }
  }

 private:
  void put(Permission permission) {
    if (std::find(list_.begin(), list_.end(), permission) == list_.end()) list_.push_back(std::move(permission));
  }
  static const Template* partition(const Request& request) {
    if (request.guard != nullptr) return request.guard->key.empty() ? nullptr : &request.guard->key[0];
    return request.entity == nullptr || request.entity->key.empty() ? nullptr : &request.entity->key[0];
  }
  void steps(const std::vector<PlanStep>& list, bool batch = false) {
    for (const PlanStep& step : list) {
      for (const Request& request : step.requests) this->request(request, batch);
      // GetItems sent together are one BatchGetItem, or a GetItem if `when` leaves only one of them.
      const auto gets = [](const PlanStep& plan_step) {
        return !plan_step.requests.empty() && plan_step.requests[0].kind == RequestKind::kGetItem;
      };
      steps(step.undo);
      steps(step.steps, step.is_batched && std::all_of(step.steps.begin(), step.steps.end(), gets));
    }
  }
  void request(const Request& request, bool batch) {
    const std::string action =
        request.kind == RequestKind::kConditionCheck ? "ConditionCheckItem" : std::string(request_name(request.kind));
    for (const Request& query : request.extreme_reads) this->request(query, false);
    if (!request.index.empty()) {
      indexed(request, action);
    } else {
      put({request.table, "", action, request.kind == RequestKind::kScan ? nullptr : partition(request)});
    }
    if ((batch && request.kind == RequestKind::kGetItem) || request.reads_again)
      put({request.table, "", "BatchGetItem", partition(request)});
  }
  // Adds the permission for the partition keys of each of the entity's entries in that index.
  void indexed(const Request& request, const std::string& action) {
    const Table* table = design_.table(request.table);
    const Index* index = table == nullptr ? nullptr : table->index(request.index);
    bool found = false;
    if (request.entity != nullptr && index != nullptr && index->key.hash.size() == 1 &&
        request.kind != RequestKind::kScan) {
      for (const IndexEntry& entry : request.entity->index) {
        if (entry.index != request.index || entry.key.empty()) continue;
        put({request.table, request.index, action, &entry.key[0]});
        found = true;
      }
    }
    if (!found) put({request.table, request.index, action, nullptr});
  }

  const Design& design_;
  std::vector<Permission> list_;
};

}  // namespace

std::vector<Permission> permissions_of(const Design& design, const Operation& operation) {
  Collector collector(design);
  collector.operation(operation);
  return collector.take();
}

std::vector<Permission> stream_permissions(const Design& design) {
  Collector collector(design);
  collector.streams();
  return collector.take();
}

std::vector<Permission> blob_permissions(const Design& design) {
  Collector collector(design);
  collector.blobs();
  return collector.take();
}

}  // namespace trestle::design
