#include "cli/program/program.h"

int main(int argc, char** argv) { return trestle::run_program(argc, argv); }
