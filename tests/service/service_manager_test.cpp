#include "service/service_manager.hpp"

#include "support/temporary_folder.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

/// A socket at a path, which collects what it receives.
class Receiver {
 public:
  explicit Receiver(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Receiver() { (void)::close(socket_); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  [[nodiscard]] std::string next() const {
    std::array<char, 100> text{};
    const auto length = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
    return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "";
  }

 private:
  int socket_;
};

TEST(ServiceManager, IsToldWhatTheServerDoes) {
  const testing::TemporaryFolder folder;
  const Receiver receiver(folder.path("notify"));
  ::setenv("NOTIFY_SOCKET", folder.path("notify").c_str(), 1);
  notify_service_manager("READY=1");
  notify_service_manager("STOPPING=1");
  EXPECT_EQ(receiver.next(), "READY=1");
  EXPECT_EQ(receiver.next(), "STOPPING=1");
  ::unsetenv("NOTIFY_SOCKET");
  notify_service_manager("READY=1");
  EXPECT_EQ(receiver.next(), "");
}

TEST(ServiceManager, ThatCannotBeReachedIsLeftAlone) {
  for (const std::string& path : {std::string("/nowhere/notify"), std::string(300, 'x')}) {
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    notify_service_manager("READY=1");
  }
  ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace canopy::service
