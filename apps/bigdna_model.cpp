/// bigdna-model: runs the model commands, and reports to `bigdna doctor`. bigdna starts it after it has checked the
/// arguments.
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "apps/main.h"
#include "io/packed_folder.h"
#include "model/runtime.h"
#include "train/launch.h"

namespace {
/// Ends the process without the destructors of LibTorch's tables of operators, which take a quarter of the time of a
/// short command. Sanitizers report leaks in them.
int end_with(int code) {
#ifndef __SANITIZE_ADDRESS__
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
}  // namespace

int main(int argc, char** argv) {
  using namespace bigdna::apps;
  bigdna::model::start_runtime();
  return end_with(main_with(argc, argv, [](CommandLine& program) {
    define_commands(program, [](auto& options, const OptionList& list) {
      if constexpr (std::decay_t<decltype(options)>::program == Program::model) {
        if constexpr (requires { options.folder.output; })
          if (bigdna::io::folder_of_output(options.folder.output) != options.folder.output &&
              bigdna::train::launch_from_environment().size > 1)
            throw bigdna::UsageError("-o NAME.tar is for one process: several need the name of a folder");
        run_here(options, list);
      } else if constexpr (requires { report_to_doctor(options); }) {
        limit_threads(options.common);
        report_to_doctor(options);
      } else {
        throw bigdna::UsageError("this command is run by bigdna itself");
      }
    });
  }));
}
