// Operations with several steps (tests/designs/data/trips.yaml): loops within transactions, steps that are undone,
// numbers from counters, queries for several entities.
#include <fmt/format.h>

#include <set>
#include <thread>

#include "base/scratch_folder.h"
#include "design/check/check.h"
#include "runtime/design_world_for_test.h"
#include "runtime/failing_databases_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

class Trips : public testing::Test {
 protected:
  Trips() {
    for (const char* flight : {"f1", "f2", "f3"})
      world_.ok("addFlight", fmt::format(R"({{"flight":"{}","seats":5}})", flight));
    world_.ok("addHotel", R"({"hotel":"h1","rooms":2})");
    world_.ok("addTrip", R"({"trip":"t1"})");
  }
  std::string seats(const std::string& flight) { return world_.attribute("trips", "F#" + flight, "FLIGHT", "seats"); }
  std::string rooms() { return world_.attribute("trips", "H#h1", "HOTEL", "rooms"); }
  std::string trip(const std::string& name) { return world_.attribute("trips", "T#t1", "TRIP", name); }
  DesignWorld world_{test_design("trips")};
};

TEST_F(Trips, the_design_checks_clean) {
  for (const auto& finding : design::check_design(*world_.reading).findings)
    EXPECT_NE(finding.severity, design::Severity::kError) << finding.code << " " << finding.message;
}

TEST_F(Trips, a_loop_within_a_transaction_is_done_for_all_members_or_none) {
  world_.refused(404, "bookLegs", R"({"trip":"t1","legs":[{"flight":"f1","seats":2},{"flight":"none","seats":1}]})");
  world_.refused(409, "bookLegs", R"({"trip":"t1","legs":[{"flight":"f1","seats":2},{"flight":"f2","seats":6}]})");
  EXPECT_EQ(seats("f1"), "5");
  EXPECT_EQ(trip("legs"), "0");
  world_.ok("bookLegs", R"({"trip":"t1","legs":[{"flight":"f1","seats":2},{"flight":"f2","seats":5}]})");
  EXPECT_EQ(seats("f1") + " " + seats("f2") + " " + seats("f3"), "3 0 5");
  // The trip is checked, and each leg counts in it, but it is only one item of the transaction.
  EXPECT_EQ(trip("legs") + " " + trip("places"), "2 7");
  EXPECT_EQ(world_.attribute("trips", "F#f1", "FLIGHT", "legs"), "1");
  world_.refused(409, "bookLegs", R"({"trip":"t1","legs":[{"flight":"f3","seats":1},{"flight":"f1","seats":1}]})");
  EXPECT_EQ(seats("f3"), "5");
  EXPECT_EQ(world_.faults(), Strings());
  world_.ok("cancelLegs", R"({"trip":"t1"})");
  EXPECT_EQ(seats("f1") + " " + seats("f2"), "5 5");
  EXPECT_EQ(trip("legs") + " " + trip("places"), "0 0");
  world_.ok("cancelLegs", R"({"trip":"t1"})");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Trips, a_loop_within_a_transaction_has_its_bound) {
  std::string legs;
  for (int i = 0; i < 21; ++i) legs += fmt::format(R"({}{{"flight":"g{}","seats":1}})", i == 0 ? "" : ",", i);
  world_.refused(400, "bookLegs", fmt::format(R"({{"trip":"t1","legs":[{}]}})", legs));
}

