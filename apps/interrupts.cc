#include "apps/interrupts.h"

namespace pccsql {
namespace {

std::atomic<bool> interrupted = false;

void note_interrupt(int) { interrupted = true; }

}  // namespace

CatchInterrupts::CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  interrupted = false;
  sigaction(SIGINT, &action, &before_);
}

CatchInterrupts::~CatchInterrupts() { sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>& CatchInterrupts::flag() const { return interrupted; }

}  // namespace pccsql
