#include "service/tokens.hpp"

#include "canopy/specification_error.hpp"

#include "files/document_reader.hpp"
#include "files/read_file.hpp"
#include "files/toml.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fnmatch.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kHashDigits = 64;
constexpr std::string_view kPrefix = "canopy_";

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text;
}

Token read_token(DocumentReader& reader, const Document& table, const std::string& prefix) {
  std::vector<std::string_view> keys{"name", "hash", "role", "studies", "expires"};
  for (const Quota& quota : kQuotas) keys.push_back(quota.name);
  Token token;
  reader.check_keys(table, prefix, keys);
  for (const char* key : {"name", "hash", "role"}) reader.require(table, prefix, key);
  reader.read(table, prefix, "name", token.name);
  reader.read(table, prefix, "hash", token.hash);
  reader.read(table, prefix, "role", token.role);
  const bool is_hash =
      token.hash.size() == kHashDigits &&
      std::all_of(token.hash.begin(), token.hash.end(), [](char c) {
        return std::isxdigit(static_cast<unsigned char>(c)) != 0 && c == std::tolower(c);
      });
  if (table.contains("hash") && !is_hash) {
    reader.complain(prefix + "hash", table.find("hash"), "must be 64 hexadecimal digits");
  }
  if (const Document* studies = table.find("studies")) {
    token.studies.clear();
    const Document::List* list = studies->as_list();
    bool fits = list != nullptr;
    for (const Document& each : list != nullptr ? *list : Document::List{}) {
      fits = fits && each.as_text() != nullptr;
      if (fits) token.studies.push_back(*each.as_text());
    }
    if (!fits) reader.complain(prefix + "studies", studies, "must be a list of patterns");
  }
  const auto read_positive = [&](std::string_view key, std::optional<double>& into) {
    if (!table.contains(key)) return;
    double value = 0.0;
    reader.read(table, prefix, key, value);
    if (!(value > 0.0)) {
      reader.complain(prefix + std::string(key), table.find(key), "must be above 0");
    }
    into = value;
  };
  read_positive("expires", token.expires);
  for (const Quota& quota : kQuotas) read_positive(quota.name, token.*quota.limit);
  return token;
}

}  // namespace

bool Token::covers(const std::string& study) const {
  return std::any_of(studies.begin(), studies.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), study.c_str(), FNM_NOESCAPE) == 0;
  });
}

std::string new_secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw std::runtime_error("no random numbers are available to create a token");
  }
  return std::string(kPrefix) + hexadecimal(bytes.data(), bytes.size());
}

std::string hash_of(std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  // Fetched once, because fetching takes longer than hashing a short text.
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (EVP_Digest(secret.data(), secret.size(), digest.data(), &size, sha256, nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available");
  }
  return hexadecimal(digest.data(), size);
}

std::vector<Token> load_tokens(const std::string& path) {
  const Document document = parse_toml(read_file(path), path);
  DocumentReader reader(path);
  static constexpr std::array<std::string_view, 1> keys{"token"};
  reader.check_keys(document, "", keys);
  std::vector<Token> tokens;
  if (const Document* list = document.find("token")) {
    if (list->as_tables() == nullptr) reader.complain("token", list, "must be tables: [[token]]");
    std::size_t i = 0;
    for (const Document& table :
         list->as_tables() != nullptr ? *list->as_tables() : Document::List{}) {
      tokens.push_back(read_token(reader, table, fmt::format("token[{}].", i++)));
    }
  }
  reader.throw_if_any();
  return tokens;
}

std::string text_of(const std::vector<Token>& tokens) {
  Document::List list;
  for (const Token& token : tokens) {
    Document::List patterns(token.studies.begin(), token.studies.end());
    Document table = Document::Table{{"name", token.name},
                                     {"hash", token.hash},
                                     {"role", name_of(token.role)},
                                     {"studies", std::move(patterns)}};
    if (token.expires) table.set("expires", *token.expires);
    for (const Quota& quota : kQuotas) {
      if (token.*quota.limit) table.set(quota.name, *(token.*quota.limit));
    }
    list.push_back(std::move(table));
  }
  if (list.empty()) return "";
  return toml_text(Document::Table{{"token", std::move(list)}});
}

std::optional<Token> AccessControl::find(std::string_view secret) const {
  const std::string hash = hash_of(secret);
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (CRYPTO_memcmp(token.hash.data(), hash.data(), hash.size()) == 0) found = &token;
  }
  return found != nullptr ? std::optional<Token>(*found) : std::nullopt;
}

std::optional<double> AccessControl::too_many(const Token& token) {
  if (!token.requests_per_second && !token.bytes_per_second) return std::nullopt;
  // The bucket holds the allowance of one second.
  const double requests = token.requests_per_second.value_or(HUGE_VAL);
  const double most_requests = std::max(1.0, requests);
  const double bytes = token.bytes_per_second.value_or(HUGE_VAL);
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard access(mutex_);
  Bucket& bucket =
      buckets_.try_emplace(token.hash, Bucket{most_requests, bytes, now}).first->second;
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  bucket.at = now;
  if (passed > 0.0) {
    bucket.requests = std::min(most_requests, bucket.requests + passed * requests);
    bucket.bytes = std::min(bytes, bucket.bytes + passed * bytes);
  }
  if (bucket.bytes < 0.0) return -bucket.bytes / bytes;
  if (bucket.requests < 1.0) return (1.0 - bucket.requests) / requests;
  bucket.requests -= 1.0;
  return std::nullopt;
}

void AccessControl::count_bytes(const Token& token, std::size_t bytes) {
  if (!token.bytes_per_second) return;
  const std::lock_guard access(mutex_);
  const auto found = buckets_.find(token.hash);
  if (found != buckets_.end()) found->second.bytes -= static_cast<double>(bytes);
}

}  // namespace canopy::service
