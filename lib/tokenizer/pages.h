/// Large arrays straight from the kernel: grown without copying, given back page by page, huge pages where
/// there are.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace bigdna::tokenizer {

/// An array of `capacity` elements of a trivial type, zero at first. Pages that are never touched take no
/// memory.
template <class T>
class Pages {
 public:
  Pages() = default;
  explicit Pages(size_t capacity) { grow(capacity); }
  ~Pages() {
    if (data_) munmap(data_, bytes(capacity_));
  }
  Pages(Pages&& other) noexcept { swap(other); }
  Pages& operator=(Pages&& other) noexcept {
    Pages moved(std::move(other));
    swap(moved);
    return *this;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t capacity() const { return capacity_; }

  /// Capacity to at least `capacity`; elements keep their values, not their addresses. std::bad_alloc.
  void grow(size_t capacity) {
    if (capacity <= capacity_) return;
    void* memory = data_ ? mremap(data_, bytes(capacity_), bytes(capacity), MREMAP_MAYMOVE)
                         : mmap(nullptr, bytes(capacity), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(memory);
    capacity_ = capacity;
    madvise(data_, bytes(capacity_), MADV_HUGEPAGE);
  }
  /// Gives the memory of elements [from, to) back to the kernel, whole pages of it; what they held is lost.
  void release(size_t from, size_t to) {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t base = reinterpret_cast<uintptr_t>(data_);
    const uintptr_t begin = (base + from * sizeof(T) + kPage - 1) / kPage * kPage;
    const uintptr_t end = (base + to * sizeof(T)) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

 private:
  static size_t bytes(size_t elements) {
    constexpr size_t kHuge = size_t{2} << 20;
    return (elements * sizeof(T) + kHuge - 1) / kHuge * kHuge;
  }
  void swap(Pages& other) {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }
  T* data_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace bigdna::tokenizer
