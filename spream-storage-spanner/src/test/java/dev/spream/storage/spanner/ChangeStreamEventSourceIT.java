package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.projection.changestream.ChangeStreamEventSource;
import dev.spream.projection.changestream.EventTableMapping;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Events that a real client inserts, delivered while partitions split and merge, and feeds are closed and opened anew. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#one")
@Timeout(180)
class ChangeStreamEventSourceIT {
    private static final int AGGREGATES = 10;
    private static final int VERSIONS = 30;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final SpannerConnection connection;
    private final SpannerChangeStreamSource stream;
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();

    ChangeStreamEventSourceIT(SpannerServer server, Dialect dialect) {
        DatabaseName name =
                DatabaseName.parse(server.createDatabase(dialect, ddl(dialect)).getName());
        this.connection = SpannerConnection.builder(name)
                .emulatorHost(server.emulatorHost())
                .open();
        this.stream = SpannerChangeStreamSource.open(connection.client(), "EventStream");
    }

    private static List<String> ddl(Dialect dialect) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL -> List.of("""
                        CREATE TABLE Events (aggregate_id STRING(MAX) NOT NULL, event_version INT64 NOT NULL,
                        event_id STRING(MAX) NOT NULL, event_type STRING(MAX) NOT NULL, event_data JSON NOT NULL,
                        occurred_at TIMESTAMP, user_id STRING(MAX)) PRIMARY KEY (aggregate_id, event_version)""", "CREATE CHANGE STREAM EventStream FOR Events");
            case POSTGRESQL -> List.of("""
                        CREATE TABLE "Events" (aggregate_id varchar NOT NULL, event_version bigint NOT NULL,
                        event_id varchar NOT NULL, event_type varchar NOT NULL, event_data jsonb NOT NULL,
                        occurred_at timestamptz, user_id varchar, PRIMARY KEY (aggregate_id, event_version))""", "CREATE CHANGE STREAM \"EventStream\" FOR \"Events\"");
        };
    }

    @AfterEach
    void close() {
        stream.close();
        connection.close();
    }

    private boolean writeAll(Dialect dialect) {
        for (int version = 1; version <= VERSIONS; version++) {
            for (int aggregate = 0; aggregate < AGGREGATES; aggregate++) {
                connection.client().write(List.of(row(dialect, "aggregate-" + aggregate, version)));
            }
        }
        return true;
    }

    private static Mutation row(Dialect dialect, String aggregate, int version) {
        String data = "{\"n\": %d}".formatted(version);
        return Mutation.newInsertBuilder("Events")
                .set("aggregate_id")
                .to(aggregate)
                .set("event_version")
                .to(version)
                .set("event_id")
                .to(aggregate + "#" + version)
                .set("event_type")
                .to("Added")
                .set("event_data")
                .to(dialect == Dialect.POSTGRESQL ? Value.pgJsonb(data) : Value.json(data))
                .set("occurred_at")
                .to(Timestamp.parseTimestamp("2026-01-01T10:00:00Z"))
                .set("user_id")
                .to("u-1")
                .build();
    }

    private ChangeStreamEventSource source(Instant start) {
        return new ChangeStreamEventSource(
                stream,
                projection -> storage,
                EventTableMapping.named("Events"),
                ChangeStreamEventSource.options()
                        .startAt(start)
                        .heartbeatInterval(AccountDatabase.HEARTBEAT)
                        .build());
    }

    @Test
    void every_event_is_delivered_over_restarts() throws Exception {
        Dialect dialect = connection.client().getDialect();
        Instant start = stream.serverTime();
        CompletableFuture<Boolean> written =
                CompletableFuture.supplyAsync(() -> writeAll(dialect), Thread::startVirtualThread);
        Set<String> seen = new LinkedHashSet<>();
        Set<String> acknowledged = new LinkedHashSet<>();
        long deadline = System.nanoTime() + BOUND.toNanos();
        for (int round = 0; acknowledged.size() < AGGREGATES * VERSIONS; round++) {
            assertThat(System.nanoTime() - deadline)
                    .as("delivered %d of %d in time", acknowledged.size(), AGGREGATES * VERSIONS)
                    .isNegative();
            try (ChangeStreamEventSource events = source(start);
                    EventFeed feed = events.open(FeedRequest.all("view"))) {
                take(feed, seen, acknowledged, round);
            }
        }
        assertThat(written.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(seen).hasSize(AGGREGATES * VERSIONS);
    }

    /** Takes events for a while; the last ones are not acknowledged, but in later rounds. */
    private static void take(EventFeed feed, Set<String> seen, Set<String> acknowledged, int round)
            throws InterruptedException {
        int most = 60 + 30 * round;
        int taken = 0;
        List<FeedItem> items = feed.poll(20, Duration.ofSeconds(5)).items();
        while (!items.isEmpty() && taken < most) {
            taken += items.size();
            List<String> ids = new ArrayList<>();
            for (FeedItem item : items) {
                assertThat(item).isInstanceOfSatisfying(FeedItem.Event.class, event -> {
                    assertThat(event.envelope().occurredAt()).isEqualTo(Instant.parse("2026-01-01T10:00:00Z"));
                    assertThat(event.envelope().metadata().userId()).isEqualTo("u-1");
                    assertThat(event.envelope().eventData()).contains("n");
                    ids.add(event.envelope().eventId());
                });
            }
            seen.addAll(ids);
            if (taken >= most) {
                return; // and none of these is acknowledged
            }
            feed.acknowledge(items);
            acknowledged.addAll(ids);
            items = feed.poll(20, Duration.ofSeconds(5)).items();
        }
    }
}
