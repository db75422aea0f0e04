#include "expression/partiql/partiql_lexer.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"

namespace trestle {
namespace {

// Words that must be quoted when used as names: the keywords of SQL-92 and PartiQL. Sorted.
// clang-format off
constexpr std::string_view kSqlKeywords[] = {
    "absolute", "action", "add", "all", "allocate", "alter", "any", "are", "as", "asc", "assertion", "at",
    "authorization", "avg", "bag", "begin", "bit", "bit_length", "blob", "bool", "boolean", "both", "by", "cascade",
    "cascaded", "case", "cast", "catalog", "char", "char_length", "character", "character_length", "check", "clob",
    "close", "coalesce", "collate", "collation", "column", "commit", "connect", "connection", "constraint",
    "constraints", "continue", "convert", "corresponding", "count", "create", "cross", "current", "current_date",
    "current_time", "current_timestamp", "current_user", "cursor", "date", "deallocate", "dec", "decimal", "declare",
    "default", "deferrable", "deferred", "delete", "desc", "describe", "descriptor", "diagnostics", "disconnect",
    "distinct", "domain", "double", "drop", "else", "end", "end-exec", "escape", "exception", "exec", "execute",
    "exists", "external", "extract", "false", "fetch", "first", "float", "for", "foreign", "found", "from", "full",
    "get", "global", "go", "goto", "grant", "group", "having", "identity", "immediate", "index", "indicator",
    "initially", "inner", "input", "insensitive", "insert", "int", "integer", "interval", "into", "isolation", "join",
    "key", "language", "last", "leading", "left", "let", "level", "limit", "list", "local", "lower", "match", "max",
    "min", "missing", "modified", "module", "names", "national", "natural", "nchar", "new", "next", "no", "null",
    "nullif", "nulls", "numeric", "octet_length", "of", "offset", "old", "on", "only", "open", "option", "order",
    "outer", "output", "overlaps", "pad", "partial", "pivot", "position", "precision", "prepare", "preserve",
    "primary", "prior", "privileges", "procedure", "public", "read", "real", "references", "relative", "remove",
    "restrict", "returning", "revoke", "right", "rollback", "rows", "schema", "scroll", "section", "select",
    "session", "session_user", "set", "sexp", "size", "smallint", "some", "space", "sql", "sqlcode", "sqlerror",
    "sqlstate", "string", "struct", "substring", "sum", "symbol", "system_user", "table", "temporary", "then", "time",
    "timestamp", "to", "trailing", "transaction", "translate", "translation", "trim", "true", "tuple", "union",
    "unique", "unknown", "unpivot", "update", "upper", "usage", "user", "using", "value", "values", "varchar",
    "varying", "view", "when", "whenever", "where", "with", "work", "write", "zone",
};
// clang-format on
constexpr std::string_view kWordOperators[] = {"and", "between", "except", "in", "intersect",
                                               "is",  "like",    "not",    "or"};
static_assert(std::ranges::is_sorted(kSqlKeywords) && std::ranges::is_sorted(kWordOperators));

bool is_name_start(char c) { return is_letter(c) || c == '_' || c == '$'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::optional<std::vector<PartiqlTokenText>> run() {
    while (true) {
      if (!skip_blanks()) return std::nullopt;
      start_ = at_;
      if (at_ == text_.size()) break;
      if (!take()) return std::nullopt;
    }
    add(PartiqlToken::kEnd, {});
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '-' && peek(1) == '-') {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return false;
        at_ = end + 2;
      } else {
        return true;
      }
    }
    return true;
  }

  bool take() {
    const char c = text_[at_];
    if (is_name_start(c)) return take_word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
    if (c == '\'') return take_quoted('\'', PartiqlToken::kString);
    if (c == '"') return take_quoted('"', PartiqlToken::kQuoted);
    return take_symbol();
  }

  bool take_word() {
    while (is_name_part(peek())) ++at_;
    const std::string_view word = text_.substr(start_, at_ - start_);
    std::string lowered = lower(word);
    if (std::ranges::binary_search(kWordOperators, std::string_view(lowered)) || lowered == "union") {
      add(PartiqlToken::kOperator, std::move(lowered));
    } else if (is_partiql_keyword(lowered)) {
      add(PartiqlToken::kKeyword, std::move(lowered));
    } else {
      add(PartiqlToken::kIdentifier, std::string(word));
    }
    return true;
  }

