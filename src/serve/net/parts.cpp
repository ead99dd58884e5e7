#include "serve/net/parts.h"

#include <algorithm>
#include <iterator>

namespace voxport {

void Connections::add(Connection* connection, Metrics& metrics) {
  open_.insert(connection);
  metrics.add_connections(1);
}

void Connections::remove(Connection* connection, Metrics& metrics) {
  if (open_.erase(connection) == 0) return;
  metrics.add_connections(-1);
  if (is_stopping_ && open_.empty() && on_empty) on_empty();
}

void Connections::stop_when_idle() {
  is_stopping_ = true;
  const std::vector<Connection*> all(open_.begin(), open_.end());
  for (Connection* const connection : all)
    if (open_.contains(connection)) connection->stop_when_idle();
  if (open_.empty() && on_empty) on_empty();
}

void Connections::stop_now() {
  const std::vector<Connection*> all(open_.begin(), open_.end());
  for (Connection* const connection : all)
    if (open_.contains(connection)) connection->stop_now();
}

void WriteQueue::add(std::string bytes, std::function<void()> written) {
  if (!written) bytes_of_answers_ += bytes.size();
  waiting_.push_back({std::move(bytes), std::move(written)});
}

const std::vector<net::const_buffer>& WriteQueue::begin() {
  constexpr std::size_t kMostBytes = 65536;
  std::size_t bytes = 0;
  auto end = waiting_.begin();
  while (end != waiting_.end() && (end == waiting_.begin() || bytes < kMostBytes))
    bytes += (end++)->bytes.size();
  writing_.assign(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  buffers_.clear();
  for (const Entry& entry : writing_) buffers_.emplace_back(net::buffer(entry.bytes));
  return buffers_;
}

void WriteQueue::written() {
  const std::vector<Entry> done = std::exchange(writing_, {});
  for (const Entry& entry : done)
    entry.written ? entry.written() : void(bytes_of_answers_ -= entry.bytes.size());
}

void WriteQueue::clear() { waiting_.clear(); }

}  // namespace voxport
