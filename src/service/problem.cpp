#include "service/problem.hpp"

#include "canopy/errors.hpp"
#include "canopy/study_session.hpp"

#include "files/json.hpp"

#include <utility>

#include <boost/beast/http/status.hpp>

namespace canopy::service {
namespace {

constexpr unsigned kBadRequest = 400;
constexpr unsigned kUnprocessable = 422;
constexpr unsigned kFailure = 500;
constexpr unsigned kUnavailable = 503;

std::string joined(const std::vector<Mistake>& mistakes) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    if (!text.empty()) text += "; ";
    text += mistake.text_with_field();
  }
  return text;
}

std::string title_of(unsigned status) {
  namespace http = boost::beast::http;
  if (status == kUnprocessable) return "Unprocessable Content";
  return std::string(http::obsolete_reason(http::int_to_status(status)));
}

}  // namespace

Problem::Problem(unsigned status, std::vector<Mistake> mistakes)
    : std::runtime_error(joined(mistakes)),
      status_(status),
      code_(mistakes.front().code),
      mistakes_(std::move(mistakes)) {}

Problem Problem::with(std::string header, std::string value) && {
  headers_.emplace_back(std::move(header), std::move(value));
  return std::move(*this);
}

Problem Problem::retry_after(unsigned seconds) && {
  return std::move(*this).with("Retry-After", std::to_string(seconds));
}

Problem Problem::at(std::string location) && {
  return std::move(*this).with("Location", std::move(location));
}

Response Problem::answer(const std::string& request_id) const {
  Document document = Document::Table{{"type", "about:blank"},
                                      {"title", title_of(status_)},
                                      {"status", status_},
                                      {"code", code_},
                                      {"detail", what()}};
  if (!mistakes_.empty()) {
    Document::List list;
    for (const Mistake& mistake : mistakes_) {
      list.emplace_back(Document::Table{
          {"field", mistake.field}, {"code", mistake.code}, {"message", mistake.text()}});
    }
    document.set("errors", std::move(list));
  }
  if (!request_id.empty()) document.set("request_id", request_id);
  return {status_, json_text(document), "application/problem+json", headers_};
}

Problem problem_of(const StoreError& error) {
  using Fault = StoreError::Fault;
  switch (error.fault()) {
    case Fault::full:
    case Fault::read_only:
      return Problem(kUnavailable, "not_stored", error.what()).retry_after(10);
    case Fault::in_doubt:
      return Problem(
                 kUnavailable, "in_doubt",
                 std::string(error.what()) +
                     ": it is not known whether the change was stored; repeat the request with the "
                     "same Idempotency-Key")
          .retry_after(2);
    case Fault::busy:
    case Fault::locked:
    case Fault::unreachable:
      return Problem(kUnavailable, "not_stored", error.what()).retry_after(2);
    case Fault::taken_over:
      return Problem(kUnavailable, "taken_over", error.what()).retry_after(1);
    default:
      return {kFailure, "store_failure", error.what()};
  }
}

Problem problem_of(const StudyError& error) {
  using Fault = StudyError::Fault;
  switch (error.fault()) {
    case Fault::missing:
      return {404, "unknown_study", error.what()};
    case Fault::bad_name:
      return {kBadRequest, "bad_name", error.what()};
    case Fault::taken:
      return {409, "taken", error.what()};
    case Fault::open_elsewhere:
      return {409, "open_elsewhere", error.what()};
    case Fault::differs:
      return {409, "differs", error.what()};
    case Fault::other_commands:
      return {409, "other_commands", error.what()};
    case Fault::other_revision:
      return {409, "other_revision", error.what()};
    case Fault::closed:
      return Problem(kUnavailable, "closed", error.what()).retry_after(1);
    default:
      return {kFailure, "damaged_study", error.what()};
  }
}

Problem current_problem() {
  try {
    throw;
  } catch (const Problem& problem) {
    return problem;
  } catch (const StoreError& error) {
    return problem_of(error);
  } catch (const StudyError& error) {
    return problem_of(error);
  } catch (const StudySession::ReusedKey&) {
    return {kUnprocessable, "reused_key",
            "this Idempotency-Key was already used for another request"};
  } catch (const SpecificationError& error) {
    return {kUnprocessable, "bad_specification", error.what()};
  } catch (const ConfigurationError& error) {
    return {kUnprocessable, "bad_specification", error.what()};
  } catch (const std::bad_alloc&) {
    return Problem(kUnavailable, "out_of_memory",
                   "the server does not have enough memory for this request")
        .retry_after(10);
  } catch (const std::exception& error) {
    return {kFailure, "failure", error.what()};
  }
}

}  // namespace canopy::service
