package dev.spream.emulator.internal.server;

import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.Transaction;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionSelector;
import com.google.spanner.v1.TransactionSelector.SelectorCase;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import java.time.Instant;
import java.util.Optional;

/** Change stream queries: Spanner's requirements of their transaction, and the read timestamp that it reports. */
final class ChangeStreamCalls {
    static final String MUST_BE_SINGLE_USE = "Change stream queries must be strong reads executed via single use"
            + " transactions using the ExecuteStreamingSql API";

    /** Spanner's value of {@code return_read_timestamp}: 2^63 - 2 nanoseconds. */
    private static final Transaction READ_TIMESTAMP = Transaction.newBuilder()
            .setReadTimestamp(WireTimestamps.timestamp(Instant.EPOCH.plusNanos(Long.MAX_VALUE - 1)))
            .build();

    private ChangeStreamCalls() {}

    /**
     * Runs the query on the calling thread until it ends or the client disconnects, which interrupts the thread up to
     * {@link PacedObserver#interruptNone}.
     */
    static void run(
            ChangeStreams streams,
            ChangeStreamQuery query,
            TransactionSelector selector,
            PacedObserver<PartialResultSet> out) {
        TransactionOptions options = selector.getSingleUse();
        boolean strong = !options.hasReadOnly()
                || options.getReadOnly().hasStrong()
                || options.getReadOnly().getTimestampBoundCase()
                        == TransactionOptions.ReadOnly.TimestampBoundCase.TIMESTAMPBOUND_NOT_SET;
        boolean singleUse = selector.getSelectorCase() == SelectorCase.SINGLE_USE
                && options.getModeCase() != TransactionOptions.ModeCase.READ_WRITE;
        if (!strong || !(singleUse || selector.getSelectorCase() == SelectorCase.SELECTOR_NOT_SET)) {
            throw Errors.invalidArgument(MUST_BE_SINGLE_USE);
        }
        out.interruptOnCancel(Thread.currentThread());
        Optional<Transaction> read =
                options.getReadOnly().getReturnReadTimestamp() ? Optional.of(READ_TIMESTAMP) : Optional.empty();
        streams.run(query, read, out, out::isCancelled);
    }
}
