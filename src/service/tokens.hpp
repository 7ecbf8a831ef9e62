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

/// What somebody may do; each may also do what those before it may.
enum class Role : std::uint8_t {
  read,   ///< Look at studies.
  work,   ///< Begin studies, ask and tell, run a tuner.
  admin,  ///< Steer those who run studies, delete.
};

}  // namespace canopy::service

namespace canopy {

template <>
struct EnumNames<service::Role> {
  static constexpr std::array<std::string_view, 3> names{"read", "work", "admin"};
};

}  // namespace canopy

namespace canopy::service {

/// Somebody who may use the service. The token itself is known to nobody but them.
struct Token {
  std::string name;
  std::string hash;  ///< SHA-256 of the token, in hexadecimal digits
  Role role = Role::read;
  std::vector<std::string> studies = {"*"};      ///< patterns, as shells have them
  std::optional<double> expires = std::nullopt;  ///< seconds since 1970

  // At most; left out: no limit.
  std::optional<double> requests_per_second = std::nullopt;
  std::optional<double> bytes_per_second = std::nullopt;  ///< of requests and answers
  std::optional<double> most_studies = std::nullopt;      ///< that there may be of those it is for
  std::optional<double> most_tickets = std::nullopt;      ///< that may be open in one study

  [[nodiscard]] bool covers(const std::string& study) const;
};

/// One of the limits of a token.
struct Quota {
  std::string_view name;  ///< as files of tokens have it
  std::string_view help;
  std::optional<double> Token::*limit;
};
inline constexpr std::array kQuotas{
    Quota{"requests_per_second", "requests a second", &Token::requests_per_second},
    Quota{"bytes_per_second", "bytes a second, of requests and answers", &Token::bytes_per_second},
    Quota{"most_studies", "studies that there may be of those it is for", &Token::most_studies},
    Quota{"most_tickets", "tickets that may be open in a study", &Token::most_tickets},
};

/// A new token, 256 random bits as text; and what is kept of it.
[[nodiscard]] std::string new_secret();
[[nodiscard]] std::string hash_of(std::string_view secret);

/// Reads a file of tokens. Throws SpecificationError with everything that is wrong.
[[nodiscard]] std::vector<Token> load_tokens(const std::string& path);
/// The text of such a file.
[[nodiscard]] std::string text_of(const std::vector<Token>& tokens);

/// Tells who it is, and whether they ask too much. Thread-safe.
class AccessControl {
 public:
  explicit AccessControl(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// The one that a secret belongs to; none if there is none. Takes as long whatever the secret
  /// is. One that has expired is returned too.
  [[nodiscard]] std::optional<Token> find(std::string_view secret) const;

  /// Counts a request; how many seconds to wait if it is one too many, or if there were too many
  /// bytes.
  [[nodiscard]] std::optional<double> too_many(const Token& token);
  /// Counts the bytes of a request and its answer.
  void count_bytes(const Token& token, std::size_t bytes);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }

 private:
  /// What is left of a second's worth.
  struct Bucket {
    double requests = 0.0;
    double bytes = 0.0;  // below 0: more than that was used
    std::chrono::steady_clock::time_point at = {};
  };

  std::vector<Token> tokens_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;  // by the hash of the token
};

}  // namespace canopy::service
