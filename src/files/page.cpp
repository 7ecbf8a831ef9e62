#include "files/page.hpp"

#include "canopy/version.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/utsname.h>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace canopy {
namespace {

std::string machine_text() {
  utsname system{};
  uname(&system);
  std::ifstream cpus("/proc/cpuinfo");
  std::string model;
  for (std::string line; model.empty() && std::getline(cpus, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  return fmt::format("{} {}, {}, {} cores", system.sysname, system.machine,
                     model.empty() ? "processor unknown" : model,
                     std::thread::hardware_concurrency());
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  // Devices and pipes must not be replaced by a file.
  const bool is_device =
      kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found;
  const std::string unfinished = is_device ? path : path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << text << std::flush;
  if (file && (is_device || std::rename(unfinished.c_str(), path.c_str()) == 0)) return;
  const int error = errno;
  if (!is_device) (void)std::remove(unfinished.c_str());
  throw OutputError(path + ": cannot be written: " + std::generic_category().message(error));
}

std::string quoted_csv(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string escaped(const std::string& text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

std::string svg_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t start = text.find("<svg");
  return start == std::string::npos ? std::string() : text.substr(start);
}

std::string page_head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>"
      "body{{font:15px/1.5 sans-serif;max-width:1150px;margin:2em auto;padding:0 1em;color:#222}}"
      "table{{border-collapse:collapse;font-size:13px}}td,th{{border-bottom:1px solid #ddd;"
      "padding:4px 8px;text-align:left;vertical-align:top}}small{{color:#777}}"
      "pre{{background:#f6f6f6;padding:8px;overflow:auto}}"
      ".figures{{display:flex;flex-wrap:wrap;gap:10px}}.figures svg{{width:550px;height:auto}}"
      ".figures figure{{margin:0;width:550px}}figcaption{{color:#555;font-size:14px}}"
      "</style></head><body>\n<h1>{0}</h1>\n",
      escaped(title));
}

std::string page_foot(const std::string& command) {
  return fmt::format(
      "<h2>How this page was made</h2>\n<p><code>{}</code><br>canopy "
      "{}<br>{}</p>\n</body></html>\n",
      escaped(command), CANOPY_VERSION, escaped(machine_text()));
}

}  // namespace canopy
