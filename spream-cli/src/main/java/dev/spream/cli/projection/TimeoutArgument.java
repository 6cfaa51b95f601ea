package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.command.UsageFailure;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The time limit for waiting on versions of a projection while one of them is held up. */
final class TimeoutArgument {
    private static final Duration LONGEST = Duration.ofHours(1);

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "Maximum time to wait for old readers, and then to hold up the live version, up to 1h."
                    + " Default: ${DEFAULT-VALUE}.")
    private String timeout = "";

    /** @throws UsageFailure if it is invalid or too long */
    Duration limit() {
        Duration limit = DurationArgument.parse(timeout);
        require(
                limit.compareTo(LONGEST) <= 0,
                "--timeout is %s, must be at most %s".formatted(timeout, DurationArgument.format(LONGEST)));
        return limit;
    }
}
