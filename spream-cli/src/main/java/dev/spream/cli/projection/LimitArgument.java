package dev.spream.cli.projection;

import dev.spream.cli.command.UsageFailure;
import picocli.CommandLine.Option;

/** The option that limits a list. */
final class LimitArgument {
    private static final int MAX = 1_000;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many at most, 1 to " + MAX + ". Default: ${DEFAULT-VALUE}.")
    private int limit;

    int value() {
        if (limit < 1 || limit > MAX) {
            throw new UsageFailure("--limit is %d, must be 1 to %d".formatted(limit, MAX));
        }
        return limit;
    }
}
