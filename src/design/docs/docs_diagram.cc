// The map: operations on the left, tables and indexes ("spaces") in the middle, entities on the right. A line is a path
// that some operation takes, in the colour of the entity it reaches.
//
// The columns are laid out one after the other: operations are sorted by their targets, spaces are in the file's order,
// and entities are sorted by the mean height of the spaces that contain them. Each line has its own slot at a box,
// ordered by the line's other end, so that lines fan out without crossing at the box and boxes never touch.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/utf8.h"
#include "design/docs/docs_impl.h"

namespace trestle::design {
namespace {

constexpr double kDiagramWidth = 1080;
constexpr double kTop = 30;
constexpr double kOperationRight = 252;
constexpr double kSpaceLeft = 424, kSpaceWidth = 206;
constexpr double kEntityLeft = 850, kEntityWidth = 228;
constexpr double kOperationPitch = 21, kOperationPitchMost = 29;
constexpr double kSlot = 8;
constexpr double kBoxMin = 44, kEntityBox = 28;

struct Box {
  double y = 0, height = 0;
  double middle() const { return y + height / 2; }
};

struct Way {
  size_t space = 0;
  size_t entity = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};

struct SpaceNode {
  const Table* table;
  const Index* index;
  Box box;
};
struct OperationNode {
  const Operation* operation;
  std::vector<Way> ways;
  double y = 0;
};

// At most `most` characters; an ellipsis replaces the rest.
std::string shortened(std::string_view text, size_t most) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (++characters > most) return std::string(text.substr(0, i)) + "\u2026";
  }
  return std::string(text);
}

class Diagram {
 public:
  explicit Diagram(const DocsContext& context) : context_(context), design_(context.design) {
    for (const Table& table : design_.tables) {
      spaces_.push_back({&table, nullptr, {}});
      for (const Index& index : table.indexes) spaces_.push_back({&table, &index, {}});
    }
    find_ways();
    for (const Operation& operation : design_.operations) add_operation(operation);
    std::stable_sort(operations_.begin(), operations_.end(),
                     [](const OperationNode& a, const OperationNode& b) { return a.ways < b.ways; });
    place();
  }

  Html html() const {
    Html out;
    if (operations_.empty() || ways_.empty()) return out;
    // When printed, a tall diagram gets a page of its own.
    out << "<div class=\"panel diagram" << (height_ > 0.7 * kDiagramWidth ? Markup(" tall") : Markup(""))
        << "\"><svg viewBox=\"0 0 " << kDiagramWidth << " " << height_
        << "\" role=\"img\" aria-label=\"Operations, the tables and indexes they read, and the entities they "
           "reach\">\n";
    out << "<text class=\"head\" x=\"" << kOperationRight - 14
        << "\" y=\"14\" text-anchor=\"end\">Operation</text><text class=\"head\" x=\"" << kSpaceLeft
        << "\" y=\"14\">Table or index</text><text class=\"head\" x=\"" << kEntityLeft << "\" y=\"14\">Entity</text>\n";
    links(out);
    for (const OperationNode& node : operations_) operation(out, node);
    for (const SpaceNode& node : spaces_) space(out, node);
    for (size_t i = 0; i < entities_.size(); ++i) entity(out, i);
    out << "</svg></div>\n";
    return out;
  }

 private:
  std::optional<size_t> space_of(std::string_view table, std::string_view index) const {
    for (size_t i = 0; i < spaces_.size(); ++i) {
      if (spaces_[i].table->name == table &&
          (spaces_[i].index == nullptr ? index.empty() : spaces_[i].index->name == index))
        return i;
    }
    return std::nullopt;
  }

  void find_ways() {
    for (const Entity& entity : design_.entities) {
      const size_t number = context_.number_of(entity);
      if (const auto table = space_of(entity.table, "")) ways_.insert({*table, number});
      for (const IndexEntry& entry : entity.index) {
        if (const auto index = space_of(entity.table, entry.index)) ways_.insert({*index, number});
      }
    }
  }

