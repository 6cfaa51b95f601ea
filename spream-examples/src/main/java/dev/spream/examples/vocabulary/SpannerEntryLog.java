package dev.spream.examples.vocabulary;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Struct;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The events of entries in a table of Spanner, whose primary key is the entry and the version: of two appends after the
 * same version, one fails because the key exists. Projections read the table's change stream.
 */
final class SpannerEntryLog implements EntryLog {
    static final String TABLE = "VocabularyEvents";
    static final String STREAM = "VocabularyEventsStream";
    static final List<String> SCHEMA = List.of("""
            CREATE TABLE VocabularyEvents (
              aggregate_id STRING(64) NOT NULL,
              event_version INT64 NOT NULL,
              event_id STRING(64) NOT NULL,
              event_type STRING(200) NOT NULL,
              event_data STRING(MAX) NOT NULL,
              occurred_at TIMESTAMP NOT NULL,
              correlation_id STRING(64) NOT NULL,
              user_id STRING(100) NOT NULL,
              source_service STRING(64) NOT NULL,
              idempotency_key STRING(255),
            ) PRIMARY KEY (aggregate_id, event_version)""", "CREATE CHANGE STREAM VocabularyEventsStream FOR VocabularyEvents");

    private static final List<String> COLUMNS = List.of(
            "aggregate_id",
            "event_version",
            "event_id",
            "event_type",
            "event_data",
            "occurred_at",
            "correlation_id",
            "user_id",
            "source_service",
            "idempotency_key");

    private final SpannerConnection connection;

    private SpannerEntryLog(SpannerConnection connection) {
        this.connection = connection;
    }

    static SpannerEntryLog open(String database, Optional<String> emulatorHost) {
        SpannerConnection.Builder connection = SpannerConnection.builder(DatabaseName.parse(database));
        emulatorHost.ifPresent(connection::emulatorHost);
        return new SpannerEntryLog(connection.open());
    }

    @Override
    public List<EventEnvelope> read(String entryId, long upTo) {
        return calling("read", () -> rows(entryId, 1, upTo));
    }

    private List<EventEnvelope> rows(String entryId, long from, long to) {
        KeySet keys = KeySet.range(KeyRange.closedClosed(Key.of(entryId, from), Key.of(entryId, to)));
        List<EventEnvelope> events = new ArrayList<>();
        try (ResultSet rows = connection.client().singleUse().read(TABLE, keys, COLUMNS)) {
            while (rows.next()) {
                events.add(event(rows.getCurrentRowAsStruct()));
            }
        }
        return events;
    }

    private static EventEnvelope event(Struct row) {
        Timestamp at = row.getTimestamp("occurred_at");
        return new EventEnvelope(
                row.getString("event_id"),
                row.getString("aggregate_id"),
                row.getString("event_type"),
                row.getString("event_data"),
                row.getLong("event_version"),
                Instant.ofEpochSecond(at.getSeconds(), at.getNanos()),
                new EventMetadata(
                        row.getString("correlation_id"),
                        row.getString("user_id"),
                        row.getString("source_service"),
                        row.isNull("idempotency_key")
                                ? Optional.empty()
                                : Optional.of(row.getString("idempotency_key"))));
    }

    @Override
    public EventEnvelope append(String entryId, long version, NewEvent event) {
        return calling("append", () -> {
            EventEnvelope next = event.of(entryId, version + 1);
            try {
                connection.client().write(List.of(insert(next)));
                return next;
            } catch (SpannerException e) {
                if (e.getErrorCode() != ErrorCode.ALREADY_EXISTS) {
                    throw e;
                }
                return requireSame(next);
            }
        });
    }

    /** Returns the stored event at the same place, if it is the given one. */
    private EventEnvelope requireSame(EventEnvelope event) {
        List<EventEnvelope> there = rows(event.aggregateId(), event.eventVersion(), Long.MAX_VALUE);
        EventEnvelope first = there.getFirst();
        if (first.eventId().equals(event.eventId())) {
            return first;
        }
        throw new VersionConflictException(
                event.aggregateId(), event.eventVersion() - 1, there.getLast().eventVersion());
    }

    private static Mutation insert(EventEnvelope event) {
        Instant at = event.occurredAt();
        EventMetadata metadata = event.metadata();
        return Mutation.newInsertBuilder(TABLE)
                .set("aggregate_id")
                .to(event.aggregateId())
                .set("event_version")
                .to(event.eventVersion())
                .set("event_id")
                .to(event.eventId())
                .set("event_type")
                .to(event.eventType())
                .set("event_data")
                .to(event.eventData())
                .set("occurred_at")
                .to(Timestamp.ofTimeSecondsAndNanos(at.getEpochSecond(), at.getNano()))
                .set("correlation_id")
                .to(metadata.correlationId())
                .set("user_id")
                .to(metadata.userId())
                .set("source_service")
                .to(metadata.sourceService())
                .set("idempotency_key")
                .to(metadata.idempotencyKey().orElse(null))
                .build();
    }

    private static <T> T calling(String what, Supplier<T> call) {
        try {
            return call.get();
        } catch (SpannerException e) {
            throw new StorageException(
                    "Spanner did not %s events: %s".formatted(what, e.getErrorCode()), e.isRetryable(), e);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
