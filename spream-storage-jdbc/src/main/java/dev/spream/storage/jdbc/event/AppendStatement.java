package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The statements of an append. Without contention one is enough. It inserts the first event if the aggregate has the
 * expected version, and skips it if another append has taken that version; it inserts the others only after the first,
 * since no other append can follow an event that is not committed yet. If nothing was inserted, a second statement
 * finds the reason; it reads the rows for which the first may have waited.
 */
record AppendStatement(Statements transaction) {
    /** A version that no aggregate has. */
    private static final long ANY_VERSION = -1;

    private static final String ASKED = """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::text[],
                    ?::text[]) WITH ORDINALITY
                    AS a (event_id, event_type, event_data, occurred_at, correlation_id, user_id, source_service,
                        idempotency_key, place)
            ), last AS MATERIALIZED (
                SELECT coalesce(max(e.event_version), 0) AS version FROM @events e WHERE e.aggregate_id = ?
            )""";

    private static final String INSERT = """
            INSERT INTO @events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at, correlation_id,
                user_id, source_service, idempotency_key)
            SELECT a.event_id, ?, last.version + a.place, a.event_type, a.event_data::jsonb, a.occurred_at, a.correlation_id,
                a.user_id, a.source_service, a.idempotency_key""";

    /** Looks up the ids first, so that a later event whose id exists already does not abort the transaction. */
    private static final String FIRST = " " + INSERT + """
             FROM asked a CROSS JOIN last
            WHERE a.place = 1 AND ?::bigint IN (%d, last.version)
                AND NOT EXISTS (SELECT FROM @events e WHERE e.event_id = ANY (?))
            ON CONFLICT DO NOTHING
            RETURNING %s""".formatted(ANY_VERSION, StoredEvent.COLUMNS);

    static final String ONE = ASKED + FIRST;

    static final String SEVERAL =
            ASKED + ", first AS (" + FIRST + "), others AS (" + INSERT + """
             FROM asked a CROSS JOIN last CROSS JOIN first
            WHERE a.place > 1
            ORDER BY a.place
            RETURNING %s) SELECT * FROM first UNION ALL SELECT * FROM others""".formatted(StoredEvent.COLUMNS);

    /** Returns at least one row, without an event if none of the ids is stored. */
    static final String LOOK = """
            SELECT e.*, last.version AS last_version
            FROM (SELECT coalesce(max(v.event_version), 0) AS version FROM @events v WHERE v.aggregate_id = ?) last
            LEFT JOIN (SELECT %s FROM @events WHERE event_id = ANY (?)) e ON true
            ORDER BY e.event_version""".formatted(StoredEvent.COLUMNS);

    /**
     * The number of times that other appends may overtake one that expects no version. An append that waits for the
     * lock of the aggregate is overtaken once at most.
     */
    private static final int ROUNDS = 20;

    private static final String WAIT_IN_LINE = "SELECT true FROM pg_advisory_xact_lock(?::int, hashtext(?))";

    /** Returns the events as stored, including those that were appended before. */
    List<RecordedEvent> append(AppendRequest request) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            List<RecordedEvent> appended = insert(request);
            if (!appended.isEmpty()) {
                return appended;
            }
            Optional<List<RecordedEvent>> present = explain(request, find(request));
            if (present.isPresent()) {
                return present.get();
            }
            transaction.rows(
                    WAIT_IN_LINE, p -> p.number(EventTable.AGGREGATE).text(request.aggregateId()), row -> true);
        }
        throw new StorageException(
                "appending %s failed: concurrent appends to the aggregate won every attempt; try again later"
                        .formatted(request),
                true,
                null);
    }

    /** Returns the inserted events; none if another append has taken the version, or the ids. */
    List<RecordedEvent> insert(AppendRequest request) throws SQLException {
        return inOrder(transaction.rows(sql(request), p -> bind(p, request), StoredEvent::read));
    }

    /**
     * The stored state before an append.
     *
     * @param version the version of the aggregate
     * @param present events that have the ids, in the order of their versions
     */
    record Found(long version, List<RecordedEvent> present) {}

    Found find(AppendRequest request) throws SQLException {
        List<Long> version = new ArrayList<>();
        List<RecordedEvent> present = new ArrayList<>();
        transaction.rows(LOOK, p -> p.text(request.aggregateId()).texts(request.eventIds()), row -> {
            version.add(row.getLong("last_version"));
            if (row.getObject("position") != null) {
                present.add(StoredEvent.read(row).recorded());
            }
            return true;
        });
        return new Found(version.getFirst(), present);
    }

    static String sql(AppendRequest request) {
        return request.events().size() == 1 ? ONE : SEVERAL;
    }

    static void bind(Parameters p, AppendRequest request) throws SQLException {
        List<NewEvent> events = request.events();
        p.texts(events, NewEvent::eventId)
                .texts(events, NewEvent::eventType)
                .texts(events, NewEvent::eventData)
                .clocks(events, AppendRequest::occurredAt)
                .texts(events, event -> event.metadata().correlationId())
                .texts(events, event -> event.metadata().userId())
                .texts(events, event -> event.metadata().sourceService())
                .optionalTexts(events, event -> event.metadata().idempotencyKey())
                .text(request.aggregateId())
                .text(request.aggregateId())
                .number(request.expected().orElse(ANY_VERSION))
                .texts(request.eventIds());
        if (events.size() > 1) {
            p.text(request.aggregateId());
        }
    }

    static List<RecordedEvent> inOrder(List<StoredEvent> rows) {
        return rows.stream()
                .map(StoredEvent::recorded)
                .sorted(Comparator.comparingLong(RecordedEvent::position))
                .toList();
    }

    /**
     * Interprets an append that inserted nothing.
     *
     * @return the events, if they were appended before; empty if the same may succeed now
     * @throws VersionConflictException if the aggregate has another version
     * @throws IllegalArgumentException if another event has one of the ids
     */
    static Optional<List<RecordedEvent>> explain(AppendRequest request, Found found) {
        if (isRepeated(request, found.present())) {
            return Optional.of(found.present());
        }
        long expected = request.expected().orElse(found.version());
        if (expected != found.version()) {
            throw new VersionConflictException(request.aggregateId(), expected, found.version());
        }
        if (!found.present().isEmpty()) {
            throw new IllegalArgumentException("appending %s failed: one of their ids is already used by %s"
                    .formatted(request, found.present().getFirst().event()));
        }
        return Optional.empty();
    }

    private static boolean isRepeated(AppendRequest request, List<RecordedEvent> present) {
        if (present.size() != request.events().size()) {
            return false;
        }
        long first = request.expected().orElse(present.getFirst().event().eventVersion() - 1) + 1;
        for (int i = 0; i < present.size(); i++) {
            RecordedEvent event = present.get(i);
            if (!event.event().aggregateId().equals(request.aggregateId())
                    || !event.event().eventId().equals(request.events().get(i).eventId())
                    || event.event().eventVersion() != first + i) {
                return false;
            }
        }
        return true;
    }
}
