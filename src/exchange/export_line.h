// A line of an export's data file: an item or a change of an item. Pure.
//
//   {"Item":{"pk":{"S":"a"}}}                                      $ion_1_0 {Item:{pk:"a"}}
//   {"Metadata":{"WriteTimestampMicros":{"N":"1680109764000000"}},"Keys":{...},"OldImage":{...},"NewImage":{...}}
//   $ion_1_0 {Record:{Keys:{...},Metadata:{WriteTimestampMicros:1680109764000000.},OldImage:{...},NewImage:{...}}}
#pragma once

#include <cstdint>
#include <string>

#include "model/export_requests.h"
#include "model/value.h"

namespace trestle {

// Each appends one line, with its line break.
void append_export_line(std::string& out, ExportFormat format, ItemView item);

struct ExportedChange {
  int64_t written_ms = 0;
  ItemView keys;
  ItemView old_image;  // empty: there is none, or it was not asked for
  ItemView new_image;  // empty: there is none
};
void append_export_line(std::string& out, ExportFormat format, const ExportedChange& change);

}  // namespace trestle
