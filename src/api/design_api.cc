#include "api/design_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/canonical_json.h"
#include "api/design_api_job.h"
#include "api/problem.h"
#include "base/ascii.h"
#include "base/percent_encoding.h"
#include "base/random_id.h"
#include "base/steady_us.h"
#include "design/export/export_openapi.h"
#include "runtime/values/plain_json.h"
#include "server/http/owned_request.h"

namespace trestle::api {
namespace {

using runtime::Plain;
using runtime::Refused;

constexpr std::string_view kConsole = "/console/";
constexpr std::string_view kExposedHeaders = "ETag, Retry-After, WWW-Authenticate, X-Request-Id";
constexpr std::string_view kTraceHeader = "Trestle-Trace";
constexpr std::string_view kTraceRequests = "requests";
constexpr std::string_view kReadMethods = "GET, HEAD, POST, OPTIONS";
// A call with a larger body, or of a longer page, takes too long for an event loop.
constexpr size_t kShortBodyBytes = 64 << 10;
constexpr int64_t kShortPageItems = 100;

bool is_json(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) content_type.remove_suffix(1);
  return equals_ignoring_case(content_type, kJson);
}

// "127.0.0.1:50312", "[::1]:50312", "[::ffff:127.0.0.1]:50312"
bool is_loopback_peer(std::string_view peer) {
  if (peer.starts_with('[')) peer.remove_prefix(1);
  if (peer.starts_with("::ffff:")) peer.remove_prefix(7);
  return peer.starts_with("127.") || peer.starts_with("::1]");
}

std::string page_inputs(const CallRequest& call) {
  Plain all = call.inputs;
  if (call.list.descending) all.set("descending", Plain::boolean(*call.list.descending));
  return canonical_json(all);
}

}  // namespace

bool has_group(const Plain& caller, std::string_view group) {
  const Plain& groups = caller.member("groups");
  const bool many = groups.is(Plain::Kind::kList) || groups.is(Plain::Kind::kSet);
  return many && std::ranges::find(groups.elements(), Plain::text(std::string(group))) != groups.elements().end();
}

PageBinding DesignApi::Job::binding() const {
  const design::Design& design = served->runtime->design();
  return {.design = design.name,
          .version = design.version,
          .operation = endpoint->operation->name,
          .caller = caller,
          .inputs = page_inputs(call)};
}

DesignApi::DesignApi(Parts parts, DesignApiOptions options)
    : parts_(std::move(parts)), options_(std::move(options)), pool_("design", options_.workers, options_.queue_max) {
  for (runtime::DesignRuntime* runtime : parts_.designs) {
    const design::Design& design = runtime->design();
    Served& served = designs_[design.name];
    served.runtime = runtime;
    served.openapi = design::export_openapi(design).text;
    for (const design::Operation& operation : design.operations) {
      served.endpoints[operation.name] = {.operation = &operation,
                                          .name = fmt::format("{}.{}", design.name, operation.name),
                                          .is_list = runtime->is_list(operation),
                                          .is_brief = !options_.remote && runtime->is_brief(operation),
                                          .series = &metrics_.add(design.name, operation.name)};
    }
  }
  list_ = list_json();
}

bool DesignApi::before_replies() {
  const bool flushed = parts_.database.flush_log().has_value();
  return parts_.next.before_replies() && flushed;
}

void DesignApi::handle(const HttpRequest& request, ReplyHandle reply) {
  const bool is_design_path =
      request.path.starts_with(kRoot) && (request.path.size() == kRoot.size() || request.path[kRoot.size()] == '/');
  if (!is_design_path) return parts_.next.handle(request, std::move(reply));
  if (auto preflight = preflight_reply(request, options_.browsers, kExposedHeaders))
    return reply.send(std::move(*preflight));
  Job job{.reply = std::move(reply),
          .request_id = random_request_id(),
          .began_us = steady_us(),
          .request_bytes = request.body.size()};
  if (options_.log != nullptr) job.peer = request.peer;
  job.http.add_header("X-Request-Id", job.request_id);
  add_cors_headers(request, options_.browsers, kExposedHeaders, job.http);
  if (auto why = options_.browsers.refusal(request, parts_.callers.configured()))
    return refuse(refused(403, std::move(*why)), std::move(job));
  if (!parts_.callers.configured() && !is_loopback_peer(request.peer)) {
    return refuse(refused(403, "No keys are configured, so the designs answer only callers on the same machine."),
                  std::move(job));
  }
  route(request, std::move(job));
}

