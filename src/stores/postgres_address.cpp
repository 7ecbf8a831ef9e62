#include "stores/postgres_address.hpp"

#include "canopy/store.hpp"

#include "files/percent_encoding.hpp"
#include "stores/libpq.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

struct Setting {
  const char* name;
  const char* value;
};

// Defaults of connection parameters.
constexpr std::array kSettings{
    Setting{"connect_timeout", "5"},
    // The connection to a silent peer is closed after six seconds, whether a response is due or
    // data is not acknowledged.
    Setting{"keepalives", "1"},
    Setting{"keepalives_idle", "3"},
    Setting{"keepalives_interval", "1"},
    Setting{"keepalives_count", "3"},
    Setting{"tcp_user_timeout", "6000"},
    Setting{"fallback_application_name", "canopy"},
};

/// The position of the password in a URL: from the first colon to the last @. This may include more
/// than the password, but never less.
struct Password {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Password password_in(std::string_view address) {
  const std::size_t host = address.find("://") + 3;
  const std::size_t colon = address.find(':', host);
  const std::size_t at = address.rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at < colon) return {};
  return {colon + 1, at};
}

std::string masked(std::string address) {
  if (const Password found = password_in(address); found.end > 0) {
    address.replace(found.begin, found.end - found.begin, "***");
  }
  const std::size_t query = address.find('?');
  for (std::size_t at = query; at < address.size(); at = address.find('&', at + 1)) {
    const std::size_t equals = address.find('=', at);
    const std::size_t end = std::min(address.find('&', at + 1), address.size());
    if (equals >= end || address.substr(at, equals - at).find("password") == std::string::npos) {
      continue;
    }
    address.replace(equals + 1, end - equals - 1, "***");
  }
  return address;
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { libpq().conninfoFree(options); }
};

}  // namespace

PostgresAddress::PostgresAddress(const std::string& address) : name_(masked(address)) {
  // The error message of libpq is not used, because it may contain a part of the password.
  const auto refuse = [&] {
    throw StoreError(Fault::unreachable,
                     name_ +
                         ": is not a PostgreSQL address: expected "
                         "postgresql://user@host/database, with special characters in a password "
                         "percent-encoded (%40 for @)");
  };
  const Password password = password_in(address);
  const std::string_view secret =
      std::string_view(address).substr(password.begin, password.end - password.begin);
  const bool ambiguous = secret.find_first_of("@/") != std::string_view::npos;
  if (ambiguous && address.find('?') > password.end) refuse();
  if (address.find('\0') != std::string::npos) refuse();
  const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(
      libpq().conninfoParse(address.c_str(), nullptr));
  if (!parsed) refuse();
  const auto set = [&](std::string_view name, std::string_view value) {
    given_ += fmt::format("{}{}={}", given_.empty() ? "" : "&", name, percent_encoded(value));
  };
  for (const PQconninfoOption* each = parsed.get(); each->keyword != nullptr; ++each) {
    const std::string_view name = each->keyword;
    const auto* preset = std::find_if(kSettings.begin(), kSettings.end(),
                                      [&](const Setting& setting) { return name == setting.name; });
    if (name == "options") {
      options_ = each->val != nullptr ? each->val : "";
    } else if (name == "client_encoding") {
      set(name, "UTF8");
    } else if (each->val != nullptr) {
      set(name, each->val);
    } else if (preset != kSettings.end()) {
      set(name, preset->value);
    }
  }
}

std::string PostgresAddress::connection(std::chrono::milliseconds longest_statement) const {
  // The timeouts prevent a client that is stopped within a transaction from blocking others for
  // long.
  const std::string options = fmt::format(
      "-c statement_timeout={} -c lock_timeout=5000 -c idle_in_transaction_session_timeout=5000 -c "
      "default_transaction_isolation=read\\ committed -c standard_conforming_strings=on {}",
      longest_statement.count(), options_);
  return "postgresql:///?" + given_ + "&options=" + percent_encoded(options);
}

}  // namespace canopy
