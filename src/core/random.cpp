#include "canopy/random.hpp"

#include <Random123/philox.h>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

namespace canopy {
namespace {

/// FNV-1a with 64 bits, which is the same on every machine, unlike std::hash.
class NameHash {
 public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0);  // distinguishes ("ab", "c") from ("a", "bc")
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::uint64_t hash_names(const StreamName& name) {
  NameHash hash;
  hash.add(name.environment);
  hash.add(name.algorithm);
  hash.add(name.purpose);
  return hash.value();
}

}  // namespace

RandomStream::RandomStream(const StreamName& name)
    : key_{name.seed, hash_names(name)}, run_(name.run), next_(kBufferSize) {}

void RandomStream::refill() {
  const r123::Philox4x64 philox;
  const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
  for (std::size_t i = 0; i < buffer_.size(); i += 4, ++block_) {
    const r123::Philox4x64::ctr_type counter{{block_, 0, run_, 0}};
    const auto numbers = philox(counter, key);
    for (std::size_t j = 0; j < 4; ++j) buffer_[i + j] = numbers[j];
  }
  next_ = 0;
}

void RandomStream::transfer(State& state) {
  state(block_, next_);
  if (!state.restoring()) return;
  constexpr std::uint64_t kBlocks = kBufferSize / 4;
  State::require(next_ <= kBufferSize && (block_ >= kBlocks || next_ == kBufferSize));
  if (block_ < kBlocks) return;
  const std::size_t next = next_;
  block_ -= kBlocks;
  refill();
  next_ = next;
}

double RandomStream::normal() {
  return boost::random::normal_distribution<double>{}(*this);
}

double RandomStream::exponential() {
  return boost::random::exponential_distribution<double>{}(*this);
}

}  // namespace canopy