void DesignApi::route(const HttpRequest& request, Job job) {
  std::string_view path = request.path.substr(kRoot.size());
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) {
    const bool browser = request.header("accept").find("text/html") != std::string_view::npos;
    job.http.add_header("Vary", "Accept");
    if (browser) return redirect(request, 302, kConsole, std::move(job));
    return answer_page(request, list_, std::move(job));
  }
  if (path == "check" && request.method == "POST" && !designs_.contains(path)) {
    return describe(std::string(request.body), request, std::move(job));
  }
  const size_t slash = path.find('/');
  const std::string name = percent_decode(path.substr(0, slash));
  const auto served = designs_.find(name);
  if (served == designs_.end())
    return refuse(refused(404, fmt::format("There is no design \"{}\" here.", name)), std::move(job));
  job.served = &served->second;
  if (slash == std::string_view::npos) {
    return redirect(request, 308, fmt::format("{}/{}/", kRoot, name), std::move(job));
  }
  const std::string rest = percent_decode(path.substr(slash + 1));
  // Browsers keep the URL's fragment when the redirect has none. Old links name an operation in it.
  if (rest.empty()) return redirect(request, 302, fmt::format("{}?design={}", kConsole, name), std::move(job));
  if (rest == "openapi.json") return answer_page(request, served->second.openapi, std::move(job));
  if (rest == "source" && request.method == "PUT" && parts_.save) return save(name, request, std::move(job));
  if (rest == "design.json") {
    if (!request.is_read()) return refuse_method(request, kPageMethods, std::move(job));
    const auto source = parts_.sources.find(name);
    if (source == parts_.sources.end())
      return refuse(refused(404, "The design's file is not available."), std::move(job));
    return describe(source->second, request, std::move(job));
  }
  const auto endpoint = served->second.endpoints.find(rest);
  if (endpoint == served->second.endpoints.end() && (rest == "status" || rest == "retry")) {
    const auto background = parts_.background.find(name);
    if (background != parts_.background.end())
      return answer_background(request, background->second, rest == "retry", std::move(job));
  }
  if (endpoint == served->second.endpoints.end()) {
    return refuse(refused(404, fmt::format("The design {} has no operation \"{}\".", name, rest)), std::move(job));
  }
  job.endpoint = &endpoint->second;
  call(request, std::move(job));
}

void DesignApi::submit(size_t request_bytes, const std::shared_ptr<Job>& job, WorkerPool::Task task) {
  if (job->reply.request_waits(request_bytes) && pool_.submit(task)) return;
  Refused busy = refused(503, "Too many calls are waiting; try again.");
  busy.retry_after_s = 1;
  busy.retryable = true;
  refuse(busy, std::move(*job));
}

void DesignApi::call(const HttpRequest& request, Job job) {
  const design::Operation& operation = *job.endpoint->operation;
  const bool post = request.method == "POST";
  if (!post && (operation.is_write || !request.is_read()))
    return refuse_method(request, operation.is_write ? kWriteMethods : kReadMethods, std::move(job));
  if (request.body.size() > options_.body_bytes_max) {
    return refuse(refused(413, fmt::format("A body may have at most {} bytes; this one has {}.",
                                           options_.body_bytes_max, request.body.size())),
                  std::move(job));
  }
  if (post && !request.body.empty() && !is_json(request.header("content-type"))) {
    job.http.add_header("Accept-Post", kJson);
    return refuse(refused(415, "The content type must be application/json."), std::move(job));
  }
  auto caller = parts_.callers.identify(request, parts_.clock.now_ms());
  if (!caller.has_value()) return refuse(caller.error().refused, std::move(job), caller.error().challenge);
  if (const HttpHeader* trace_header = request.find(kTraceHeader)) {
    // A trace shows how items are stored, and data that operations read but the caller may not see.
    if (parts_.callers.configured() && !has_group(*caller, options_.operator_group)) {
      return refuse(refused(403, fmt::format("Only operators may trace calls: callers of the group \"{}\".",
                                             options_.operator_group)),
                    std::move(job));
    }
    if (trace_header->value != kTraceRequests)
      return refuse(refused(400, fmt::format("{} must be \"{}\".", kTraceHeader, kTraceRequests)), std::move(job));
    job.trace = std::make_shared<CallTrace>();
  }
  job.caller = subject_of(*caller);
  job.call.context.caller = std::move(*caller);
  // With an idempotency key, a second write waits until the first is durable, because both record the progress of the
  // call.
  const bool is_short = job.endpoint->is_brief && job.trace == nullptr && request.body.size() <= kShortBodyBytes &&
                        !(operation.is_write && request.find("idempotency-key") != nullptr);
  if (is_short) {
    if (!read_inputs(request, job)) return;
    if (job.call.list.limit.value_or(0) <= kShortPageItems && run(job, true)) return;
    Plain claims = std::move(job.call.context.caller);
    job.call = {};  // the inputs are read again
    job.call.context.caller = std::move(claims);
  }
  struct Waiting {
    Waiting(const HttpRequest& from, Job of) : request(from), job(std::make_shared<Job>(std::move(of))) {}
    const OwnedRequest request;
    const std::shared_ptr<Job> job;
  };
  const size_t bytes = OwnedRequest::memory_bytes(request);
  auto waiting = std::make_shared<Waiting>(request, std::move(job));  // shared with the task, which may be refused
  submit(bytes, waiting->job, [this, waiting] {
    if (read_inputs(waiting->request.get(), *waiting->job)) run(*waiting->job, false);
  });
}

