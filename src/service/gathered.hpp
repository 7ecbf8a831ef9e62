#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace canopy::service {

/// A queue that any thread can fill and another thread empties in batches. Adding to an empty queue
/// wakes that thread. Thread-safe.
template <class Item>
class Gathered {
 public:
  using Handle = std::function<void(std::vector<Item>)>;
  /// Posts a function to the consuming thread.
  using Wake = std::function<void(std::function<void()>)>;

  Gathered(Wake wake, Handle handle) : wake_(std::move(wake)), handle_(std::move(handle)) {}

  void add(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      if (items_.size() > 1) return;
    }
    wake_([this] {
      std::vector<Item> items;
      {
        const std::lock_guard lock(mutex_);
        items.swap(items_);
      }
      handle_(std::move(items));
    });
  }

 private:
  Wake wake_;
  Handle handle_;
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace canopy::service
