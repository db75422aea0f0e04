#include "cli/design/call_command.h"

#include <fmt/format.h>

#include "base/read_file.h"
#include "cli/design/call_inputs.h"
#include "cli/design/design_place.h"
#include "design/language/reader.h"
#include "runtime/values/plain_json.h"

namespace trestle {
namespace {

using runtime::Plain;

struct CallOptions {
  DesignPlace place;
  std::string operation;
  std::string claims;
  bool all = false;
  std::vector<std::string> inputs;  // name=value
};

int print_items(Plain::List items) {
  fmt::print("{}\n", runtime::plain_json(Plain::map({{"items", Plain::list(std::move(items))}})));
  return 0;
}

// Prints the reply, or with `--all` every page of a list as one.
int call_served(const CallOptions& options, Plain inputs) {
  const auto text = read_file(design_file(options.place.design));
  if (text) {
    const design::Reading reading = design::read_design(*text);
    if (const design::Operation* operation = reading.design.operation(options.operation))
      shape_inputs(*operation, inputs);
  }
  if (const Plain& limit = inputs.member("limit"); limit.is(Plain::Kind::kText)) {
    if (auto number = runtime::parse_plain_json(limit.string())) inputs.set("limit", *number);
  }
  const std::string path = fmt::format("{}/{}", served_path(options.place), options.operation);
  Plain::List items;
  for (;;) {
    const auto answer = send_to_server(options.place, "POST", path, runtime::plain_json(inputs));
    if (!answer || answer->status >= 300) return print_answer(answer);
    auto reply = runtime::parse_plain_json(answer->body);
    const bool goes_on = options.all && reply && reply->member("items").is(Plain::Kind::kList);
    if (!goes_on) return print_answer(answer);
    for (Plain& item : reply->set("items", reply->member("items")).elements()) items.push_back(std::move(item));
    const Plain& next = reply->member("next");
    if (!next.exists()) break;
    inputs.set("next", next);
  }
  return print_items(std::move(items));
}

int call_operation(const CallOptions& options, const std::vector<std::string>& words) {
  auto inputs = inputs_of(words);
  if (!inputs) return print_error(inputs.error());
  if (!options.place.at.empty()) return call_served(options, std::move(*inputs));
  auto opened = open_place(options.place);
  if (!opened) return print_error(opened.error());
  runtime::DesignRuntime& runtime = opened->runtime();
  const design::Operation* operation = runtime.design().operation(options.operation);
  if (operation == nullptr) {
    return print_error(fmt::format("the design {} has no operation `{}`", runtime.design().name, options.operation));
  }
  const auto context = context_of(options.claims);
  if (!context) return print_error(context.error());
  runtime::ListOptions list = runtime.is_list(*operation) ? take_list_options(*inputs) : runtime::ListOptions{};
  shape_inputs(*operation, *inputs);
  Plain::List items;
  for (;;) {
    Call call;
    auto reply = runtime.call(*operation, *inputs, list, *context, call);
    const auto durable = opened->designs->database().wait_durable(call);
    if (!durable) return print_error(durable.error().message);
    if (!reply) return print_error(refusal_text(reply.error()));
    if (!options.all || !reply->body.member("items").is(Plain::Kind::kList)) {
      fmt::print("{}\n", runtime::plain_json(reply->body));
      return 0;
    }
    const Plain::List& page = reply->body.member("items").elements();
    items.insert(items.end(), page.begin(), page.end());
    if (!reply->position) break;
    list.position = *reply->position;
  }
  return print_items(std::move(items));
}

}  // namespace

void add_call_command(CLI::App& design, int& exit_status) {
  auto call = std::make_shared<CallOptions>();  // shared with the callback, which outlives this call
  CLI::App* calls =
      design.add_subcommand("call", "Call an operation with inputs as --field value ..., and print its reply");
  add_place(*calls, call->place, true);
  calls->add_option("operation", call->operation, "The operation")->required();
  calls->add_option("--caller-claims", call->claims, "Claims of the caller, as a JSON object; not with --at");
  calls->add_flag("--all", call->all, "Fetch every page of a list");
  calls->add_option("--input", call->inputs, "An input as name=value, for names that are also flags of this command")
      ->allow_extra_args(false);
  calls->allow_extras();
  calls->callback([call, calls, &exit_status] {
    std::vector<std::string> words = calls->remaining();
    for (const std::string& input : call->inputs) words.push_back("--" + input);
    exit_status = call_operation(*call, words);
  });
}

}  // namespace trestle
