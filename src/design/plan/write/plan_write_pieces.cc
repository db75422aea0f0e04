#include "design/plan/write/plan_write_pieces.h"

#include <fmt/format.h>

#include "design/plan/plan_impl.h"

namespace trestle::design {

ValueSource expiry_of(Expression time) {
  ValueSource source{.kind = ValueSource::Kind::kExpiry};
  source.expression = std::move(time);
  source.stored = ValueType::kNumber;
  return source;
}

ValueSource amount_of(Expression amount) {
  ValueSource source = value_of(std::move(amount));
  source.stored = ValueType::kNumber;
  return source;
}

Form present_form(std::string_view attribute, Namer& namer) {
  Form form{.requires_attribute = true};
  form.condition = fmt::format("attribute_exists({})", namer.name(attribute, form.names));
  return form;
}

Piece piece_of(Form form, Cause cause) {
  Piece piece{.cause = cause};
  piece.forms.push_back(std::move(form));
  return piece;
}

}  // namespace trestle::design
