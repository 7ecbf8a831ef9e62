#include "terminal/output.hpp"

#include "terminal/failure.hpp"
#include "terminal/say.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace canopy::terminal {

bool output_is_lost() {
  return std::ferror(stdout) != 0;
}

int finish_output(const std::string& who, int status) {
  errno = 0;
  const bool sent = std::fflush(stdout) == 0;
  if (sent && !output_is_lost()) return status;
  if (errno == 0) {  // the error occurred earlier; writing again finds out why
    (void)std::fputc('\n', stdout);
    (void)std::fflush(stdout);
  }
  if (errno == EPIPE) return status;
  say("{}: the output could not be written: {}\n", who, std::generic_category().message(errno));
  return status == kSuccess ? kFailure : status;
}

}  // namespace canopy::terminal
