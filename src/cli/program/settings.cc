#include "cli/program/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/language/source.h"

namespace trestle {
namespace {

bool is_on(const std::vector<std::string>& words, const CLI::Option& option) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    return (name.starts_with("--") && option.check_lname(name.substr(2))) ||
           (name.size() == 2 && name[0] == '-' && name[1] != '-' && option.check_sname(name.substr(1)));
  });
}

bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }
bool is_switch(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// The flags of a command that have a long name, except those that only print.
std::vector<const CLI::Option*> flags_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return !option->get_lnames().empty() && option->get_lnames()[0] != "help" && option->get_lnames()[0] != "version";
  });
}

}  // namespace

std::string variable_name(const CLI::App& command, std::string_view flag) {
  std::string words;
  for (const CLI::App* app = &command; app != nullptr && app->get_parent() != nullptr; app = app->get_parent())
    words.insert(0, app->get_name() + "_");
  words.append(flag.substr(flag.find_first_not_of('-')));
  std::string name = "TRESTLE_";
  for (const char c : words)
    name.push_back(c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return name;
}

std::vector<std::string> arguments_from_environment(const CLI::App& command, const std::vector<std::string>& words,
                                                    const std::function<const char*(const std::string&)>& variable) {
  std::vector<std::string> arguments;
  for (const CLI::Option* option : flags_of(command)) {
    const std::string& flag = option->get_lnames()[0];
    const char* value = variable(variable_name(command, flag));
    if (value == nullptr || *value == 0 || is_on(words, *option)) continue;
    std::string_view rest = value;
    while (true) {
      const size_t comma = is_list(*option) ? rest.find(',') : std::string_view::npos;
      arguments.push_back(fmt::format("--{}={}", flag, rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return arguments;
}

BasicResult<std::vector<std::string>, std::string> arguments_from_file(const CLI::App& command,
                                                                       const std::vector<std::string>& words,
                                                                       std::string_view text) {
  const std::vector<const CLI::Option*> flags = flags_of(command);
  std::vector<std::string> arguments;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(
        std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.find('=');
    const std::string name(trimmed(line.substr(0, equals)));
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](auto* option) { return option->check_lname(name); });
    if (flag == flags.end()) {
      std::vector<std::string> names;
      for (const CLI::Option* option : flags) names.push_back(option->get_lnames()[0]);
      return std::unexpected(fmt::format("line {}: `trestle {}` has no flag `{}`{}", line_number, command.get_name(),
                                         name, design::did_you_mean(name, names)));
    }
    if (equals == std::string_view::npos && !is_switch(**flag))
      return std::unexpected(fmt::format("line {}: `{}` needs a value: {} = VALUE", line_number, name, name));
    if (is_on(words, **flag)) continue;
    const std::string_view value = equals == std::string_view::npos ? "true" : trimmed(line.substr(equals + 1));
    arguments.push_back(fmt::format("--{}={}", name, value));
  }
  return arguments;
}

std::optional<std::string> take_config_file(std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--config=")) {
      std::string file = words[i].substr(9);
      words.erase(words.begin() + static_cast<ptrdiff_t>(i));
      return file;
    }
    if (words[i] == "--config" && i + 1 < words.size()) {
      std::string file = words[i + 1];
      words.erase(words.begin() + static_cast<ptrdiff_t>(i), words.begin() + static_cast<ptrdiff_t>(i) + 2);
      return file;
    }
  }
  return std::nullopt;
}

}  // namespace trestle
