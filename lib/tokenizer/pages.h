/// Large arrays of memory mapped from the kernel: they grow without copying, are given back page by page, and use huge
/// pages where available.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace bigdna::tokenizer {

/// An array of elements of a trivial type, initially zero. Pages that are never touched take no memory.
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

  /// Raises the capacity to at least `capacity`. Elements keep their values, not their addresses. Throws
  /// std::bad_alloc.
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
  /// Gives the whole pages among elements [from, to) back to the kernel; the elements' values are lost.
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