  void add_operation(const Operation& operation) {
    OperationNode node{.operation = &operation, .ways = {}, .y = 0};
    each_access(operation, [&](const Access& access) {
      const KeyCondition condition = key_condition_of(design_, access);
      const auto space = space_of(condition.table, condition.index);
      std::vector<std::string> found = access.finds;
      if (!access.entity.empty()) found.push_back(access.entity);
      for (const auto& [entity, index] : access.others) found.push_back(entity);
      for (const std::string& name : found) {
        const Entity* entity = design_.entity(name);
        if (space && entity != nullptr) node.ways.push_back({*space, context_.number_of(*entity)});
      }
    });
    each_step(operation.steps, [&](const Step& step) {
      const Limit* limit = step.kind == Step::Kind::kLimit ? design_.limit(step.limit) : nullptr;
      const Entity* counted = limit == nullptr ? nullptr : design_.entity(limit->entity);
      const auto space = counted == nullptr ? std::nullopt : space_of(counted->table, "");
      if (space) node.ways.push_back({*space, context_.number_of(*counted)});
    });
    read_.insert(node.ways.begin(), node.ways.end());
    each_write(operation, [&](const Write& write, const Step&) {
      const Entity* entity = design_.entity(write.entity);
      const auto space = entity == nullptr ? std::nullopt : space_of(entity->table, "");
      if (space) node.ways.push_back({*space, context_.number_of(*entity)});
    });
    std::sort(node.ways.begin(), node.ways.end());
    node.ways.erase(std::unique(node.ways.begin(), node.ways.end()), node.ways.end());
    if (!node.ways.empty()) operations_.push_back(std::move(node));
  }

  // ---- Positions

  void place() {
    for (size_t i = 0; i < spaces_.size(); ++i) {
      size_t in = 0;
      for (const OperationNode& node : operations_)
        in += static_cast<size_t>(
            std::count_if(node.ways.begin(), node.ways.end(), [&](const Way& way) { return way.space == i; }));
      const auto out = static_cast<size_t>(
          std::count_if(ways_.begin(), ways_.end(), [&](const Way& way) { return way.space == i; }));
      spaces_[i].box.height = std::max(kBoxMin, kSlot * static_cast<double>(std::max(in, out) + 1));
    }
    const double operations = kOperationPitch * static_cast<double>(operations_.size());
    const double spaces = std::accumulate(spaces_.begin(), spaces_.end(), 0.0,
                                          [](double sum, const SpaceNode& node) { return sum + node.box.height; });
    const double gaps = static_cast<double>(spaces_.size() - 1);
    const double entities = static_cast<double>(design_.entities.size());
    const double inner = std::max({operations, spaces + gaps * 16, entities * (kEntityBox + 12)});
    height_ = kTop + inner + 6;

    const auto rows = static_cast<double>(std::max<size_t>(operations_.size(), 1));
    const double pitch = std::min(kOperationPitchMost, inner / rows);
    double y = kTop + (inner - pitch * rows) / 2 + pitch / 2;
    for (OperationNode& node : operations_) {
      node.y = y;
      y += pitch;
    }
    const double gap = (inner - spaces) / (gaps + 1);
    y = kTop + gap / 2;
    for (SpaceNode& node : spaces_) {
      node.box.y = y;
      y += node.box.height + gap;
    }
    place_entities(inner);
  }

