package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An append whose events are applied by inline projections. They run before the events are inserted, so that readers of
 * the event store, which wait from the insert to the commit, do not wait for them. The lock of the aggregate is held
 * meanwhile, so that its events are applied in order; a savepoint takes the effects back if they or the insert fail, or
 * an append without inline projections has taken the version.
 */
record InlineAppend(Statements transaction, InlineProjections projections) {
    /**
     * Takes the locks of inline projections, shared, and of the aggregate, in this order: a rebuild, which takes the
     * first exclusively, then waits for no append that waits for it.
     */
    private static final String LOCK = """
            WITH first AS MATERIALIZED (
                SELECT true FROM pg_advisory_xact_lock_shared(?::int, '@events'::regclass::oid::int)
            )
            SELECT pg_advisory_xact_lock(?::int, hashtext(?)) FROM first""";

    /** Returns the data as the table will have them. */
    private static final String DATA = """
            SELECT a.data::jsonb::text AS data FROM unnest(?::text[]) WITH ORDINALITY AS a (data, place) ORDER BY a.place""";

    /** The number of times that appends without inline projections may overtake one that expects no version. */
    private static final int ROUNDS = 20;

    private static final String NO_SAVEPOINT = "3B001";
    private static final String NO_TRANSACTION = "25P01";

    /** Returns the events as stored, including those that were appended before, which are not applied again. */
    List<RecordedEvent> append(AppendRequest request) throws SQLException {
        AppendStatement append = new AppendStatement(transaction);
        transaction.rows(
                LOCK,
                p -> p.number(EventTable.INLINE).number(EventTable.AGGREGATE).text(request.aggregateId()),
                row -> true);
        List<String> data = transaction.rows(
                DATA, p -> p.texts(request.events(), NewEvent::eventData), row -> row.getString("data"));
        for (int round = 0; round < ROUNDS; round++) {
            AppendStatement.Found found = append.find(request);
            Optional<List<RecordedEvent>> present = AppendStatement.explain(request, found);
            if (present.isPresent()) {
                return present.get();
            }
            List<RecordedEvent> appended = applyAndInsert(append, request, data, found.version());
            if (!appended.isEmpty()) {
                return appended;
            }
        }
        throw new StorageException(
                "appending %s failed: concurrent appends to the aggregate won every attempt; try again later"
                        .formatted(request),
                true,
                null);
    }

    /** Returns the inserted events; none, and without effects, if another append has taken the version or the ids. */
    private List<RecordedEvent> applyAndInsert(
            AppendStatement append, AppendRequest request, List<String> data, long version) throws SQLException {
        Savepoint before = transaction.connection().setSavepoint();
        List<RecordedEvent> appended;
        try {
            projections.apply(transaction.connection(), envelopes(request, data, version));
            appended =
                    append.insert(new AppendRequest(request.aggregateId(), OptionalLong.of(version), request.events()));
        } catch (Throwable e) {
            rollBack(before, e);
            throw e;
        }
        if (appended.isEmpty()) {
            transaction.connection().rollback(before);
        } else {
            release(before);
        }
        return appended;
    }

    /** A lost connection takes back the effects as well. */
    private void rollBack(Savepoint before, Throwable failure) {
        try {
            transaction.connection().rollback(before);
        } catch (SQLException e) {
            if (isEnded(e)) {
                StorageException ended = ended();
                ended.addSuppressed(failure);
                throw ended;
            }
            failure.addSuppressed(e);
        }
    }

    private static List<EventEnvelope> envelopes(AppendRequest request, List<String> data, long version) {
        List<EventEnvelope> envelopes = new ArrayList<>();
        for (NewEvent event : request.events()) {
            int index = envelopes.size();
            envelopes.add(new EventEnvelope(
                    event.eventId(),
                    request.aggregateId(),
                    event.eventType(),
                    data.get(index),
                    version + index + 1,
                    AppendRequest.occurredAt(event).toInstant(),
                    event.metadata()));
        }
        return envelopes;
    }

    /** Fails if a projection has ended the transaction by a statement: its effects may be committed without events. */
    private void release(Savepoint before) throws SQLException {
        try {
            transaction.connection().releaseSavepoint(before);
        } catch (SQLException e) {
            if (isEnded(e)) {
                throw ended();
            }
            throw e;
        }
    }

    private static boolean isEnded(SQLException e) {
        return NO_SAVEPOINT.equals(e.getSQLState()) || NO_TRANSACTION.equals(e.getSQLState());
    }

    private static StorageException ended() {
        return SqlErrors.permanent(
                "an inline projection ended the transaction by a statement, such as COMMIT; its earlier effects may be committed, and nothing was appended: correct these effects, and remove the statement");
    }
}
