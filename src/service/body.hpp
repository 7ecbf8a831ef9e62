#pragma once

#include "service/message.hpp"
#include "service/problem.hpp"
#include "service/routes.hpp"
#include "studies/request_reader.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy::service {

/// Reads the JSON body of a request. Errors have the same codes as in `canopy pipe`.
class Body : public RequestReader {
 public:
  /// Throws Problem if the body is not a JSON object. Unknown keys are reported as errors.
  explicit Body(const Request& request);

  // Fields of the body itself.

  [[nodiscard]] auto whole(const RequestField& field) {
    return RequestReader::whole(document(), "", field);
  }
  [[nodiscard]] auto number(const RequestField& field) {
    return RequestReader::number(document(), "", field);
  }
  [[nodiscard]] auto text(const RequestField& field) {
    return RequestReader::text(document(), "", field);
  }
  [[nodiscard]] auto flag(const RequestField& field) {
    return RequestReader::flag(document(), "", field);
  }
  /// Returns null and reports an error if the field is missing.
  [[nodiscard]] const Document* required(const RequestField& field) {
    return find(document(), "", field.needed());
  }
  [[nodiscard]] auto word(const RequestField& field) {
    return RequestReader::word(document(), "", field);
  }

  /// Throws Problem with all errors that were found, if there are any.
  void check() const;
};

/// The query parameters of a request.
class Query {
 public:
  /// Unknown query parameters are reported as errors.
  explicit Query(const Request& request);

  // A parameter that is omitted has the default of the route, or no value if there is no default.

  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view key);
  [[nodiscard]] std::optional<double> number(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key) const;
  /// One of the words that the route allows.
  [[nodiscard]] std::string word(std::string_view key);
  [[nodiscard]] bool flag(std::string_view key);
  /// A parameter whose text is JSON.
  [[nodiscard]] std::optional<Document> json(std::string_view key);

  void complain(const std::string& key, std::string code, std::string message);

  /// Throws Problem with all errors that were found, if there are any.
  void check() const;

 private:
  [[nodiscard]] const QueryField& field(std::string_view key) const;
  /// The text of the parameter, or its default.
  [[nodiscard]] std::optional<std::string> said(std::string_view key) const;

  const Request& request_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy::service
