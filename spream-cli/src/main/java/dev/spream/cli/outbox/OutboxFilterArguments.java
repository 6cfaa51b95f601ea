package dev.spream.cli.outbox;

import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that filter entries of an outbox. */
final class OutboxFilterArguments {
    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "Only entries of these statuses, separated by commas: pending, sending, failed,"
                    + " succeeded, aborted.")
    private Set<OutboxStatus> statuses = EnumSet.noneOf(OutboxStatus.class);

    @Option(names = "--parked", description = "Only parked entries, which wait for an operator's decision.")
    private boolean parked;

    @Option(names = "--destination", paramLabel = "NAME", description = "Only entries of this destination.")
    private String destination = "";

    @Option(names = "--ordering-key", paramLabel = "KEY", description = "Only entries of this ordering key.")
    private @Nullable String orderingKey;

    @Option(
            names = "--reason",
            paramLabel = "CODE",
            description = "Only entries whose last error has this code, such as TIMEOUT.")
    private @Nullable ReasonCode reason;

    boolean isGiven() {
        return !statuses.isEmpty() || parked || !destination.isEmpty() || orderingKey != null || reason != null;
    }

    /** @param after excludes entries up to this id */
    OutboxFilter filter(long after, int limit) {
        return new OutboxFilter(
                statuses,
                parked,
                destination,
                Optional.ofNullable(orderingKey),
                Optional.ofNullable(reason),
                after,
                limit);
    }
}
