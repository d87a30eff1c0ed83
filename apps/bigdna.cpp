/// bigdna: parses every command, runs the data commands, and hands the model commands to bigdna-model.
#include "apps/main.h"

int main(int argc, char** argv) {
  using namespace bigdna::apps;
  return main_with(argc, argv, [&](CommandLine& program) {
    define_commands(program, [argv](auto& options, const OptionList& list) {
      if constexpr (std::decay_t<decltype(options)>::program == Program::data) {
        run_here(options, list);
      } else {
        list.check_files();
        exec_model_program(argv);
      }
    });
  });
}
