#include "api/explorer_page.h"

#include <fmt/format.h>

#include <string>

namespace trestle::api {
namespace {

constexpr std::string_view kBody = R"html(
<a class="skip" href="#main">Skip to the operation</a>
<header class="top">
  <a class="brand" href="/designs"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M2 8h28M5 8l5 18M27 8l-5 18M16 8v18M7.5 17h17M5 8l11 9L27 8M9 24l7-7 7 7"/></svg>Trestle</a>
  <nav class="crumbs" aria-label="Design"><select id="designs" aria-label="Design"></select><span id="version" class="chip"></span></nav>
  <div class="signin">
    <select id="scheme" aria-label="How to sign in"><option value="bearer">Token</option><option value="key">API key</option></select>
    <input id="credential" type="password" autocomplete="off" spellcheck="false" placeholder="nobody signed in" aria-label="Token or API key">
    <span id="who" class="who" aria-live="polite"></span>
  </div>
  <a class="quiet" id="openapi" href="openapi.json" target="_blank" rel="noopener">OpenAPI</a>
  <button class="icon" id="theme" title="Light, dark or as the system" aria-label="Theme"></button>
</header>
<div class="page">
  <aside class="side">
    <div class="find"><input id="find" type="search" placeholder="Find an operation" aria-label="Find an operation" autocomplete="off"><kbd>/</kbd></div>
    <nav id="operations" aria-label="Operations"></nav>
  </aside>
  <main id="main" tabindex="-1"></main>
</div>
)html";

}  // namespace

std::string_view explorer_page() {
  static const std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Trestle designs</title>\n"
      "<style>{}</style>\n</head>\n<body>{}<script>{}</script>\n</body>\n</html>\n",
      explorer_style(), kBody, explorer_script());
  return page;
}

}  // namespace trestle::api
