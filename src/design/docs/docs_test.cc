// The document is complete, reproducible, and safe whatever the design file contains.
#include "design/docs/docs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "design/cost/cost.h"
#include "design/docs/html.h"
#include "design/language/quantity.h"
#include "design/language/shipped_designs_for_test.h"

namespace trestle::design {
namespace {

std::string page_of(std::string_view text) {
  const Reading reading = read_design(text);
  return docs_html(reading, check_design(reading));
}

std::string escaped(const std::string& text) { return (Html() << text).str(); }

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The contents of the section with this id.
std::string section(const std::string& page, const std::string& id) {
  const size_t start = page.find("<section id=\"" + id + "\"");
  EXPECT_NE(start, std::string::npos) << id;
  return start == std::string::npos ? "" : page.substr(start, page.find("</section>", start) - start);
}

// With TRESTLE_GOLDEN=write, the test writes the file instead; view it in a browser before committing it.
TEST(Docs, authz_is_the_golden_page) {
  const std::filesystem::path golden = kRoot / "tests" / "golden" / "docs-authz.html";
  const std::string page = page_of(file_text(kRoot / "designs" / "authz.yaml"));
  if (std::getenv("TRESTLE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << page;
  // Not EXPECT_EQ, which would print two whole pages.
  const std::string expected = file_text(golden);
  const auto differ = std::mismatch(page.begin(), page.end(), expected.begin(), expected.end());
  const auto at = static_cast<size_t>(differ.first - page.begin());
  EXPECT_TRUE(page == expected) << "differs at byte " << at << ": " << page.substr(at > 60 ? at - 60 : 0, 200);
}

TEST(Docs, with_prices_and_averages_the_page_says_what_a_month_costs) {
  std::string wrong;
  const auto prices = read_prices(file_text(kRoot / "designs" / "prices" / "us-east-1.json"), wrong);
  ASSERT_TRUE(prices) << wrong;
  const Reading reading = read_design(file_text(kRoot / "designs" / "form-bridge.yaml"));
  const std::string month = section(docs_html(reading, check_design(reading), &*prices), "month");
  EXPECT_NE(month.find("us-east-1, prices of " + prices->date), std::string::npos);
  EXPECT_NE(month.find("submit</td>"), std::string::npos);
  // Computed in the same way as `design cost`.
  const CostEstimate estimate = cost_design(reading.design, *prices, CostOptions{});
  ASSERT_GT(estimate.on_demand(), 0.01);
  EXPECT_NE(month.find(fmt::format("<tfoot><tr><td>Total</td><td class=\"num\">${:.2f}<", estimate.on_demand())),
            std::string::npos);
  EXPECT_EQ(docs_html(reading, check_design(reading)).find("id=\"month\""), std::string::npos);
}

TEST(Docs, without_an_average_the_page_shows_no_month) {
  std::string wrong;
  const auto prices = read_prices(file_text(kRoot / "designs" / "prices" / "us-east-1.json"), wrong);
  const Reading reading = read_design(file_text(kRoot / "designs" / "authz.yaml"));
  EXPECT_EQ(docs_html(reading, check_design(reading), &*prices).find("id=\"month\""), std::string::npos);
}

TEST(Docs, names_everything_that_a_design_has) {
  for (const char* name : kDesignNames) {
    const Reading reading = read_design(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    const std::string page = docs_html(reading, check_design(reading));
    const std::string map = section(page, "map");
    const std::string entities = section(page, "entities");
    const std::string aggregates = section(page, "aggregates");
    for (const Entity& entity : reading.design.entities) {
      EXPECT_NE(entities.find("<h3>" + escaped(entity.name) + "</h3>"), std::string::npos)
          << name << " " << entity.name;
      EXPECT_NE(map.find(">" + escaped(entity.name) + "</text>"), std::string::npos) << name << " " << entity.name;
      EXPECT_NE(aggregates.find("\">" + escaped(entity.name) + "</a></td>"), std::string::npos)
          << name << ": no sample of " << entity.name;
      for (const Field& field : entity.fields)
        EXPECT_NE(entities.find("<dt>" + field.name + "</dt>"), std::string::npos) << name << " " << field.name;
    }
    for (const Operation& operation : reading.design.operations) {
      const std::string where = section(page, operation.is_write ? "writes" : "reads");
      EXPECT_NE(where.find("<td class=\"name\"" + std::string(operation.is_write ? ">" : " rowspan")),
                std::string::npos);
      EXPECT_NE(where.find("\">" + operation.name + "<"), std::string::npos) << name << " " << operation.name;
    }
    for (const Table& table : reading.design.tables) {
      EXPECT_NE(aggregates.find("<h3>" + table.name), std::string::npos) << name << " " << table.name;
      for (const Index& index : table.indexes)
        EXPECT_NE(aggregates.find("<h3>" + index.name), std::string::npos) << name << " " << index.name;
    }
  }
}

TEST(Docs, shows_the_key_condition_of_a_read) {
  const std::string reads = section(page_of(file_text(kRoot / "designs" / "authz.yaml")), "reads");
  const size_t row = reads.find(">grantsOfUser<");
  ASSERT_NE(row, std::string::npos);
  const std::string cells = reads.substr(row, reads.find("</tr>", row) - row);
  EXPECT_NE(cells.find("<b>Query</b> GSI1"), std::string::npos);
  EXPECT_NE(cells.find("GSI1PK</span> <span class=\"op\">=</span> USER#<span class=\"var\">{userId}</span>"),
            std::string::npos);
  EXPECT_NE(cells.find("begins_with(</span><span class=\"at\">GSI1SK</span><span class=\"op\">,</span> TENANT#"),
            std::string::npos);
}

TEST(Docs, shows_findings_of_a_faulty_design) {
  const std::string text = file_text(kRoot / "designs" / "as-written" / "authz.yaml");
  const std::string findings = section(page_of(text), "findings");
  const Report report = check_text(text);
  EXPECT_EQ(count(findings, "class=\"finding\""), report.findings.size() + report.suppressed.size());
  for (const Finding& finding : report.findings)
    EXPECT_NE(findings.find("<code>" + finding.code + "</code>"), std::string::npos) << finding.code;
}

TEST(Docs, needs_nothing_from_elsewhere) {
  for (const char* name : kDesignNames) {
    const std::string page = page_of(file_text(kRoot / "designs" / (std::string(name) + ".yaml")));
    for (const char* part : {"<script", "<link", "<img", "<iframe", "src=", "url(", "@import", "href=\"http"})
      EXPECT_EQ(page.find(part), std::string::npos) << name << " " << part;
    for (const char* tag :
         {"table", "tbody", "tr", "td", "div", "dl", "ul", "svg", "section", "code", "span", "article"}) {
      const std::string open = std::string("<") + tag;
      EXPECT_EQ(count(page, open + ">") + count(page, open + " "), count(page, std::string("</") + tag + ">"))
          << name << " " << tag;
    }
  }
}

TEST(Docs, a_hostile_design_is_harmless) {
  const std::string evil = R"(<script>alert(1)</script>"' onload=x)";
  const std::string page = page_of(R"y(
design: '<script>alert(1)</script>"'' onload=x'
about: '</style><script>alert(2)</script>'
tables:
  '<img src=x onerror=alert(3)>':
    key: ['<b>PK', '"SK']
    indexes: {'<i>"G': {key: ['<u>', 'x" onload="y']}}
entities:
  '"><svg onload=alert(4)>':
    about: '<iframe src="javascript:alert(5)">'
    key: ["</code><script>{id}", "'\"><script>{id}"]
    fields: {id: ulid auto, note: "string = '<script>'", kind: "enum(<a>, b\"c)"}
    index: {'<e>': {on: '<i>"G', key: ["<p>{id}", "<q>{kind}"]}}
    unique: {'<g>': {key: "</td>{id}", type: '</table>'}}
reads:
  '<script>read': {get: '"><svg onload=alert(4)>', about: '<h1>'}
  'raw<': {query: {index: '<i>"G', where: "x = '<script>{id}'"}, finds: ['"><svg onload=alert(4)>']}
writes:
  '</li>write': {put: '"><svg onload=alert(4)>', if: absent, else: {status: 409, message: '"><script>'}}
  # trestle: allow T999 because <script>alert(6)</script>
)y");
  EXPECT_NE(page.find(escaped(evil)), std::string::npos) << "the name was not understood, and the test tests nothing";
  EXPECT_NE(page.find("&quot;&gt;&lt;svg onload=alert(4)&gt;"), std::string::npos);
  for (const char* part :
       {"<script", "<img", "<iframe", "<svg onload", "<b>PK", "<i>\"", "<e>", "<g>", "<p>01", "\" onload=\"y"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  for (const char* id : {"map", "entities", "reads", "aggregates"}) {
    EXPECT_NE(section(page, id).find("&quot;&gt;&lt;svg onload=alert(4)&gt;"), std::string::npos) << id;
  }
  EXPECT_EQ(count(page, "<h1>"), 1U);
  EXPECT_EQ(count(page, "<style>"), 1U);
  EXPECT_EQ(count(page, "</style>"), 1U);
  EXPECT_EQ(count(page, "<table"), count(page, "</table>"));
  EXPECT_EQ(count(page, "<td"), count(page, "</td>"));
  EXPECT_EQ(count(page, "<li"), count(page, "</li>"));
}

TEST(Docs, the_readable_part_of_a_broken_file_makes_a_page) {
  for (const char* text :
       {"", "design: x", "[", "design: x\ntables: {t: {key: [PK]}}", "design: x\nentities: {E: {key: \"{nope}\"}}",
        "design: x\ntables: {t: {key: [PK, SK]}}\nentities: {E: {key: [\"{nope}\"], fields: {}}}\nreads: {r: {get: "
        "Other}}"}) {
    EXPECT_TRUE(page_of(text).ends_with("</html>\n")) << text;
  }
}

TEST(Html, escapes_text_and_replaces_what_is_not_text) {
  EXPECT_EQ((Html() << std::string("a<b>&\"'\u00e9")).str(), "a&lt;b&gt;&amp;&quot;&#39;\u00e9");
  EXPECT_EQ((Html() << std::string("\x01\xff\xc3(\u202e")).str(), "\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd");
  EXPECT_EQ((Html() << "<b>" << 7 << "</b>").str(), "<b>7</b>");
}

}  // namespace
}  // namespace trestle::design