  void place_entities(double inner) {
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < design_.entities.size(); ++i) {
      double sum = 0;
      double count = 0;
      for (const Way& way : ways_) {
        if (way.entity != i) continue;
        sum += spaces_[way.space].box.middle();
        count += 1;
      }
      order.emplace_back(count > 0 ? sum / count : height_, i);
    }
    std::stable_sort(order.begin(), order.end());
    entities_.resize(order.size());
    const double pitch = inner / static_cast<double>(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      entities_[order[i].second] = {kTop + pitch * (static_cast<double>(i) + 0.5) - kEntityBox / 2, kEntityBox};
    }
  }

  static double slot(const Box& box, size_t number, size_t of) {
    return box.y + box.height * (static_cast<double>(number) + 1) / (static_cast<double>(of) + 1);
  }

  // ---- Lines

  // Viewers find the lines of an operation by their data attributes, to highlight them. Lines from spaces to entities
  // belong to no single operation.
  struct Line {
    Way way;
    const Operation* operation = nullptr;
    Markup kind;
  };
  void line(Html& out, const Line& line, std::pair<double, double> from, std::pair<double, double> to) const {
    const double bend = (to.first - from.first) / 2;
    out << "<path class=\"e link " << line.kind << "\" data-way=\"" << line.way.space << "-" << line.way.entity << "\"";
    if (line.operation != nullptr) out << " data-operation=\"" << line.operation->name << "\"";
    out << " style=\"--h:" << context_.hue_of(design_.entities[line.way.entity]) << "\" d=\"M" << from.first << " "
        << from.second << " C" << from.first + bend << " " << from.second << " " << to.first - bend << " " << to.second
        << " " << to.first << " " << to.second << "\"/>\n";
  }

  void links(Html& out) const {
    for (size_t i = 0; i < spaces_.size(); ++i) {
      std::vector<std::pair<double, Line>> in;  // each line with the height at which it starts
      for (const OperationNode& node : operations_) {
        for (const Way& way : node.ways) {
          if (way.space == i) in.emplace_back(node.y, Line{.way = way, .operation = node.operation, .kind = ""});
        }
      }
      std::stable_sort(in.begin(), in.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t n = 0; n < in.size(); ++n)
        line(out, in[n].second, {kOperationRight, in[n].first}, {kSpaceLeft, slot(spaces_[i].box, n, in.size())});
      ways_out(out, i);
    }
  }

  void ways_out(Html& out, size_t space) const {
    std::vector<Way> outgoing;
    for (const Way& way : ways_) {
      if (way.space == space) outgoing.push_back(way);
    }
    std::stable_sort(outgoing.begin(), outgoing.end(),
                     [&](const Way& a, const Way& b) { return entities_[a.entity].y < entities_[b.entity].y; });
    for (size_t n = 0; n < outgoing.size(); ++n) {
      const Way& way = outgoing[n];
      std::vector<size_t> arriving;
      for (const Way& other : ways_) {
        if (other.entity == way.entity) arriving.push_back(other.space);
      }
      const auto at = static_cast<size_t>(std::find(arriving.begin(), arriving.end(), space) - arriving.begin());
      line(out, {.way = way, .operation = nullptr, .kind = read_.contains(way) ? Markup("wide") : Markup("unread")},
           {kSpaceLeft + kSpaceWidth, slot(spaces_[space].box, n, outgoing.size())},
           {kEntityLeft, slot(entities_[way.entity], at, arriving.size())});
    }
  }

  // ---- Boxes

  void operation(Html& out, const OperationNode& node) const {
    out << "<text data-operation=\"" << node.operation->name << "\""
        << (node.operation->is_write ? Markup(" class=\"writes\"") : Markup("")) << " x=\"" << kOperationRight - 14
        << "\" y=\"" << node.y + 4 << "\" text-anchor=\"end\"><title>" << node.operation->name << "</title>"
        << shortened(node.operation->name, 32) << "</text>";
    const Entity& first = design_.entities[node.ways[0].entity];
    out << "<circle class=\"e pin\" style=\"--h:" << context_.hue_of(first) << "\" cx=\"" << kOperationRight - 3
        << "\" cy=\"" << node.y << "\" r=\"3\"/>\n";
  }

  void space(Html& out, const SpaceNode& node) const {
    const std::string& name = node.index == nullptr ? node.table->name : node.index->name;
    const KeySchema& key = node.index == nullptr ? node.table->key : node.index->key;
    std::string attributes;
    for (const auto* list : {&key.hash, &key.range}) {
      for (const KeyAttribute& attribute : *list) attributes += (attributes.empty() ? "" : ", ") + attribute.name;
    }
    const double x = kSpaceLeft + 14;
    out << "<rect class=\"box\" x=\"" << kSpaceLeft << "\" y=\"" << node.box.y << "\" width=\"" << kSpaceWidth
        << "\" height=\"" << node.box.height << "\" rx=\"8\"/>";
    out << "<text x=\"" << x << "\" y=\"" << node.box.middle() - 2 << "\" font-weight=\"600\"><title>" << name
        << "</title>" << shortened(name, 25) << "</text><text class=\"sub\" x=\"" << x << "\" y=\""
        << node.box.middle() + 13 << "\"><title>" << attributes << "</title>" << shortened(attributes, 28)
        << "</text>\n";
  }

  void entity(Html& out, size_t number) const {
    const Entity& drawn = design_.entities[number];
    const Box& box = entities_[number];
    out << "<a href=\"#entity-" << number << "\"><g class=\"e\" style=\"--h:" << context_.hue_of(drawn)
        << "\"><rect class=\"ent\" x=\"" << kEntityLeft << "\" y=\"" << box.y << "\" width=\"" << kEntityWidth
        << "\" height=\"" << box.height << "\" rx=\"7\"/><text class=\"entname\" x=\"" << kEntityLeft + 14 << "\" y=\""
        << box.middle() + 4.5 << "\"><title>" << drawn.name << "</title>" << shortened(drawn.name, 28)
        << "</text></g></a>\n";
  }

  const DocsContext& context_;
  const Design& design_;
  std::vector<SpaceNode> spaces_;
  std::vector<OperationNode> operations_;
  std::vector<Box> entities_;
  std::set<Way> ways_;  // all paths
  std::set<Way> read_;  // paths taken by an operation
  double height_ = 0;
};

}  // namespace

Html docs_diagram(const DocsContext& context) {
  if (context.design.tables.empty() || context.design.entities.empty()) return {};
  return Diagram(context).html();
}

}  // namespace trestle::design
