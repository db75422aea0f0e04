#include "cli/program/completion.h"

#include <fmt/format.h>
#include <CLI/Validators.hpp>

#include <memory>
#include <vector>

namespace trestle {
namespace {

struct CommandWords {
  std::string path;  // "design check"; empty for the program
  std::vector<std::string> commands;
  std::vector<std::string> flags;
};

void collect(const CLI::App& app, const std::string& path, std::vector<CommandWords>& out) {
  CommandWords words{.path = path, .commands = {}, .flags = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.flags.push_back("--" + name);
  }
  out.push_back(std::move(words));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    collect(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), out);
}

std::string bash_script(const std::vector<CommandWords>& all) {
  std::string cases;
  for (const CommandWords& words : all) {
    cases += fmt::format("    '{}') words='{} {}' ;;\n", words.path, fmt::join(words.commands, " "),
                         fmt::join(words.flags, " "));
  }
  return fmt::format(
      "# bash completion of trestle. Use: source <(trestle completion bash)\n"
      "_trestle() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} path= words= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in -*) break ;; esac\n"
      "    path=\"${{path:+$path }}${{COMP_WORDS[i]}}\"\n"
      "  done\n"
      "  case $path in\n{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "}}\n"
      "complete -o filenames -F _trestle trestle\n",
      cases);
}

std::string zsh_script(const std::vector<CommandWords>& all) {
  return "#compdef trestle\n# zsh completion of trestle. Use: source <(trestle completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(all);
}

std::string fish_script(const std::vector<CommandWords>& all) {
  std::string out = "# fish completion of trestle. Use: trestle completion fish | source\n";
  for (const CommandWords& words : all) {
    std::string condition = "__fish_use_subcommand";
    if (!words.path.empty()) {
      condition.clear();
      for (size_t begin = 0; begin < words.path.size();) {
        const size_t end = std::min(words.path.find(' ', begin), words.path.size());
        condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                                 words.path.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    for (const std::string& command : words.commands)
      out += fmt::format("complete -c trestle -f -n '{}' -a {}\n", condition, command);
    for (const std::string& flag : words.flags)
      out += fmt::format("complete -c trestle -n '{}' -l {}\n", condition, flag.substr(2));
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  std::vector<CommandWords> all;
  collect(app, "", all);
  if (shell == "bash") return bash_script(all);
  if (shell == "zsh") return zsh_script(all);
  return shell == "fish" ? fish_script(all) : "";
}

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();  // shared with the callback, which outlives this call
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes commands and flags in a shell");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] { fmt::print("{}", completion_script(app, *shell)); });
}

}  // namespace trestle
