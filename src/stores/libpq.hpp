#pragma once

#include <libpq-fe.h>

// The functions of libpq that stores use, without the PQ that their names begin with.
// clang-format off
#define CANOPY_LIBPQ(function) \
  function(clear) \
  function(conninfoFree) \
  function(conninfoParse) \
  function(connectdb) \
  function(consumeInput) \
  function(errorMessage) \
  function(finish) \
  function(flush) \
  function(getResult) \
  function(getlength) \
  function(getvalue) \
  function(isBusy) \
  function(ntuples) \
  function(resultErrorField) \
  function(resultStatus) \
  function(sendPrepare) \
  function(sendQuery) \
  function(sendQueryPrepared) \
  function(setNoticeReceiver) \
  function(setnonblocking) \
  function(socket) \
  function(status)
// clang-format on

namespace canopy {

struct Libpq {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it declares a name
#define CANOPY_DECLARE(name) decltype(&PQ##name) name = nullptr;
  CANOPY_LIBPQ(CANOPY_DECLARE)
#undef CANOPY_DECLARE
};

/// The client library of PostgreSQL. It is loaded by the first call instead of being linked, so
/// that canopy runs where it is not installed. Throws StoreError if it cannot be loaded.
[[nodiscard]] const Libpq& libpq();

}  // namespace canopy
