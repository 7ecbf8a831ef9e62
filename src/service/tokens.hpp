#pragma once

#include "canopy/enum_names.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy::service {

/// The role of a token; each role includes those before it.
enum class Role : std::uint8_t {
  read,   ///< View studies.
  work,   ///< Create studies, ask and tell, run a tuner.
  admin,  ///< Post commands, delete studies.
};

}  // namespace canopy::service

namespace canopy {

template <>
struct EnumNames<service::Role> {
  static constexpr std::array<std::string_view, 3> names{"read", "work", "admin"};
};

}  // namespace canopy

namespace canopy::service {

/// A client token. Only its hash is stored.
struct Token {
  std::string name;
  std::string hash;  ///< SHA-256 of the token, in hexadecimal digits
  Role role = Role::read;
  std::vector<std::string> studies = {"*"};      ///< glob patterns
  std::optional<double> expires = std::nullopt;  ///< seconds since 1970

  // Limits; none: unlimited.
  std::optional<double> requests_per_second = std::nullopt;
  std::optional<double> bytes_per_second = std::nullopt;  ///< of requests and answers
  std::optional<double> max_studies = std::nullopt;       ///< studies that match its patterns
  std::optional<double> max_tickets = std::nullopt;       ///< open tickets of one study

  [[nodiscard]] bool covers(const std::string& study) const;
};

/// A limit of a token.
struct Quota {
  std::string_view name;  ///< its key in the file of tokens
  std::string_view help;
  std::optional<double> Token::*limit;
};
inline constexpr std::array kQuotas{
    Quota{"requests_per_second", "requests per second", &Token::requests_per_second},
    Quota{"bytes_per_second", "bytes per second, of requests and answers",
          &Token::bytes_per_second},
    Quota{"max_studies", "studies that match its patterns", &Token::max_studies},
    Quota{"max_tickets", "open tickets of a study", &Token::max_tickets},
};

/// Returns a new random token of 256 bits as text.
[[nodiscard]] std::string new_secret();
/// Returns the SHA-256 hash of a token, in hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view secret);

/// Reads a file of tokens. Throws SpecificationError with all of its errors.
[[nodiscard]] std::vector<Token> load_tokens(const std::string& path);
/// Formats a file of tokens.
[[nodiscard]] std::string text_of(const std::vector<Token>& tokens);

/// Identifies clients by their tokens and enforces the limits of the tokens. Thread-safe.
class AccessControl {
 public:
  explicit AccessControl(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// Returns the token with that secret, which may have expired. Takes the same time whether or not
  /// it is found.
  [[nodiscard]] std::optional<Token> find(std::string_view secret) const;

  /// Counts a request. Returns the number of seconds to wait if a limit is exceeded.
  [[nodiscard]] std::optional<double> too_many(const Token& token);
  /// Counts the bytes of a request and its answer.
  void count_bytes(const Token& token, std::size_t bytes);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }

 private:
  /// A token bucket: the remaining allowance, refilled each second.
  struct Bucket {
    double requests = 0.0;
    double bytes = 0.0;  // negative: more was used than allowed
    std::chrono::steady_clock::time_point at = {};
  };

  std::vector<Token> tokens_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;  // by the hash of the token
};

}  // namespace canopy::service
