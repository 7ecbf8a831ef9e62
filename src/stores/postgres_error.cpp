#include "stores/postgres_error.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

std::string_view advice_for_database(Fault fault) {
  switch (fault) {
    case Fault::full:
      return "the disk of the database may be full; everything acknowledged before is kept";
    case Fault::read_only:
      return "it cannot be written; check the privileges of the user, and that it is not a replica";
    case Fault::damaged:
      return "it is damaged, or not a canopy store; restore a backup";
    case Fault::busy:
      return "another client has kept it locked; try again";
    case Fault::unreachable:
      return "the database cannot be reached; check the address, the network and the server";
    default:
      return "nothing was changed";
  }
}

}  // namespace

Fault fault_of_state(std::string_view state) {
  struct Meaning {
    std::string_view state;
    Fault fault;
  };
  constexpr std::array kMeanings{
      Meaning{"08", Fault::unreachable},     // connection exceptions
      Meaning{"57P", Fault::unreachable},    // the server is stopped, or starts
      Meaning{"25P03", Fault::unreachable},  // idle in a transaction for too long
      Meaning{"53", Fault::full},            // insufficient resources
      Meaning{"58030", Fault::full},         // input or output
      Meaning{"25006", Fault::read_only},    // read-only transaction
      Meaning{"42501", Fault::read_only},    // insufficient privilege
      Meaning{"42", Fault::damaged},         // a table or column is missing or has another type
      Meaning{"22", Fault::damaged},         // invalid data, since canopy's statements are correct
      Meaning{"0A000", Fault::damaged},  // a result type changed after the statement was prepared
      Meaning{"XX", Fault::damaged},     // data corrupted
      Meaning{"55P03", Fault::busy},     // lock not available
      Meaning{"40", Fault::busy},        // deadlock, serialization
      Meaning{"57014", Fault::busy},     // a statement took too long
  };
  const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& each) {
    return state.starts_with(each.state);
  });
  return found != kMeanings.end() ? found->fault : Fault::other;
}

StoreError postgres_error(Fault fault, const std::string& store, std::string_view what) {
  return {fault, fmt::format("{}: {}: {}", store, what, advice_for_database(fault))};
}

}  // namespace canopy
