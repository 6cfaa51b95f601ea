package dev.spream.servers.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.google.gson.JsonObject;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.TypeProto;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Changes of tables that the workload does not have, on both emulators: of a table without key columns, and of a column
 * of messages. Without Google's, ours is held against the expected records alone. Google's deletes no expired rows and
 * has no enums in its records, so these are not compared; version 1.5.28 has null in the place of a message.
 */
@Timeout(120)
class TablesDifferentialIT {
    private static SpannerEmulator emulator;

    @BeforeAll
    static void start() {
        emulator = SpannerEmulator.start();
        if (SpannerServers.google().isEmpty()) {
            System.out.println(
                    "Differential test: Google's emulator was not found, so changes of tables without keys and"
                            + " of messages are compared with the expected ones, and with nothing else");
        }
    }

    @AfterAll
    static void stop() {
        emulator.close();
    }

    @Test
    void both_emulators_report_the_changes_of_a_table_without_key_columns_alike() {
        List<String> ddl = List.of(
                "CREATE TABLE Settings (Mode STRING(9)) PRIMARY KEY ()", "CREATE CHANGE STREAM Changes FOR ALL");
        List<List<Mutation>> commits = List.of(
                List.of(Mutation.newInsertBuilder("Settings")
                        .set("Mode")
                        .to("a")
                        .build()),
                List.of(Mutation.newUpdateBuilder("Settings")
                        .set("Mode")
                        .to("b")
                        .build()),
                List.of(Mutation.delete("Settings", Key.of())));
        for (SpannerServer server : servers()) {
            assertThat(records(server, ddl, commits))
                    .as(server.name())
                    .containsExactly(
                            "INSERT [{\"keys\":null,\"new_values\":{\"Mode\":\"a\"},\"old_values\":{}}]",
                            "UPDATE [{\"keys\":null,\"new_values\":{\"Mode\":\"b\"},\"old_values\":{\"Mode\":\"a\"}}]",
                            "DELETE [{\"keys\":null,\"new_values\":{},\"old_values\":{\"Mode\":\"b\"}}]");
        }
    }

    @Test
    void both_emulators_report_a_message_alike_or_googles_null() {
        List<String> ddl = List.of(
                "CREATE PROTO BUNDLE (google.spanner.v1.StructType)",
                "CREATE TABLE Items (Id INT64, Message google.spanner.v1.StructType) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        StructType message = StructType.newBuilder()
                .addFields(StructType.Field.newBuilder().setName("a"))
                .build();
        List<List<Mutation>> commits = List.of(List.of(Mutation.newInsertBuilder("Items")
                .set("Id")
                .to(1)
                .set("Message")
                .to(message)
                .build()));
        for (SpannerServer server : servers()) {
            assertThat(records(server, ddl, commits))
                    .as(server.name())
                    .first()
                    .asString()
                    .isIn(
                            inserted("\"CgMKAWE=\""),
                            server.emulatorHost().equals(emulator.emulatorHost()) ? "" : inserted("null"));
        }
    }

    private static String inserted(String message) {
        return "INSERT [{\"keys\":{\"Id\":\"1\"},\"new_values\":{\"Message\":" + message + "},\"old_values\":{}}]";
    }

    private static List<SpannerServer> servers() {
        List<SpannerServer> servers =
                new ArrayList<>(List.of(new SpannerServer("our emulator", emulator.emulatorHost())));
        SpannerServers.google().ifPresent(servers::add);
        return servers;
    }

    /** The records of the commits in their order: what was done, and the rows. */
    private static List<String> records(SpannerServer server, List<String> ddl, List<List<Mutation>> commits) {
        DatabaseId id = server.createDatabase(Dialect.GOOGLE_STANDARD_SQL, List.of());
        try (Spanner spanner = server.client()) {
            alter(spanner, id, ddl);
            DatabaseClient database = spanner.getDatabaseClient(id);
            List<Timestamp> committed = commits.stream().map(database::write).toList();
            return new ChangeReader(database, Dialect.GOOGLE_STANDARD_SQL, "Changes", committed.getLast())
                    .read(committed.getFirst()).stream()
                            .sorted(Comparator.comparing(TablesDifferentialIT::committedAt))
                            .map(record -> record.get("mod_type").getAsString() + " " + record.get("mods"))
                            .toList();
        }
    }

    private static Timestamp committedAt(JsonObject record) {
        return Timestamp.parseTimestamp(record.get("commit_timestamp").getAsString());
    }

    private static void alter(Spanner spanner, DatabaseId id, List<String> ddl) {
        FileDescriptorSet descriptors = FileDescriptorSet.newBuilder()
                .addFile(TypeProto.getDescriptor().toProto())
                .build();
        var admin = spanner.getDatabaseAdminClient();
        try {
            admin.updateDatabaseDdl(
                            admin.newDatabaseBuilder(id)
                                    .setProtoDescriptors(descriptors.toByteArray())
                                    .build(),
                            ddl,
                            null)
                    .get();
        } catch (ExecutionException e) {
            throw new AssertionError("the schema was refused", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
