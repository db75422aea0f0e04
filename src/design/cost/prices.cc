#include "design/cost/prices.h"

#include <fmt/format.h>

#include <charconv>

#include "design/language/source.h"

namespace trestle::design {
namespace {

// The file is JSON, which is also YAML, so the YAML reader parses it.
class PriceFile {
 public:
  explicit PriceFile(const Node& root) : root_(root) {}
  std::string text(std::string_view name) {
    const Node* node = root_.find(name);
    if (node == nullptr || node->text.empty()) wrong_ = fmt::format("`{}` was expected", name);
    return node == nullptr ? "" : node->text;
  }
  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> all;
    const Node* node = root_.find(name);
    if (node == nullptr || node->kind != Node::Kind::kList)
      wrong_ = fmt::format("expected a list `{}`", name);
    else
      for (const Node& item : node->items) all.push_back(item.text);
    return all;
  }
  double price(std::string_view group, std::string_view name) {
    const Node* outer = root_.find(group);
    const Node* node = outer == nullptr ? nullptr : outer->find(name);
    double value = -1;
    if (node != nullptr) std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
    if (value < 0) wrong_ = fmt::format("a price `{}.{}` was expected", group, name);
    return value;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Node& root_;
  std::string wrong_;
};

}  // namespace

std::optional<Prices> read_prices(std::string_view text, std::string& wrong) {
  Findings findings;
  const auto source = read_source(text, findings);
  if (!source || !findings.empty()) {
    wrong = findings.empty() ? "it is not JSON" : findings.list()[0].message;
    return std::nullopt;
  }
  PriceFile file(source->root);
  Prices prices{.region = file.text("region"),
                .currency = file.text("currency"),
                .date = file.text("date"),
                .sources = file.texts("sources"),
                .derived = file.texts("derived")};
  prices.write_million = file.price("on_demand", "write_million");
  prices.read_million = file.price("on_demand", "read_million");
  prices.write_unit_hour = file.price("provisioned", "write_unit_hour");
  prices.read_unit_hour = file.price("provisioned", "read_unit_hour");
  prices.gb_month = file.price("storage", "gb_month");
  prices.free_gb = file.price("storage", "free_gb");
  prices.stream_reads_100k = file.price("streams", "reads_100k");
  prices.free_stream_reads = file.price("streams", "free_reads");
  prices.pitr_gb_month = file.price("backup", "pitr_gb_month");
  prices.backup_gb_month = file.price("backup", "on_demand_gb_month");
  prices.restore_gb = file.price("backup", "restore_gb");
  wrong = file.wrong();
  return wrong.empty() ? std::optional(prices) : std::nullopt;
}

}  // namespace trestle::design
