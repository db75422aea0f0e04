#include "runtime/call/shard_merge.h"

#include <zlib.h>

#include <algorithm>
#include <deque>
#include <future>
#include <system_error>

#include "base/bytes.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {
namespace {

constexpr size_t kPositionBytesMax = 256 * 1024;
constexpr size_t kFetchesAtOnce = 16;

struct Shard {
  enum class State : char { kBeginning, kAfter, kEnd };
  State state = State::kBeginning;  // the position in this shard
  std::optional<Item> after;

  std::deque<Item> items;    // read but not returned yet
  std::optional<Item> next;  // where the next page begins
  bool read = false;         // whether `items` and `next` are valid
};

std::string packed_position(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  out.resize(size);
  std::string result;
  append_varint(result, bytes.size());
  return result + out;
}

std::optional<std::string> unpacked_position(std::string_view bytes) {
  uint64_t size = 0;
  if (!read_varint(bytes, size) || size > kPositionBytesMax) return std::nullopt;
  std::string out(size, '\0');
  uLongf length = size;
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK ||
      length != size)
    return std::nullopt;
  return out;
}

std::string position_of(const std::vector<Shard>& shards) {
  std::string bytes;
  append_varint(bytes, shards.size());
  for (const Shard& shard : shards) {
    bytes.push_back(static_cast<char>(shard.state));
    if (shard.state == Shard::State::kAfter) append_sized(bytes, shard.after->bytes());
  }
  return packed_position(bytes);
}

std::optional<std::vector<Shard>> shards_at(const std::string& position) {
  const auto bytes = unpacked_position(position);
  if (!bytes) return std::nullopt;
  std::string_view rest = *bytes;
  uint64_t count = 0;
  if (!read_varint(rest, count) || count > rest.size()) return std::nullopt;
  std::vector<Shard> shards(count);
  for (Shard& shard : shards) {
    if (rest.empty() || rest[0] > static_cast<char>(Shard::State::kEnd) || rest[0] < 0) return std::nullopt;
    shard.state = static_cast<Shard::State>(rest[0]);
    rest.remove_prefix(1);
    if (shard.state != Shard::State::kAfter) continue;
    std::string_view item;
    if (!read_sized(rest, item) || !is_valid_item(item)) return std::nullopt;
    shard.after = Item(std::string(item));
  }
  return shards;
}

class Merge {
 public:
  Merge(const MergeOptions& options, const ShardFetch& fetch) : options_(options), fetch_(fetch) {}

  Outcome<Merged> run() {
    if (!options_.position.empty()) {
      auto shards = shards_at(options_.position);
      if (!shards) return refuse(400, "This `next` does not belong to this list.");
      shards_ = std::move(*shards);
    }
    const auto count = static_cast<size_t>(std::max<int64_t>(options_.shards, 1));
    if (options_.position.empty() || !options_.descending) shards_.resize(std::max(shards_.size(), count));
    TRY(read_first());
    Merged merged;
    while (!options_.limit || static_cast<int64_t>(merged.items.size()) < *options_.limit) {
      TRY_INTO(Shard * least, least_shard());
      if (least == nullptr) return merged;
      merged.items.push_back(take(*least));
    }
    // There is a position only if another item follows.
    TRY_INTO(const Shard* more, least_shard());
    if (more != nullptr) merged.position = position_of(shards_);
    return merged;
  }

 private:
  std::optional<int64_t> fetch_limit() const {
    if (!options_.limit) return std::nullopt;
    const auto shards = static_cast<int64_t>(shards_.size());
    return std::min(*options_.limit + 1, *options_.limit / shards + *options_.limit / (shards * 3) + 8);
  }

  Outcome<void> read(size_t at) {
    Shard& shard = shards_[at];
    auto page = fetch_(static_cast<int64_t>(at), shard.after, fetch_limit());
    if (!page) return std::unexpected(page.error());
    shard.items.assign(page->items.begin(), page->items.end());
    shard.next = std::move(page->next);
    shard.read = true;
    skip_empty_page(shard);
    return {};
  }

  // After a page without items, continues with the next page, or marks the end of the shard.
  void skip_empty_page(Shard& shard) const {
    if (!shard.items.empty()) return;
    if (shard.next) {
      shard.after = std::move(shard.next);
      shard.next.reset();
      shard.state = Shard::State::kAfter;
      shard.read = false;
    } else if (shard.state == Shard::State::kBeginning || !options_.limit) {
      shard.state = Shard::State::kEnd;
    }
  }

  // On a thread of its own; if the system has no more threads, in get().
  std::future<Outcome<void>> begin_read(size_t i) {
    const auto run = [this, i] { return read(i); };
    try {
      return std::async(std::launch::async, run);
    } catch (const std::system_error&) {
      return std::async(std::launch::deferred, run);
    }
  }

  Outcome<void> read_first() {
    if (!options_.concurrent) return {};
    for (size_t from = 0; from < shards_.size(); from += kFetchesAtOnce) {
      std::vector<std::future<Outcome<void>>> reads;
      for (size_t i = from; i < std::min(from + kFetchesAtOnce, shards_.size()); ++i) {
        if (shards_[i].state != Shard::State::kEnd) reads.push_back(begin_read(i));
      }
      Outcome<void> done;
      for (auto& pending : reads) {
        auto answer = pending.get();
        if (!answer && done) done = std::move(answer);
      }
      if (!done) return done;
    }
    return {};
  }

  bool comes_first(const Item& a, const Item& b) const {
    for (const std::string& attribute : options_.order) {
      const auto left = a.find(attribute);
      const auto right = b.find(attribute);
      if (!left || !right) continue;
      const auto order = compare(*left, *right);
      if (!order || *order == 0) continue;
      return options_.descending ? *order > 0 : *order < 0;
    }
    return false;
  }

  // The shard whose first item comes first. Null: all shards are at their end.
  Outcome<Shard*> least_shard() {
    Shard* least = nullptr;
    for (size_t i = 0; i < shards_.size(); ++i) {
      Shard& shard = shards_[i];
      while (shard.state != Shard::State::kEnd && !shard.read) TRY(read(i));
      if (shard.items.empty()) continue;
      if (least == nullptr || comes_first(shard.items.front(), least->items.front())) least = &shard;
    }
    return least;
  }

  Item take(Shard& shard) {
    Item item = std::move(shard.items.front());
    shard.items.pop_front();
    shard.after = place_of(item, options_.key);
    shard.state = Shard::State::kAfter;
    skip_empty_page(shard);
    return item;
  }

  const MergeOptions& options_;
  const ShardFetch& fetch_;
  std::vector<Shard> shards_;
};

}  // namespace

Outcome<Merged> merge_shards(const MergeOptions& options, const ShardFetch& fetch) {
  return Merge(options, fetch).run();
}

}  // namespace trestle::runtime