TEST_F(Trips, updates_of_one_item_in_a_loop_are_one_and_stay_within_its_range) {
  world_.ok("seatsForAll", R"({"flights":["f1","f2","f1","f1"]})");
  EXPECT_EQ(seats("f1") + " " + seats("f2"), "2 4");
  world_.refused(409, "seatsForAll", R"({"flights":["f1","f2","f1","f1"]})");
  EXPECT_EQ(seats("f1") + " " + seats("f2"), "2 4");
  // A duplicate leg would put the same item twice.
  world_.refused(400, "bookLegs", R"({"trip":"t1","legs":[{"flight":"f3","seats":1},{"flight":"f3","seats":1}]})");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Trips, what_was_done_before_a_refusal_is_taken_back) {
  world_.ok("book", R"({"trip":"a","flight":"f1","hotel":"h1"})");
  EXPECT_EQ(seats("f1") + " " + rooms(), "4 1");
  // The last step is refused: both earlier steps are undone, including the index key of the hotel's rooms.
  const Reply again = world_.call("book", R"({"trip":"a","flight":"f1","hotel":"h1"})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.message, "There is such a trip.");
  EXPECT_EQ(seats("f1") + " " + rooms(), "4 1");
  world_.refused(404, "book", R"({"trip":"b","flight":"f1","hotel":"none"})");
  EXPECT_EQ(seats("f1"), "4");
  world_.ok("book", R"({"trip":"b","flight":"f1","hotel":"h1"})");
  world_.refused(409, "book", R"({"trip":"c","flight":"f1","hotel":"h1"})");  // no room
  EXPECT_EQ(seats("f1") + " " + rooms(), "3 0");
  EXPECT_EQ(world_.count("trestle-journal"), 0u);
  EXPECT_EQ(world_.faults(), Strings());
}

// On disk, an item stays in its transaction until the transaction is durable.
TEST(TripsOnDisk, what_was_done_before_a_refusal_is_taken_back) {
  const ScratchFolder folder;
  EngineOptions options;
  options.store.folder = folder.path() + "/data";
  options.store.cache_bytes = size_t{8} << 20;
  options.expiry.interval_ms = 0;
  const auto engine = Engine::open(std::move(options));
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  DesignWorld world(test_design("trips"), engine->get());
  world.ok("addFlight", R"({"flight":"f1","seats":5})");
  world.ok("addHotel", R"({"hotel":"h1","rooms":5})");
  CallContext key;
  for (const char* name : {"", "k1"}) {
    if (*name != '\0') key.idempotency_key = name;
    const Reply reply = world.call("book", R"({"trip":"a","flight":"f1","hotel":"none"})", key);
    EXPECT_EQ(std::to_string(reply.status) + " " + reply.message, "404 No hotel.");
    EXPECT_EQ(world.ok("flight", R"({"flight":"f1"})")["item"].member("seats").string(), "5");
  }
  // The answer is stored after the transaction of the last step, which also wrote the record.
  key.idempotency_key = "k2";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.ok("book", R"({"trip":"a","flight":"f1","hotel":"h1"})", key).text("trip"), "a");
  }
  EXPECT_EQ(world.ok("flight", R"({"flight":"f1"})")["item"].member("seats").string(), "4");
}

TEST_F(Trips, under_a_key_a_booking_is_made_once_and_a_refused_one_starts_again) {
  CallContext key;
  key.idempotency_key = "k1";
  for (int i = 0; i < 2; ++i) world_.ok("book", R"({"trip":"a","flight":"f1","hotel":"h1"})", key);
  EXPECT_EQ(seats("f1") + " " + rooms(), "4 1");
  key.idempotency_key = "k2";
  for (int i = 0; i < 2; ++i) world_.refused(409, "book", R"({"trip":"a","flight":"f1","hotel":"h1"})", key);
  EXPECT_EQ(seats("f1") + " " + rooms(), "4 1");
}

// Wherever the process dies, afterwards the call has been done completely or not at all.
TEST_F(Trips, what_a_crash_leaves_is_ended_or_taken_back) {
  world_.ok("addFlight", R"({"flight":"big","seats":90})");
  world_.ok("addHotel", R"({"hotel":"big","rooms":90})");
  const auto left = [&] { return seats("big") + " " + world_.attribute("trips", "H#big", "HOTEL", "rooms"); };
  int booked = 0;
  for (const bool taken : {false, true}) {
    bool ended = false;
    for (int writes = 0; !ended; ++writes) {
      ASSERT_LT(writes, 20);
      const std::string id = taken ? "t1" : fmt::format("n{}", writes);
      DyingDatabase dying(*world_.engine);
      auto doomed = world_.open(dying);
      dying.left = writes;
      const std::string call = fmt::format(R"({{"trip":"{}","flight":"big","hotel":"big"}})", id);
      const Reply reply = world_.call("book", call, {}, {}, doomed.get());
      ended = dying.left > 0;
      doomed.reset();
      auto next = world_.open(*world_.engine);
      const auto resumed = next->resume();
      ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
      const bool done = !taken && !world_.attribute("trips", "T#" + id, "TRIP", "Type").empty();
      booked += done ? 1 : 0;
      if (ended) {
        EXPECT_EQ(reply.status, taken ? 409 : 200) << reply.message;
      }
      if (reply.status == 200) {
        EXPECT_TRUE(done);
      }
      EXPECT_EQ(left(), fmt::format("{} {}", 90 - booked, 90 - booked)) << id << " " << writes << " " << reply.message;
      EXPECT_EQ(world_.count("trestle-journal"), 0u) << id << " " << writes;
    }
  }
  EXPECT_GE(booked, 2);
  EXPECT_EQ(world_.faults(), Strings());
}

// The same if one write fails and the process continues.
TEST_F(Trips, what_a_failed_write_leaves_is_ended_or_taken_back) {
  for (const bool has_key : {false, true}) {
    bool has_failed = true;
    for (int writes = 0; has_failed; ++writes) {
      ASSERT_LT(writes, 20);
      const std::string id = fmt::format("{}{}", has_key ? "k" : "n", writes);
      world_.ok("addFlight", fmt::format(R"({{"flight":"{}","seats":1}})", id));
      world_.ok("addHotel", fmt::format(R"({{"hotel":"{}","rooms":1}})", id));
      DyingDatabase failing(*world_.engine);
      auto runtime = world_.open(failing);
      failing.until_failure = writes;
      CallContext context;
      if (has_key) context.idempotency_key = id;
      const std::string call = fmt::format(R"({{"trip":"{}","flight":"{}","hotel":"{}"}})", id, id, id);
      const Reply reply = world_.call("book", call, context, {}, runtime.get());
      has_failed = failing.until_failure < 0;
      const auto resumed = runtime->resume();
      ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
      const bool is_booked = !world_.attribute("trips", "T#" + id, "TRIP", "Type").empty();
      const std::string left = is_booked ? "0" : "1";
      EXPECT_EQ(seats(id), left) << id << " " << reply.status << " " << reply.message;
      EXPECT_EQ(world_.attribute("trips", "H#" + id, "HOTEL", "rooms"), left) << id << " " << reply.status;
      EXPECT_TRUE(is_booked || reply.status != 200) << id;
    }
  }
  EXPECT_EQ(world_.faults(), Strings());
}

