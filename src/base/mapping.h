// Mappings: the files that are mapped into this process, and what is done when one of them can no
// longer be read.
//
// Looking at a mapped byte that the file does not have any more, because someone made it shorter,
// or that the disk does not give, raises SIGBUS in the thread that looks. Nothing can be thrown
// from there. The library leaves the signal alone; a program asks for a message with the file's
// name.
#pragma once

#include <cstddef>

namespace voxport {

// One file's mapping, listed from when this is made until it is gone; `name`, which is what
// messages call the file, and the mapping have to outlive it. Where very many files are mapped at
// once, some are not listed, and messages do not name them.
class ListedMapping {
 public:
  ListedMapping(const void* start, std::size_t size, int fd, const char* name);
  ~ListedMapping();
  ListedMapping(const ListedMapping&) = delete;
  ListedMapping& operator=(const ListedMapping&) = delete;

 private:
  const void* start_;
};

// Fails with kUnreadable when the file whose mapping starts there has become shorter: what shares a
// page with its new end reads as zeros, and raises no signal. To be asked before bytes are trusted
// that were read from a file of others.
void check_is_whole(const void* start);

// For a program, at its start: SIGBUS then ends the process with `exit_code`, after one message on
// standard error, and without leaving unfinished files behind. One that another process sent does
// what it does by default.
void end_on_bus_error(int exit_code);

}  // namespace voxport
