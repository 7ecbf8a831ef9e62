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

/// The body of a request, in the codes of `canopy pipe`.
class Body : public RequestReader {
 public:
  /// Throws Problem if it is not a JSON object. Complains about what its route does not know.
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
  /// Null, with a complaint, if it is not there.
  [[nodiscard]] const Document* required(const RequestField& field) {
    return find(document(), "", field.needed());
  }
  [[nodiscard]] auto word(const RequestField& field) {
    return RequestReader::word(document(), "", field);
  }

  /// Throws Problem with everything that is wrong, if anything is.
  void check() const;
};

/// The parameters behind the path of a request, those that its route has.
class Query {
 public:
  /// Complains about parameters that are not known.
  explicit Query(const Request& request);

  // What is left out is what is usual, which the route says, or none.

  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view key);
  [[nodiscard]] std::optional<double> number(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key) const;
  /// One of those that the route has.
  [[nodiscard]] std::string word(std::string_view key);
  [[nodiscard]] bool flag(std::string_view key);
  /// What a text of JSON says.
  [[nodiscard]] std::optional<Document> json(std::string_view key);

  void complain(const std::string& key, std::string code, std::string message);

  /// Throws Problem if anything is wrong.
  void check() const;

 private:
  [[nodiscard]] const QueryField& field(std::string_view key) const;
  /// What was said, or what is usual.
  [[nodiscard]] std::optional<std::string> said(std::string_view key) const;

  const Request& request_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy::service