bool DesignApi::read_inputs(const HttpRequest& request, Job& job) {
  Plain caller = std::move(job.call.context.caller);
  auto read = read_call(request, *job.endpoint->operation, job.endpoint->is_list);
  if (!read.has_value()) {
    refuse(read.error(), std::move(job));
    return false;
  }
  job.call = std::move(*read);
  job.call.context.caller = std::move(caller);
  if (job.trace != nullptr) {
    job.call.if_none_match.clear();  // a 304 has no body for the trace
    job.call.context.observer = [trace = job.trace](const runtime::SentRequest& sent) { trace->add(sent); };
  }
  if (job.call.next.empty()) return true;
  auto position = parts_.tokens.open(job.call.next, job.binding());
  if (position) {
    job.call.list.position = std::move(*position);
    return true;
  }
  Refused bad = refused(400, "The page token is not valid for this list.");
  bad.fields.push_back(
      {.field = "next", .reason = "was altered, or belongs to another list, other inputs or another caller"});
  refuse(bad, std::move(job));
  return false;
}

bool DesignApi::run(Job& job, bool on_loop) {
  Call call;
  call.caller = job.caller;
  call.cached_reads_only = on_loop;
  auto reply =
      job.served->runtime->call(*job.endpoint->operation, job.call.inputs, job.call.list, job.call.context, call);
  if (call.needs_disk) return false;
  if (reply.has_value()) {
    fill(std::move(*reply), job);
  } else {
    job.error = problem_name(reply.error().status);
    set_problem(reply.error(), job.http);
  }
  const auto when_durable = [this](Job done, const Result<void>& durable) {
    if (!durable.has_value()) {
      done.error = "unavailable";
      set_problem(runtime::refused_by(durable.error()), done.http);
    }
    finish(std::move(done));
  };
  if (call.commit != 0) {
    job.reply.reply_waits(job.http.body.size());
    parts_.database.when_durable(call, [when_durable, done = std::move(job)](const Result<void>& durable) mutable {
      when_durable(std::move(done), durable);
    });
  } else if (on_loop) {
    finish(std::move(job));  // the event loop calls before_replies() before it sends
  } else {
    when_durable(std::move(job), parts_.database.flush_log());
  }
  return true;
}

void DesignApi::fill(runtime::CallReply reply, Job& job) {
  job.http.content_type = kJson;
  if (reply.age_s) job.http.add_header("Age", std::to_string(*reply.age_s));
  if (reply.revision) {
    job.http.add_header("ETag", etag_of(*reply.revision));
    if (!job.call.if_none_match.empty() && names_revision(job.call.if_none_match, *reply.revision)) {
      job.http.status = 304;
      job.http.content_type = {};
      return;
    }
  }
  if (reply.position) reply.body.set("next", Plain::text(parts_.tokens.seal(*reply.position, job.binding())));
  runtime::append_plain_json(job.http.body, reply.body);
}

void DesignApi::refuse_method(const HttpRequest& request, std::string_view allowed, Job job) {
  job.http.add_header("Allow", allowed);
  if (request.method == "OPTIONS") {
    job.http.status = 204;
    return finish(std::move(job));
  }
  refuse(refused(405, fmt::format("Allowed methods: {}.", allowed)), std::move(job));
}

void DesignApi::refuse(const Refused& refused, Job job, std::string_view challenge) {
  job.error = problem_name(refused.status);
  set_problem(refused, job.http, challenge);
  finish(std::move(job));
}

void DesignApi::finish(Job job) {
  if (job.trace != nullptr) {
    job.http.body = job.trace->wrap(job.http.body);
    job.http.content_type = kJson;
    job.http.add_header(kTraceHeader, kTraceRequests);
    job.http.add_header("Cache-Control", "no-store");
  }
  const RequestOutcome outcome{
      .operation = job.endpoint != nullptr ? std::string_view(job.endpoint->name) : std::string_view("designs"),
      .table = {},
      .error = job.error,
      .status = job.http.status,
      .latency_us = steady_us() - job.began_us,
      .request_bytes = job.request_bytes,
      .reply_bytes = job.http.body.size()};
  if (job.endpoint != nullptr) job.endpoint->series->record(outcome.status, outcome.latency_us);
  if (options_.log != nullptr && options_.log->wants(outcome.status)) {
    options_.log->write(
        outcome,
        {.request_id = job.request_id, .caller = job.caller, .peer = job.peer, .now_ms = parts_.clock.now_ms()});
  }
  job.reply.send(std::move(job.http));
}

}  // namespace trestle::api
