// The routes of the live page, whose files are embedded in the binary.

#include "service/body.hpp"
#include "service/page_files.hpp"
#include "service/service.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace canopy::service {
namespace {

/// Allows only content from this server, and no inline scripts.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' "
    "data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view type_of(std::string_view file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".svg", "image/svg+xml"},
       {".woff2", "font/woff2"}}};
  for (const auto& [ending, type] : kTypes) {
    if (file.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

Response answer_with(const PageFile& file, const Request& request) {
  const std::string tag = '"' + std::string(file.tag) + '"';
  Response answer{200, "", std::string(type_of(file.name))};
  answer.headers = {{"ETag", tag},
                    {"Cache-Control", "no-cache"},
                    {"Vary", "Accept-Encoding"},
                    {"Content-Security-Policy", std::string(kPolicy)},
                    {"Referrer-Policy", "no-referrer"},
                    {"Cross-Origin-Opener-Policy", "same-origin"}};
  if (request.known_tag.find(tag) != std::string::npos) {
    answer.status = 304;
  } else if (request.takes_gzip && !file.packed.empty()) {
    answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.body = file.packed;
  } else {
    answer.body = file.plain;
  }
  return answer;
}

}  // namespace

const PageFile* find_page_file(std::string_view name) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

void Service::page(const Request& request, Done done) {
  const Done answer = std::move(done);
  const PageFile* index = find_page_file("index.html");
  if (index == nullptr) {
    throw Problem(
        404, "no_page",
        "this canopy was built without the live page, because Node.js was missing; the routes "
        "below /v1 work, and /openapi.json describes them");
  }
  answer(answer_with(*index, request));
}

void Service::page_file(const Request& request, Done done) {
  const Done answer = std::move(done);
  const PageFile* file = find_page_file("page/" + request.path.at(1));
  if (file == nullptr) throw Problem(404, "unknown_path", "there is nothing at this path");
  answer(answer_with(*file, request));
}

}  // namespace canopy::service