  // As in Java's BigDecimal, the exponent and the resulting scale are 32-bit integers.
  bool take_number() {
    int64_t scale = 0;
    while (is_digit(peek())) ++at_;
    if (peek() == '.') {
      ++at_;
      for (; is_digit(peek()); ++at_) ++scale;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      const bool negative = peek() == '-';
      if (negative || peek() == '+') ++at_;
      if (!is_digit(peek())) return false;
      int64_t exponent = 0;
      for (; is_digit(peek()); ++at_) exponent = std::min<int64_t>(exponent * 10 + (peek() - '0'), int64_t{1} << 40);
      if (negative) exponent = -exponent;
      if (exponent > INT32_MAX || exponent < INT32_MIN) return false;
      scale -= exponent;
      if (scale > INT32_MAX || scale < INT32_MIN) return false;
    }
    if (is_name_part(peek()) || peek() == '.') return false;
    add(PartiqlToken::kNumber, std::string(text_.substr(start_, at_ - start_)));
    return true;
  }

  bool take_quoted(char quote, PartiqlToken kind) {
    std::string value;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) return false;
      if (text_[at_] == quote) {
        if (peek(1) != quote) break;
        ++at_;
      }
      value.push_back(text_[at_]);
    }
    ++at_;
    add(kind, std::move(value));
    return true;
  }

  bool take_symbol() {
    static constexpr std::string_view kDouble[] = {"<=", ">=", "<>", "!=", "||"};
    const std::string_view two = text_.substr(at_, 2);
    if (two == "<<" || two == ">>") {
      at_ += 2;
      add(two == "<<" ? PartiqlToken::kLeftBag : PartiqlToken::kRightBag, {});
      return true;
    }
    if (std::ranges::find(kDouble, two) != std::end(kDouble)) {
      at_ += 2;
      add(PartiqlToken::kOperator, two == "!=" ? "<>" : std::string(two));
      return true;
    }
    const char c = text_[at_++];
    switch (c) {
      case '<':
      case '>':
      case '=':
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        add(PartiqlToken::kOperator, std::string(1, c));
        return true;
      case '?':
        add(PartiqlToken::kParameter, {});
        return true;
      case '(':
        add(PartiqlToken::kLeftParenthesis, {});
        return true;
      case ')':
        add(PartiqlToken::kRightParenthesis, {});
        return true;
      case '[':
        add(PartiqlToken::kLeftBracket, {});
        return true;
      case ']':
        add(PartiqlToken::kRightBracket, {});
        return true;
      case '{':
        add(PartiqlToken::kLeftBrace, {});
        return true;
      case '}':
        add(PartiqlToken::kRightBrace, {});
        return true;
      case ',':
        add(PartiqlToken::kComma, {});
        return true;
      case '.':
        add(PartiqlToken::kDot, {});
        return true;
      case ':':
        add(PartiqlToken::kColon, {});
        return true;
      case ';':
        add(PartiqlToken::kSemicolon, {});
        return true;
      default:
        return false;
    }
  }

  void add(PartiqlToken kind, std::string text) {
    // Positions count characters. Each call scans only the text since the last token.
    for (; counted_ < start_; ++counted_) {
      if (text_[counted_] == '\n') {
        ++line_;
        column_ = 1;
      } else {
        column_ += !continues_character(text_[counted_]);
      }
    }
    const auto length = static_cast<uint32_t>(characters_of(text_.substr(start_, at_ - start_)));
    tokens_.push_back({kind, std::move(text), {line_, column_, length}});
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;
  size_t counted_ = 0;
  uint32_t line_ = 1;
  uint32_t column_ = 1;
  std::vector<PartiqlTokenText> tokens_;
};

}  // namespace

bool is_partiql_keyword(std::string_view lower_case) { return std::ranges::binary_search(kSqlKeywords, lower_case); }

std::optional<std::vector<PartiqlTokenText>> tokenize_partiql(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace trestle
