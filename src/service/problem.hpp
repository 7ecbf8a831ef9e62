#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include "service/message.hpp"
#include "studies/request_reader.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace canopy::service {

/// Thrown when a request cannot be served; becomes a problem document (RFC 9457).
class Problem : public std::runtime_error {
 public:
  Problem(unsigned status, std::string code, const std::string& detail)
      : std::runtime_error(detail), status_(status), code_(std::move(code)) {}

  /// A request with one or more invalid fields.
  explicit Problem(std::vector<Mistake> mistakes) : Problem(422, std::move(mistakes)) {}
  Problem(unsigned status, std::vector<Mistake> mistakes);

  [[nodiscard]] unsigned status() const { return status_; }
  [[nodiscard]] const std::string& code() const { return code_; }

  /// Adds a Retry-After header.
  [[nodiscard]] Problem retry_after(unsigned seconds) &&;
  /// Adds the Location of the server that can serve the request.
  [[nodiscard]] Problem at(std::string location) &&;

  [[nodiscard]] Problem with(std::string header, std::string value) &&;

  [[nodiscard]] Response answer(const std::string& request_id) const;

 private:
  unsigned status_;
  std::string code_;
  std::vector<Mistake> mistakes_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// Translates an error of a store or a study.
[[nodiscard]] Problem problem_of(const StoreError& error);
[[nodiscard]] Problem problem_of(const StudyError& error);

/// Translates the exception that is being handled.
[[nodiscard]] Problem current_problem();

}  // namespace canopy::service
