# gdbstub/: GDB's remote protocol, in the agent. One file a line.
gdbstub_sources =
