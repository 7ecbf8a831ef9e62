#include "service/message.hpp"

#include "files/json.hpp"

#include <algorithm>
#include <utility>

namespace canopy::service {
namespace {

int digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char letter = text[i];
    if (letter == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[i + 1]);
      const int low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      letter = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (letter == '+' && plus_is_blank) {
      letter = ' ';
    }
    if (letter == '\0') return std::nullopt;
    result += letter;
  }
  return result;
}

}  // namespace

std::optional<std::vector<std::string>> parts_of_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> parts;
  path.remove_prefix(1);
  for (;;) {
    const std::size_t end = path.find('/');
    auto part = decoded(path.substr(0, end), false);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
    if (end == std::string_view::npos) return parts;
    path.remove_prefix(end + 1);
  }
}

std::optional<std::map<std::string, std::string>> parameters_of(std::string_view query) {
  std::map<std::string, std::string> parameters;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto name = decoded(one.substr(0, equals), true);
    const auto value =
        equals == std::string_view::npos ? "" : decoded(one.substr(equals + 1), true);
    if (!name || !value || !parameters.emplace(*name, *value).second) return std::nullopt;
  }
  return parameters;
}

const std::string& study_of(const Request& request) {
  return request.path.at(2);
}

Response json_answer(const Document& document, unsigned status) {
  return {status, json_text(document)};
}

Response no_content() {
  return {204, "", ""};
}

}  // namespace canopy::service
