// Calls: what a function makes of its arguments, and what FILTER and OVER make of them afterwards; windows; CASE and CAST.
#pragma once

#include <optional>

#include "track/arguments.h"

namespace pccsql::track {

class Calls : public Arguments {
 public:
  using Arguments::Arguments;

  // Whether a call of it, or of one like it, may begin here.
  bool function_fits_here(const Callable& function) { return function_fits(function) && !compound_term(); }
  bool function_fits_here(NameId name) {
    const Callable* const function = world_.function(name);
    return function != nullptr && function_fits_here(*function);
  }

 protected:
  bool open_call();
  bool read_call(const Word& word);
  bool close_call();
  Place argument_place() const;
  bool open_filter();
  bool open_over();
  bool open_window();
  bool open_partition();
  bool close_frame();  // of FILTER, or of a window
  bool read_frame(const Word& word);
  bool read_frame_start(const Word& word);
  bool read_frame_end(const Word& word);
  bool open_case();
  bool read_case(Terminal word);
  bool open_cast();
  bool read_cast(const Word& word);
  bool read_type(const Word& word);
  bool close_construct();  // CASE or CAST
  // What stands around a window function is none: MIN and MAX there, which would be aggregates if they stayed with one
  // argument, are scalars. The first `skipped` frames are not around it.
  void make_scalars(int skipped);

  std::optional<bool> aggregate_fits_;  // known since the last event
  bool aggregate_asked_ = false;        // the schema at large, for that

 private:
  bool function_fits(const Callable& function);
  bool aggregate_fits();
  bool can_be_window(const Frame& call) const;
  Index window_around();
  bool make_window();
};

}  // namespace pccsql::track
