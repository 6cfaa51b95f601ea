package dev.spream.emulator.internal.server;

import com.google.protobuf.ByteString;
import com.google.spanner.v1.MultiplexedSessionPrecommitToken;
import com.google.spanner.v1.RequestOptions;
import com.google.spanner.v1.Transaction;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionSelector;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.OpenTransactions;
import dev.spream.emulator.internal.database.ReadContext;
import dev.spream.emulator.internal.database.ReadWriteTransaction;
import dev.spream.emulator.internal.database.Snapshot;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/**
 * The transaction that one request runs in: an open one, one that the request begins, or none. Confined to the request.
 *
 * @param context the view in which reads run
 * @param begun the response's description of a transaction that this request began, or of the read timestamp
 * @param life how long it lasts
 */
record RequestTransaction(ReadContext context, Optional<Transaction> begun, Life life) {

    /** The life of a transaction, as seen by a request. */
    private enum Life {
        /** It is open before and after the request. */
        OPEN,
        /** The request begins it, and ends it by a failure. */
        BEGUN,
        /** It lasts as long as the request. */
        SINGLE_USE
    }

    private static RequestTransaction of(
            Sessions sessions, String session, TransactionSelector selector, RequestOptions options) {
        EmulatedDatabase database = sessions.databaseOf(session);
        return switch (selector.getSelectorCase()) {
            case ID -> opened(database.transactions().context(selector.getId()));
            case BEGIN -> begin(sessions, session, selector.getBegin(), options);
            case SINGLE_USE -> singleUse(database, selector.getSingleUse());
            case SELECTOR_NOT_SET -> opened(new ReadContext.Latest());
        };
    }

    private static RequestTransaction opened(ReadContext context) {
        return new RequestTransaction(context, Optional.empty(), Life.OPEN);
    }

    static RequestTransaction begin(
            Sessions sessions, String session, TransactionOptions options, RequestOptions request) {
        EmulatedDatabase database = sessions.databaseOf(session);
        OpenTransactions transactions = database.transactions();
        boolean excluded = options.getExcludeTxnFromChangeStreams();
        return switch (options.getModeCase()) {
            case READ_ONLY -> {
                ReadBound bound = new ReadBound(options.getReadOnly());
                bound.refuseSingleUse();
                Snapshot snapshot = transactions.beginReadOnly(bound.time(database.now()));
                Transaction.Builder begun = Transaction.newBuilder().setId(snapshot.id());
                if (options.getReadOnly().getReturnReadTimestamp()) {
                    begun.setReadTimestamp(WireTimestamps.timestamp(snapshot.readTimestamp()));
                }
                yield new RequestTransaction(new ReadContext.Within(snapshot), Optional.of(begun.build()), Life.BEGUN);
            }
            case PARTITIONED_DML -> writing(transactions.beginPartitioned(request.getTransactionTag(), excluded));
            case READ_WRITE ->
                writing(
                        sessions.isMultiplexed(session)
                                ? transactions.begin(
                                        request.getTransactionTag(),
                                        excluded,
                                        options.getReadWrite().getMultiplexedSessionPreviousTransactionId())
                                : transactions.beginIn(session, request.getTransactionTag(), excluded));
            case MODE_NOT_SET -> throw Errors.invalidArgument("Invalid TransactionOptions: no mode is set");
        };
    }

    private static RequestTransaction writing(ReadWriteTransaction transaction) {
        Transaction begun = Transaction.newBuilder().setId(transaction.id()).build();
        return new RequestTransaction(new ReadContext.Inside(transaction), Optional.of(begun), Life.BEGUN);
    }

    private static RequestTransaction singleUse(EmulatedDatabase database, TransactionOptions options) {
        if (options.hasReadWrite()) {
            throw Errors.invalidArgument(
                    "Invalid single-use transaction: a read or query cannot be a read-write transaction of its own");
        }
        TransactionOptions.ReadOnly bound = options.getReadOnly();
        Optional<Instant> time = new ReadBound(bound).time(database.now());
        if (time.isEmpty() && !bound.getReturnReadTimestamp()) {
            return opened(new ReadContext.Latest());
        }
        Snapshot snapshot = database.transactions().beginReadOnly(time);
        Transaction read = Transaction.newBuilder()
                .setReadTimestamp(WireTimestamps.timestamp(snapshot.readTimestamp()))
                .build();
        Optional<Transaction> shown = Optional.of(read).filter(timed -> bound.getReturnReadTimestamp());
        return new RequestTransaction(new ReadContext.Within(snapshot), shown, Life.SINGLE_USE);
    }

    /** Runs a request in its transaction; a failure ends one that it began. */
    static <T> T run(
            Sessions sessions,
            String session,
            TransactionSelector selector,
            RequestOptions options,
            Function<RequestTransaction, T> request) {
        RequestTransaction scope = of(sessions, session, selector, options);
        try {
            return request.apply(scope);
        } catch (RuntimeException e) {
            if (scope.beganHere()) {
                scope.writer().ifPresent(ReadWriteTransaction::rollback);
            }
            throw e;
        } finally {
            if (scope.life == Life.SINGLE_USE && scope.context instanceof ReadContext.Within within) {
                sessions.databaseOf(session).transactions().end(within.snapshot());
            }
        }
    }

    /** Returns whether the request begins it. */
    boolean beganHere() {
        return life == Life.BEGUN;
    }

    Optional<ReadWriteTransaction> writer() {
        return context instanceof ReadContext.Inside inside ? Optional.of(inside.transaction()) : Optional.empty();
    }

    /** Returns the token that the client of a multiplexed session returns at commit. */
    Optional<MultiplexedSessionPrecommitToken> precommitToken(boolean multiplexed) {
        return multiplexed ? writer().map(RequestTransaction::precommitToken) : Optional.empty();
    }

    private static MultiplexedSessionPrecommitToken precommitToken(ReadWriteTransaction transaction) {
        return MultiplexedSessionPrecommitToken.newBuilder()
                .setPrecommitToken(ByteString.copyFromUtf8("precommit-").concat(transaction.id()))
                .setSeqNum(transaction.nextPrecommitSequence())
                .build();
    }
}
