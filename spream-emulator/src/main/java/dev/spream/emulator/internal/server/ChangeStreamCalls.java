package dev.spream.emulator.internal.server;

import com.google.protobuf.Timestamp;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.Transaction;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionSelector;
import com.google.spanner.v1.TransactionSelector.SelectorCase;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.sql.ChangeStreamQuery;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.stub.StreamObserver;

/** Change stream queries: what Spanner asks of their transaction, and the timestamp that it claims to have read at. */
final class ChangeStreamCalls {
    static final String MUST_BE_SINGLE_USE = "Change stream queries must be strong reads executed via single use"
            + " transactions using the ExecuteStreamingSql API";

    /** Spanner's answer to {@code return_read_timestamp}: 2^63 - 2 nanoseconds. */
    private static final Timestamp READ_TIMESTAMP = Timestamp.newBuilder()
            .setSeconds((Long.MAX_VALUE - 1) / 1_000_000_000)
            .setNanos((int) ((Long.MAX_VALUE - 1) % 1_000_000_000))
            .build();

    private ChangeStreamCalls() {}

    /** Runs the query until it ends or the client is gone, on a thread that has nothing to do afterwards. */
    static void run(
            EmulatedDatabase database,
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
        boolean withTimestamp = options.getReadOnly().getReturnReadTimestamp();
        database.streams().run(query, withTimestamp ? new Timestamped(out) : out, out::isCancelled);
    }

    /** Adds the read timestamp to the first message. */
    private static final class Timestamped implements StreamObserver<PartialResultSet> {
        private final StreamObserver<PartialResultSet> out;

        Timestamped(StreamObserver<PartialResultSet> out) {
            this.out = out;
        }

        @Override
        public void onNext(PartialResultSet message) {
            if (!message.hasMetadata()) {
                out.onNext(message);
                return;
            }
            PartialResultSet.Builder stamped = message.toBuilder();
            stamped.getMetadataBuilder().setTransaction(Transaction.newBuilder().setReadTimestamp(READ_TIMESTAMP));
            out.onNext(stamped.build());
        }

        @Override
        public void onError(Throwable failure) {
            out.onError(failure);
        }

        @Override
        public void onCompleted() {
            out.onCompleted();
        }
    }
}
