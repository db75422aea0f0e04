// The pages of the API (design_api.h), which are not calls of operations: lists, descriptions, the design's file and
// its background work.
#include <fmt/format.h>

#include "api/design_api_job.h"
#include "api/design_description.h"
#include "base/json/json_writer.h"
#include "base/percent_encoding.h"

namespace trestle::api {

using runtime::Refused;

std::string DesignApi::list_json() const {
  Json list = Json::array();
  for (const auto& [name, served] : designs_) {
    const design::Design& design = served.runtime->design();
    Json entry = Json::object({{"name", name}, {"version", design.version}});
    if (!design.about.empty()) entry.set("about", design.about);
    entry.set("operations", static_cast<int64_t>(design.operations.size()));
    entry.set("explorer", fmt::format("{}/{}/", kRoot, name));
    entry.set("openapi", fmt::format("{}/{}/openapi.json", kRoot, name));
    list.add(std::move(entry));
  }
  return Json::object({{"designs", std::move(list)}}).text();
}

void DesignApi::answer_page(const HttpRequest& request, std::string_view body, Job job) {
  if (!request.is_read()) return refuse_method(request, kPageMethods, std::move(job));
  job.http.content_type = kJson;
  job.http.body = body;
  job.http.add_header("Cache-Control", "no-cache");
  finish(std::move(job));
}

void DesignApi::redirect(const HttpRequest& request, int status, std::string_view where, Job job) {
  if (!request.is_read()) return refuse_method(request, kPageMethods, std::move(job));
  job.http.status = status;
  job.http.add_header("Location", where);
  finish(std::move(job));
}

bool DesignApi::admit_operator(const HttpRequest& request, std::string_view action, Job& job) {
  if (!parts_.callers.configured()) return true;
  auto caller = parts_.callers.identify(request, parts_.clock.now_ms());
  if (!caller.has_value()) {
    refuse(caller.error().refused, std::move(job), caller.error().challenge);
    return false;
  }
  if (has_group(*caller, options_.operator_group)) return true;
  refuse(
      refused(403, fmt::format("Only operators may {}: callers of the group \"{}\".", action, options_.operator_group)),
      std::move(job));
  return false;
}

void DesignApi::refuse_large_design(Job job) {
  refuse(refused(413, fmt::format("A design may have at most {} bytes.", options_.body_bytes_max)), std::move(job));
}

void DesignApi::save(const std::string& design, const HttpRequest& request, Job job) {
  if (!admit_operator(request, "save designs", job)) return;
  if (request.body.size() > options_.body_bytes_max) return refuse_large_design(std::move(job));
  auto shared_job = std::make_shared<Job>(std::move(job));
  WorkerPool::Task task = [this, shared_job, design, text = std::string(request.body),
                           replaces = std::string(request.header("x-trestle-replaces"))] {
    const auto saved = parts_.save(design, text, replaces);
    if (!saved) return refuse(saved.error(), std::move(*shared_job));
    shared_job->http.content_type = kJson;
    shared_job->http.body = "{\"saved\":true}";
    finish(std::move(*shared_job));
  };
  submit(request.body.size(), shared_job, std::move(task));
}

void DesignApi::describe(std::string source, const HttpRequest& request, Job job) {
  if (source.size() > options_.body_bytes_max) return refuse_large_design(std::move(job));
  if (parts_.callers.configured()) {
    auto caller = parts_.callers.identify(request, parts_.clock.now_ms());
    if (!caller.has_value()) return refuse(caller.error().refused, std::move(job), caller.error().challenge);
  }
  // Checking and planning take milliseconds, so they do not run on the event loop.
  const size_t bytes = source.size();
  auto shared_job = std::make_shared<Job>(std::move(job));
  WorkerPool::Task task = [this, shared_job, source = std::move(source)] {
    shared_job->http.content_type = kJson;
    shared_job->http.body = describe_design(source, parts_.prices);
    shared_job->http.add_header("Cache-Control", "no-store");
    finish(std::move(*shared_job));
  };
  submit(bytes, shared_job, std::move(task));
}

void DesignApi::answer_background(const HttpRequest& request, const Background& background, bool retry, Job job) {
  if (retry ? request.method != "POST" : !request.is_read())
    return refuse_method(request, retry ? kWriteMethods : kPageMethods, std::move(job));
  if (!admit_operator(request, "do this", job)) return;
  std::string id;
  if (request.query.starts_with("id=")) id = percent_decode(request.query.substr(3));
  const bool dead = request.query.find("dead") != std::string_view::npos;
  // Reads from the database, so it does not run on the event loop.
  auto shared_job = std::make_shared<Job>(std::move(job));
  WorkerPool::Task task = [this, shared_job, &background, retry, dead, id] {
    shared_job->http.content_type = kJson;
    if (retry) {
      const auto count = background.retry(id);
      if (!count) return refuse(count.error(), std::move(*shared_job));
      shared_job->http.body = fmt::format("{{\"asked\":{}}}", *count);
    } else {
      auto text = background.status(dead);
      if (!text) return refuse(text.error(), std::move(*shared_job));
      shared_job->http.body = std::move(*text);
    }
    shared_job->http.add_header("Cache-Control", "no-store");
    finish(std::move(*shared_job));
  };
  submit(0, shared_job, std::move(task));
}

}  // namespace trestle::api
