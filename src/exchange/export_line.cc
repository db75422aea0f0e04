#include "exchange/export_line.h"

#include <fmt/format.h>

#include "exchange/export_ion.h"
#include "protocol/json/attribute_value_json.h"

namespace trestle {
namespace {

void append_json_image(std::string& out, std::string_view name, ItemView image) {
  if (image.empty()) return;
  out.append(",\"").append(name).append("\":");
  append_item_json(out, image);
}

void append_ion_image(std::string& out, std::string_view name, ItemView image) {
  if (image.empty()) return;
  out.append(",").append(name).append(":");
  append_ion_item(out, image);
}

}  // namespace

void append_export_line(std::string& out, ExportFormat format, ItemView item) {
  if (format == ExportFormat::kIon) {
    out.append("$ion_1_0 {Item:");
    append_ion_item(out, item);
  } else {
    out.append("{\"Item\":");
    append_item_json(out, item);
  }
  out.append("}\n");
}

void append_export_line(std::string& out, ExportFormat format, const ExportedChange& change) {
  const int64_t micros = change.written_ms * 1000;
  if (format == ExportFormat::kIon) {
    out.append("$ion_1_0 {Record:{Keys:");
    append_ion_item(out, change.keys);
    fmt::format_to(std::back_inserter(out), ",Metadata:{{WriteTimestampMicros:{}.}}", micros);
    append_ion_image(out, "OldImage", change.old_image);
    append_ion_image(out, "NewImage", change.new_image);
    out.append("}}\n");
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 "{{\"Metadata\":{{\"WriteTimestampMicros\":{{\"N\":\"{}\"}}}},\"Keys\":", micros);
  append_item_json(out, change.keys);
  append_json_image(out, "OldImage", change.old_image);
  append_json_image(out, "NewImage", change.new_image);
  out.append("}\n");
}

}  // namespace trestle
