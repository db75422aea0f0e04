#include "cli/local_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace trestle {
namespace {

constexpr std::string_view kJar = "-jar";

void add_origins(std::string_view list, std::vector<std::string>& words) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) words.push_back(fmt::format("--cors={}", list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

bool is_for_dynamodb_local(const std::vector<std::string>& words) {
  const auto jar = std::ranges::find(words, kJar);
  return jar != words.end() &&
         std::all_of(words.begin(), jar, [](const std::string& word) { return word.starts_with("-"); });
}

BasicResult<std::vector<std::string>, std::string> translate_dynamodb_local(const std::vector<std::string>& words) {
  std::vector<std::string> serve = {"serve"};
  std::string folder;
  bool in_memory = false;
  bool shared = false;
  auto word = std::ranges::find(words, kJar) + 1;
  if (word == words.end()) return std::unexpected(std::string("-jar needs a value"));
  for (++word; word != words.end(); ++word) {
    const std::string& flag = *word;
    if (flag == "-port" || flag == "-dbPath" || flag == "-cors") {
      if (++word == words.end()) return std::unexpected(fmt::format("`{}` needs a value", flag));
      if (flag == "-port") serve.push_back("--port=" + *word);
      if (flag == "-dbPath") folder = *word;
      if (flag == "-cors") add_origins(*word, serve);
    } else if (flag == "-inMemory") {
      in_memory = true;
    } else if (flag == "-sharedDb") {
      shared = true;
    } else if (flag == "-delayTransientStatuses") {
      serve.push_back("--transient-statuses=500");
    } else if (flag == "-help" || flag == "-h") {
      serve.push_back("--help");
    } else if (flag == "-version" || flag == "-v") {
      return std::vector<std::string>{"--version"};
    } else if (flag != "-optimizeDbBeforeStartup" && flag != "-disableTelemetry") {
      return std::unexpected(fmt::format("`{}` is not a flag of DynamoDB Local (docs/from-dynamodb-local.md)", flag));
    }
  }
  if (in_memory) {
    serve.push_back("--memory-store");
  } else if (!folder.empty()) {
    serve.push_back("--data=" + folder + "/trestle");
  }
  if (!shared) serve.push_back("--isolate");
  return serve;
}

}  // namespace trestle
