package dev.spream.emulator.internal.server;

import com.google.spanner.v1.TransactionOptions.ReadOnly;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The timestamp bound of a read-only transaction. A bounded staleness is answered with the latest commit. */
record ReadBound(ReadOnly options) {
    private static final Duration MAX_WAIT = Duration.ofHours(1);

    /** Throws INVALID_ARGUMENT if the bound is one for a single read. */
    void refuseSingleUse() {
        if (options.hasMinReadTimestamp() || options.hasMaxStaleness()) {
            throw Errors.invalidArgument(
                    "Timestamp bound: %s for read can be only be used for a single use transaction.",
                    options.hasMinReadTimestamp() ? "min_read_timestamp" : "max_staleness");
        }
    }

    /**
     * Returns the time at which to read, which may be in the future; empty for the latest commit.
     *
     * @throws io.grpc.StatusRuntimeException DEADLINE_EXCEEDED if the time is further than an hour away
     */
    Optional<Instant> time(Instant now) {
        Optional<Instant> time =
                switch (options.getTimestampBoundCase()) {
                    case READ_TIMESTAMP -> Optional.of(WireTimestamps.instant(options.getReadTimestamp()));
                    case EXACT_STALENESS -> Optional.of(now.minus(staleness(options.getExactStaleness())));
                    case MIN_READ_TIMESTAMP ->
                        Optional.of(WireTimestamps.instant(options.getMinReadTimestamp()))
                                .filter(now::isBefore);
                    case MAX_STALENESS -> {
                        staleness(options.getMaxStaleness());
                        yield Optional.empty();
                    }
                    case STRONG, TIMESTAMPBOUND_NOT_SET -> Optional.empty();
                };
        time.filter(now.plus(MAX_WAIT)::isBefore).ifPresent(later -> {
            throw Errors.deadlineExceeded(
                    "Read-only transaction timestamp %s is more than 1 hour in future. This request will execute for longer"
                            + " than the configured Cloud Spanner server deadline of 1 hour and will return with the"
                            + " DEADLINE_EXCEEDED error.",
                    later);
        });
        return time;
    }

    private static Duration staleness(com.google.protobuf.Duration staleness) {
        Duration duration = WireTimestamps.duration(staleness);
        if (duration.isNegative()) {
            throw Errors.invalidArgument("Staleness must be non-negative.");
        }
        return duration;
    }
}
