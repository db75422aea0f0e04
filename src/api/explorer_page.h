// The explorer: one page, whole in itself, that shows designs and calls their operations. It reads /designs and
// openapi.json from where it was served, so the same text serves every design. Needs no other host.
#pragma once

#include <string_view>

namespace trestle::api {

std::string_view explorer_page();

// Its pieces, each in a file of its own.
std::string_view explorer_style();
std::string_view explorer_script();

}  // namespace trestle::api
