#pragma once

#include <libpq-fe.h>

// The functions of libpq that stores use, without the prefix PQ of their names.
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

/// The client library of PostgreSQL. The first call loads the library; it is not linked, so that
/// canopy also runs on machines without it. Throws StoreError if it cannot be loaded.
[[nodiscard]] const Libpq& libpq();

}  // namespace canopy
