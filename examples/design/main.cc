// Embeds a design in a program: calls its operations, on a database in a folder.
//
//   cmake -S . -B build && cmake --build build && build/design authz.yaml /tmp/authz
#include <cstdio>
#include <ctime>
#include <string>

#include "base/read_file.h"
#include "design/language/reader.h"
#include "engine/engine.h"
#include "runtime/runtime.h"
#include "runtime/tables.h"
#include "runtime/values/plain_json.h"

using trestle::runtime::DesignRuntime;
using trestle::runtime::Outcome;
using trestle::runtime::Plain;

namespace {

// Calls an operation, and returns once its writes are durable.
Outcome<Plain> call(DesignRuntime& runtime, trestle::Database& database, const char* operation, Plain inputs) {
  trestle::Call depends;
  auto reply = runtime.call(*runtime.design().operation(operation), inputs, {}, {}, depends);
  if (!database.wait_durable(depends).has_value()) return trestle::runtime::refuse(503, "The disk is failing.");
  if (!reply.has_value()) return std::unexpected(reply.error());
  return std::move(reply->body);
}

Outcome<void> run(const trestle::design::Design& design, trestle::Database& database) {
  TRY(trestle::runtime::create_tables(design, database));
  TRY_INTO(const auto runtime, DesignRuntime::open(design, database, {}));
  const std::string name = "tenant " + std::to_string(std::time(nullptr));
  TRY_INTO(const Plain made, call(*runtime, database, "createTenant", Plain::map({{"name", Plain::text(name)}})));
  TRY_INTO(const Plain found, call(*runtime, database, "tenantByName", Plain::map({{"name", Plain::text(name)}})));
  std::printf("%s\n", trestle::runtime::plain_json(found).c_str());
  const auto again = call(*runtime, database, "createTenant", Plain::map({{"name", Plain::text(name)}}));
  std::printf("the same name again: %d %s\n", again ? 200 : again.error().status,
              again ? "" : again.error().message.c_str());
  return {};
}

int complain(const std::string& what) {
  std::fprintf(stderr, "design: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return complain("usage: design authz.yaml FOLDER");
  const auto text = trestle::read_file(argv[1]);
  if (!text) return complain(std::string(argv[1]) + " cannot be read");
  const trestle::design::Reading reading = trestle::design::read_design(*text);
  if (!reading.mistakes.empty()) return complain(reading.mistakes[0].message);
  const auto engine = trestle::Engine::open({.store = {.folder = argv[2]}});
  if (!engine.has_value()) return complain(engine.error().message);
  const auto ran = run(reading.design, **engine);
  return ran.has_value() ? 0 : complain(ran.error().message);
}
