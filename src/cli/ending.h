// How the program begins and ends as a process: its three standard descriptors, and signals.
#pragma once

#include <exception>

namespace voxport {

// At the start: opens those of the descriptors 0, 1 and 2 that the caller closed, on something that
// can neither be read nor written, so that no file of ours gets such a number.
void hold_standard_descriptors();

// At the start: a signal that ends the program leaves nothing half-written behind; one that tells
// of a pipe without a reader only makes the write fail.
void handle_ending_signals();

// Sets a handler, unless whoever started us had the signal ignored.
void handle_unless_ignored(int signal, void (*handler)(int));

// Thrown where the program has nothing left to do but to end by a signal, in silence: SIGPIPE when
// nobody reads what it writes to standard output, or what ended a process of ours.
class EndedBySignal : public std::exception {
 public:
  explicit EndedBySignal(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "ended by a signal"; }

 private:
  int signal_;
};

// Ends the process by the signal. Where it does not end by it, gives the exit code that stands for
// that.
int end_by_signal(int signal);

// Fails with what `error`, an errno, says of a write to standard output. EPIPE is an EndedBySignal.
[[noreturn]] void fail_to_print(int error);

}  // namespace voxport
