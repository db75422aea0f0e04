// Writes the lines of an export's data file: items or changes of items. Pure.
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

// Each appends one line, including the line break.
void append_export_line(std::string& out, ExportFormat format, ItemView item);

struct ExportedChange {
  int64_t written_ms = 0;
  ItemView keys;
  ItemView old_image;  // empty: there is none, or it was not requested
  ItemView new_image;  // empty: there is none
};
void append_export_line(std::string& out, ExportFormat format, const ExportedChange& change);

}  // namespace trestle
