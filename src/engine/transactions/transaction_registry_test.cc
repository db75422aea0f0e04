#include "engine/transactions/transaction_registry.h"

#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

using Use = TransactionRegistry::Use;
using TokenAnswer = TransactionRegistry::TokenAnswer;
using TokenClaim = TransactionRegistry::TokenClaim;

// A registry on a store whose commits become durable when the test decides.
class TransactionRegistryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = Store::open({.folder = folder_.path(), .cache_bytes = size_t{8} << 20});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    store_ = std::move(*store);
    registry_ = std::make_unique<TransactionRegistry>(*store_);
  }
  uint64_t commit() {
    Batch batch(*store_);
    batch.put(Space::kTokens, "k", "v");
    return *store_->commit(batch);
  }
  void make_durable(uint64_t number) { ASSERT_TRUE(store_->wait_durable(number).has_value()); }

  ScratchFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<TransactionRegistry> registry_;
};

TEST_F(TransactionRegistryTest, an_item_is_held_until_its_commit_is_durable) {
  const uint64_t number = commit();
  registry_->hold("a", Use::kWrite, number);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), number);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kRead), number);
  EXPECT_EQ(registry_->conflicting_commit("b", Use::kWrite), 0u);
  make_durable(number);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), 0u);
}

TEST_F(TransactionRegistryTest, a_check_conflicts_with_writes_only) {
  const uint64_t number = commit();
  registry_->hold("a", Use::kRead, number);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kRead), 0u);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), number);
}

TEST_F(TransactionRegistryTest, of_two_checks_the_later_one_counts) {
  const uint64_t first = commit();
  const uint64_t second = commit();
  registry_->hold("a", Use::kRead, second);
  registry_->hold("a", Use::kRead, first);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), second);
  make_durable(second);
  registry_->hold("a", Use::kRead, commit());  // removes the others
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kRead), 0u);
}

TEST_F(TransactionRegistryTest, an_item_may_be_held_repeatedly) {
  for (int round = 0; round < 100; ++round) {
    const uint64_t number = commit();
    registry_->hold("a", round % 2 ? Use::kWrite : Use::kRead, number);
    EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), number);
    make_durable(number);
    EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), 0u);
  }
}

TEST_F(TransactionRegistryTest, commits_that_need_no_waiting_hold_nothing) {
  registry_->hold("a", Use::kWrite, 0);
  EXPECT_EQ(registry_->conflicting_commit("a", Use::kWrite), 0u);
}

TEST_F(TransactionRegistryTest, nothing_is_claimed_if_responses_wait_for_commits) {
  const TransactionRegistry::ItemClaims claims(*registry_, {{"a", Use::kWrite}});
  EXPECT_FALSE(claims.is_refused(0));
  EXPECT_FALSE(registry_->is_claimed("a", Use::kWrite));
}

// A registry on a store whose commits need not be waited for.
class ItemClaimsTest : public testing::Test {
 protected:
  using ItemClaims = TransactionRegistry::ItemClaims;
  std::unique_ptr<Store> store_ = std::move(*Store::open({.in_memory = true, .cache_bytes = size_t{8} << 20}));
  TransactionRegistry registry_{*store_};
};

TEST_F(ItemClaimsTest, items_are_claimed_while_a_transaction_runs) {
  {
    const ItemClaims claims(registry_, {{"a", Use::kWrite}, {"b", Use::kRead}});
    EXPECT_FALSE(claims.is_refused(0) || claims.is_refused(1));
    EXPECT_TRUE(registry_.is_claimed("a", Use::kWrite));
    EXPECT_TRUE(registry_.is_claimed("a", Use::kRead));
    EXPECT_TRUE(registry_.is_claimed("b", Use::kWrite));
    EXPECT_FALSE(registry_.is_claimed("b", Use::kRead));
    EXPECT_FALSE(registry_.is_claimed("c", Use::kWrite));
  }
  EXPECT_FALSE(registry_.is_claimed("a", Use::kWrite));
  EXPECT_FALSE(registry_.is_claimed("b", Use::kWrite));
}

TEST_F(ItemClaimsTest, a_conflicting_transaction_gets_its_conflicts_and_claims_nothing) {
  const ItemClaims first(registry_, {{"b", Use::kWrite}, {"d", Use::kRead}});
  const ItemClaims second(registry_, {{"e", Use::kWrite}, {"d", Use::kWrite}, {"a", Use::kWrite}, {"b", Use::kRead}});
  EXPECT_FALSE(second.is_refused(0));
  EXPECT_TRUE(second.is_refused(1));
  EXPECT_FALSE(second.is_refused(2));
  EXPECT_TRUE(second.is_refused(3));
  EXPECT_FALSE(registry_.is_claimed("a", Use::kWrite));
  EXPECT_FALSE(registry_.is_claimed("e", Use::kWrite));
  EXPECT_TRUE(registry_.is_claimed("b", Use::kRead)) << "the first still has it";
}

TEST_F(ItemClaimsTest, two_checks_of_one_item_share_it) {
  auto first = std::make_unique<ItemClaims>(registry_, std::vector<ItemClaims::ClaimRequest>{{"a", Use::kRead}});
  const ItemClaims second(registry_, {{"a", Use::kRead}});
  EXPECT_FALSE(second.is_refused(0));
  first.reset();
  EXPECT_TRUE(registry_.is_claimed("a", Use::kWrite));
}

TEST_F(TransactionRegistryTest, a_token_is_in_progress_while_its_transaction_runs_and_until_it_is_durable) {
  const Fingerprint one = fingerprint_of("one");
  const Fingerprint two = fingerprint_of("two");
  uint64_t number = 0;
  {
    TokenClaim claim(*registry_, "t", one);
    EXPECT_EQ(claim.answer(), TokenAnswer::kFree);
    EXPECT_EQ(TokenClaim(*registry_, "t", one).answer(), TokenAnswer::kInProgress);
    EXPECT_EQ(TokenClaim(*registry_, "t", two).answer(), TokenAnswer::kMismatch);
    EXPECT_EQ(TokenClaim(*registry_, "other", two).answer(), TokenAnswer::kFree);
    number = commit();
    claim.committed(number);
  }
  EXPECT_EQ(TokenClaim(*registry_, "t", one).answer(), TokenAnswer::kInProgress);
  make_durable(number);
  EXPECT_EQ(TokenClaim(*registry_, "t", one).answer(), TokenAnswer::kFree);
}

TEST_F(TransactionRegistryTest, a_transaction_without_effect_frees_its_token_at_once) {
  {
    TokenClaim claim(*registry_, "t", fingerprint_of("one"));
  }
  EXPECT_EQ(TokenClaim(*registry_, "t", fingerprint_of("two")).answer(), TokenAnswer::kFree);
}

}  // namespace
}  // namespace trestle