// The same if resuming fails too, for lack of capacity for example, and is retried.
TEST_F(Trips, what_a_failed_write_leaves_is_taken_back_although_resuming_fails) {
  int calls = 0;
  int failed_resumes = 0;
  for (const ErrorCode code : {ErrorCode::kServiceUnavailable, ErrorCode::kProvisionedThroughputExceeded}) {
    for (int writes = 0; writes < 9; ++writes) {
      for (int resumed_writes = 0; resumed_writes < 4; ++resumed_writes) {
        const std::string id = fmt::format("c{}", ++calls);
        world_.ok("addFlight", fmt::format(R"({{"flight":"{}","seats":1}})", id));
        world_.ok("addHotel", fmt::format(R"({{"hotel":"{}","rooms":1}})", id));
        DyingDatabase failing(*world_.engine);
        auto runtime = world_.open(failing);
        failing.failure_code = code;
        failing.until_failure = writes;
        // The trip exists already, so the last step is refused.
        const std::string call = fmt::format(R"({{"trip":"t1","flight":"{}","hotel":"{}"}})", id, id);
        EXPECT_NE(world_.call("book", call, {}, {}, runtime.get()).status, 200);
        failing.until_failure = resumed_writes;
        if (!runtime->resume().has_value()) ++failed_resumes;
        failing.until_failure = 1'000'000;
        const auto resumed = runtime->resume();
        ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
        EXPECT_EQ(seats(id), "1") << id << " " << writes << " " << resumed_writes;
        EXPECT_EQ(world_.attribute("trips", "H#" + id, "HOTEL", "rooms"), "1") << id << " " << writes;
        EXPECT_EQ(world_.count("trestle-journal"), 0u) << id << " " << writes << " " << resumed_writes;
      }
    }
  }
  EXPECT_GT(failed_resumes, 10);
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(Trips, a_number_is_issued_once_and_without_reading) {
  world_.refused(404, "numbered", R"({"trip":"x","name":"s"})");
  world_.ok("addSequence", R"({"name":"s"})");
  std::set<std::string> numbers;
  Mutex mutex;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const Reply reply = world_.ok("numbered", fmt::format(R"({{"trip":"n{}x{}","name":"s"}})", t, i));
        const MutexLock lock(mutex);
        numbers.insert(reply.text("number"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(numbers.size(), 100u);
  EXPECT_TRUE(numbers.contains("1"));
  EXPECT_TRUE(numbers.contains("100"));
  EXPECT_EQ(world_.attribute("trips", "T#n0x0", "TRIP", "number").empty(), false);
  // A refused call has used its number.
  world_.refused(409, "numbered", R"({"trip":"n0x0","name":"s"})");
  EXPECT_EQ(world_.ok("numbered", R"({"trip":"last","name":"s"})").text("number"), "102");
}

TEST_F(Trips, one_query_finds_several_entities_and_says_which) {
  world_.ok("addNote", R"({"trip":"t1","text":"one","secret":"s"})");
  world_.ok("addNote", fmt::format(R"({{"trip":"t1","text":"two","until":{}}})", kTestNowMs / 1000 + 10));
  world_.ok("bookLegs", R"({"trip":"t1","legs":[{"flight":"f1","seats":2}]})");
  const auto kinds = [&](const Plain::List& items) {
    std::string out;
    for (const Plain& item : items) out += item.member("_entity").string() + " ";
    return out;
  };
  const Reply two = world_.ok("trip", R"({"trip":"t1"})");
  EXPECT_EQ(kinds(two["items"].elements()), "Note Note Trip ");
  EXPECT_EQ(two["items"].elements()[0].member("text").string(), "one");
  EXPECT_FALSE(two["items"].elements()[0].member("secret").exists());
  EXPECT_EQ(two["items"].elements()[2].member("legs").string(), "1");
  EXPECT_EQ(kinds(world_.walk("whole", R"({"trip":"t1"})", 2)), "TripLeg Note Note Trip ");
  world_.clock.advance_ms(20'000);
  EXPECT_EQ(kinds(world_.walk("whole", R"({"trip":"t1"})", 1)), "TripLeg Note Trip ");
}

}  // namespace
}  // namespace trestle::runtime
