package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ReplayResult;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class ForwardExampleIT {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    private final Queue<String> forwarded = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path folder;

    @Test
    void refused_changes_and_later_ones_of_their_key_are_parked_and_replayed_in_order() throws Exception {
        Path letters = folder.resolve("letters.jsonl");
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (Id STRING(9) NOT NULL, Status STRING(9)) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    SpannerChangeStreamSource source =
                            SpannerChangeStreamSource.open(connection.client(), "OrdersStream")) {
                List<Instant> commits = write(connection.client());
                ForwardExample.read(
                        source, commits.getFirst(), commits.getLast(), letters, refusing("\"bad\"", "PLACED"));
            }
        }
        assertThat(forwarded).hasSize(2).allMatch(change -> change.contains("\"good\""));

        ReplayResult again = ForwardExample.replay(letters, refusing("\"bad\"", "SHIPPED"));
        assertThat(again.replayed()).isEqualTo(1);
        assertThat(again.refused()).hasSize(1);

        ReplayResult last = ForwardExample.replay(letters, refusing("nothing", ""));
        assertThat(last.isComplete()).isTrue();
        assertThat(last.released()).hasSize(1);
        assertThat(forwarded.stream().filter(change -> change.contains("\"bad\"")))
                .satisfiesExactly(
                        placed -> assertThat(placed).contains("PLACED"),
                        shipped -> assertThat(shipped).contains("SHIPPED"));
    }

    /** Refuses the changes that contain both texts, for good. */
    private Consumer refusing(String key, String status) {
        return ForwardExample.forward(changes -> {
            if (changes.stream().anyMatch(change -> change.contains(key) && change.contains(status))) {
                throw new IllegalArgumentException("refused");
            }
            forwarded.addAll(changes);
        });
    }

    /** Writes two changes each of two orders, and returns the commit timestamps. */
    private static List<Instant> write(DatabaseClient client) {
        List<Instant> commits = new ArrayList<>();
        for (String status : List.of("PLACED", "SHIPPED")) {
            for (String id : List.of("good", "bad")) {
                Timestamp commit = client.write(List.of(Mutation.newInsertOrUpdateBuilder("Orders")
                        .set("Id")
                        .to(id)
                        .set("Status")
                        .to(status)
                        .build()));
                commits.add(Instant.ofEpochSecond(commit.getSeconds(), commit.getNanos()));
            }
        }
        return commits;
    }
}
