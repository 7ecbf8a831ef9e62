#pragma once

#include "service/message.hpp"
#include "service/problem.hpp"
#include "studies/request_reader.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy::service {

/// The body of a request, in the codes of `canopy pipe`.
class Body : public RequestReader {
 public:
  /// Throws Problem if it is not a JSON object.
  explicit Body(const Request& request);

  /// Throws Problem with everything that is wrong, if anything is.
  void check() const;
};

/// The parameters behind the path of a request, those that are known.
class Query {
 public:
  /// Complains about parameters that are not known.
  Query(const Request& request, std::initializer_list<std::string_view> known);

  [[nodiscard]] std::uint64_t whole(const std::string& key, std::uint64_t otherwise,
                                    std::uint64_t least, std::uint64_t most);
  [[nodiscard]] std::optional<double> number(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key) const;
  /// One of these; the first one if nothing is said.
  [[nodiscard]] std::string word(const std::string& key,
                                 std::initializer_list<std::string_view> words);
  /// `true` or `false`.
  [[nodiscard]] bool flag(const std::string& key, bool otherwise);

  void complain(const std::string& key, std::string code, std::string message);

  /// Throws Problem if anything is wrong.
  void check() const;

 private:
  const Request& request_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy::service
