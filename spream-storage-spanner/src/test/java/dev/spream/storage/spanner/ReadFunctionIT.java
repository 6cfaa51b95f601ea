package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriptionException;
import dev.spream.servers.SpannerServers;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stream with a function for each placement. Google's emulator has none, so this runs on ours alone. */
@Timeout(120)
class ReadFunctionIT {
    @ParameterizedTest
    @CsvSource({
        "GOOGLE_STANDARD_SQL, IMMUTABLE_KEY_RANGE, READ_Orders_default",
        "GOOGLE_STANDARD_SQL, MUTABLE_KEY_RANGE, READ_Orders_default",
        "POSTGRESQL, IMMUTABLE_KEY_RANGE, read_json_Orders_default",
        "POSTGRESQL, MUTABLE_KEY_RANGE, read_proto_bytes_Orders_default"
    })
    void a_subscriber_reads_the_function_of_a_placement(Dialect dialect, PartitionMode mode, String function)
            throws Exception {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        String table = postgres
                ? "CREATE TABLE item (id bigint PRIMARY KEY)"
                : "CREATE TABLE item (id INT64) PRIMARY KEY (id)";
        String stream = "CREATE CHANGE STREAM %s FOR ALL %s (per_placement_tvf = true, partition_mode = '%s')"
                .formatted(postgres ? "\"Orders\"" : "Orders", postgres ? "WITH" : "OPTIONS", mode);
        DatabaseName name = DatabaseName.parse(SpannerServers.ours()
                .createDatabase(dialect, List.of(table, stream))
                .getName());
        try (SpannerConnection connection = SpannerConnection.builder(name)
                .emulatorHost(SpannerServers.ours().emulatorHost())
                .open()) {
            Instant first = write(connection, "1");
            Instant last = write(connection, "2");

            assertThat(delivered(connection, function, first, last)).containsExactlyInAnyOrder("1", "2");
            assertThatThrownBy(() -> delivered(connection, function.replace("default", "europe"), first, last))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining(function.replace("default", "europe"));
        }
    }

    private static Instant write(SpannerConnection connection, String id) {
        return connection
                .client()
                .write(List.of(Mutation.newInsertBuilder("item")
                        .set("id")
                        .to(Long.parseLong(id))
                        .build()))
                .toSqlTimestamp()
                .toInstant();
    }

    private static Set<String> delivered(SpannerConnection connection, String function, Instant first, Instant last) {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        try (SpannerChangeStreamSource source =
                        connection.source("Orders").readFunction(function).build();
                Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(first).endAt(last))
                        .build()) {
            subscriber.run(change ->
                    change.mods().forEach(mod -> ids.add(mod.keys().string("id").orElseThrow())));
        }
        return ids;
    }
}
