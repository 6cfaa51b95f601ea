package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.requireBetween;

import picocli.CommandLine.Option;

/** The option that limits a list. */
final class LimitArgument {
    private static final int MAX = 1_000;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "Maximum number, 1 to " + MAX + ". Default: ${DEFAULT-VALUE}.")
    private int limit;

    int value() {
        requireBetween("--limit", limit, 1, MAX);
        return limit;
    }
}
