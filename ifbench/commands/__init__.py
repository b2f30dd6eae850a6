"""One module a command. Each has `run(options) -> exit code`."""
