"""Round-robin tournaments: configuration, schedule, runner, results folder, report."""
