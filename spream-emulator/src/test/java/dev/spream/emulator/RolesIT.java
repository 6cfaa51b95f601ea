package dev.spream.emulator;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.NoCredentials;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.MutationGroup;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.rpc.Code;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.Session;
import com.google.spanner.v1.SpannerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Database roles: what a session that is created with one may read and write. */
class RolesIT {
    private static SpannerEmulator emulator;
    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        emulator = SpannerEmulator.start();
        spanner = EmulatedSpanner.of(emulator);
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @Test
    void a_stream_is_read_with_both_privileges_and_not_with_one() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL",
                "CREATE ROLE Reader",
                "GRANT SELECT ON CHANGE STREAM Changes TO ROLE Reader");
        Timestamp written = spanner.connect(id).write(List.of(row(1)));
        try (Spanner client = as("Reader")) {
            DatabaseClient reader = client.getDatabaseClient(id);
            assertDenied(
                    "Role Reader does not have required privileges on function READ_Changes",
                    () -> StreamedMods.of(reader, "Changes", written, written));
            spanner.alter(id, "GRANT EXECUTE ON TABLE FUNCTION READ_Changes TO ROLE Reader");
            assertThat(StreamedMods.of(reader, "Changes", written, written))
                    .containsExactly("T INSERT {\"Id\":\"1\"} {\"V\":null} {}");
            spanner.alter(id, "REVOKE SELECT ON CHANGE STREAM Changes FROM ROLE Reader");
            assertDenied(
                    "Role Reader does not have required privileges on change stream Changes",
                    () -> StreamedMods.of(reader, "Changes", written, written));
        }
    }

    @Test
    void tables_are_read_and_written_with_their_privileges_alone() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE Secret (Id INT64) PRIMARY KEY (Id)",
                "CREATE VIEW Shown SQL SECURITY DEFINER AS SELECT s.Id FROM Secret AS s",
                "CREATE VIEW Hidden SQL SECURITY INVOKER AS SELECT s.Id FROM Secret AS s",
                "CREATE ROLE Base",
                "CREATE ROLE Writer",
                "GRANT SELECT, INSERT ON TABLE T TO ROLE Base",
                "GRANT SELECT ON VIEW Shown, Hidden TO ROLE Base",
                "GRANT ROLE Base TO ROLE Writer");
        try (Spanner client = as("Writer")) {
            DatabaseClient writer = client.getDatabaseClient(id);
            writer.write(List.of(row(1)));
            assertThat(EmulatedSpanner.texts(writer, "SELECT Id FROM T")).containsExactly("1");
            assertThat(EmulatedSpanner.texts(writer, "SELECT Id FROM Shown")).isEmpty();
            assertDenied("on table Secret", () -> EmulatedSpanner.texts(writer, "SELECT Id FROM Hidden"));
            assertDenied("on table Secret", () -> EmulatedSpanner.texts(writer, "SELECT Id FROM Secret"));
            assertDenied(
                    "on table Secret",
                    () -> EmulatedSpanner.rows(writer.singleUse().read("Secret", KeySet.all(), List.of("Id"))));
            assertDenied("on table T", () -> writer.write(List.of(Mutation.delete("T", KeySet.all()))));
            assertDenied(
                    "on table T",
                    () -> writer.readWriteTransaction()
                            .run(transaction ->
                                    transaction.executeUpdate(Statement.of("UPDATE T SET V = 1 WHERE TRUE"))));
            assertDenied(
                    "on table T",
                    () -> writer.readWriteTransaction()
                            .run(transaction ->
                                    transaction.batchUpdate(List.of(Statement.of("DELETE FROM T WHERE TRUE")))));
        }
    }

    @Test
    void a_group_of_mutations_is_written_with_the_privileges_alone() throws Exception {
        DatabaseId id = writableTable();
        try (Spanner client = as("Writer")) {
            DatabaseClient writer = client.getDatabaseClient(id);
            MutationGroup denied = MutationGroup.of(Mutation.delete("T", KeySet.all()));
            List<Code> codes = new ArrayList<>();
            writer.batchWriteAtLeastOnce(List.of(MutationGroup.of(row(1)), denied))
                    .forEach(response ->
                            codes.add(Code.forNumber(response.getStatus().getCode())));

            assertThat(codes).containsExactly(Code.OK, Code.PERMISSION_DENIED);
            assertThat(EmulatedSpanner.texts(spanner.connect(id), "SELECT Id FROM T"))
                    .containsExactly("1");
        }
    }

    @Test
    void dml_needs_the_privileges_of_its_verb_after_a_comment() throws Exception {
        DatabaseId id = writableTable();
        try (Spanner client = as("Writer")) {
            DatabaseClient writer = client.getDatabaseClient(id);
            assertThat(change(writer, "/* INSERT */ INSERT INTO T (Id) VALUES (1)"))
                    .isOne();
            assertDenied("on table T", () -> change(writer, "/* INSERT */ UPDATE T SET V = 1 WHERE TRUE"));
            assertDenied("on table T", () -> change(writer, "-- a\nDELETE FROM T WHERE TRUE"));
        }
    }

    @Test
    void an_insertion_that_may_update_needs_both_privileges() throws Exception {
        DatabaseId id = writableTable();
        String conflict = "INSERT INTO T (Id) VALUES (1) ON CONFLICT (Id) DO ";
        try (Spanner client = as("Writer")) {
            DatabaseClient writer = client.getDatabaseClient(id);
            assertDenied("on table T", () -> change(writer, "INSERT OR UPDATE INTO T (Id) VALUES (1)"));
            assertDenied("on table T", () -> change(writer, conflict + "UPDATE SET Id = excluded.Id"));
            assertThat(change(writer, conflict + "NOTHING")).isOne();
            assertThat(change(writer, "INSERT OR IGNORE INTO T (Id) VALUES (1)"))
                    .isZero();
            spanner.alter(id, "GRANT UPDATE ON TABLE T TO ROLE Writer");
            assertThat(change(writer, "INSERT OR UPDATE INTO T (Id) VALUES (1)"))
                    .isOne();
            assertThat(change(writer, conflict + "UPDATE SET Id = excluded.Id")).isOne();
        }
    }

    private static DatabaseId writableTable() throws Exception {
        return spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE ROLE Writer",
                "GRANT SELECT, INSERT ON TABLE T TO ROLE Writer");
    }

    private static long change(DatabaseClient database, String dml) {
        return requireNonNull(
                database.readWriteTransaction().run(transaction -> transaction.executeUpdate(Statement.of(dml))));
    }

    @Test
    void a_role_is_listed_with_its_privileges() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.POSTGRESQL,
                "CREATE TABLE t (id bigint PRIMARY KEY)",
                "CREATE CHANGE STREAM changes FOR ALL",
                "CREATE ROLE reader",
                "GRANT SELECT ON CHANGE STREAM changes TO reader",
                "GRANT EXECUTE ON FUNCTION spanner.read_json_changes TO reader",
                "GRANT SELECT, UPDATE ON TABLE t TO reader");

        assertThat(spanner.ddl(id))
                .contains(
                        "CREATE ROLE reader",
                        "GRANT SELECT ON CHANGE STREAM changes TO reader",
                        "GRANT EXECUTE ON FUNCTION spanner.read_json_changes TO reader",
                        "GRANT UPDATE ON TABLE t TO reader");
        assertThat(EmulatedSpanner.texts(
                        spanner.connect(id),
                        "SELECT privilege_type, grantee FROM information_schema.table_privileges ORDER BY 1"))
                .containsExactly("SELECT,reader", "UPDATE,reader");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "DROP CHANGE STREAM changes"))
                .withMessageContaining("on which role reader has privileges: revoke them first");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "DROP ROLE reader"))
                .withMessageContaining("revoke its privileges");
    }

    @Test
    void privileges_that_are_not_enforced_are_refused() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)", "CREATE ROLE R");
        for (String grant :
                List.of("SELECT(Id) ON TABLE T", "SELECT ON ALL TABLES IN SCHEMA S", "EXECUTE ON MODEL M")) {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> spanner.alter(id, "GRANT " + grant + " TO ROLE R"))
                    .withMessageContaining("not supported by this emulator");
        }
    }

    @Test
    void a_session_of_an_unknown_role_is_not_created() throws Exception {
        DatabaseId id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL);
        ManagedChannel channel = ManagedChannelBuilder.forTarget(emulator.emulatorHost())
                .usePlaintext()
                .build();
        CreateSessionRequest request = CreateSessionRequest.newBuilder()
                .setDatabase(id.getName())
                .setSession(Session.newBuilder().setCreatorRole("Nobody"))
                .build();
        try {
            assertThatExceptionOfType(StatusRuntimeException.class)
                    .isThrownBy(() -> SpannerGrpc.newBlockingStub(channel).createSession(request))
                    .withMessage("PERMISSION_DENIED: Role not found: Nobody");
        } finally {
            channel.shutdownNow();
        }
    }

    private static Spanner as(String role) {
        return SpannerOptions.newBuilder()
                .setProjectId(spanner.instance().getProject())
                .setEmulatorHost(emulator.emulatorHost())
                .setCredentials(NoCredentials.getInstance())
                .setBuiltInMetricsEnabled(false)
                .setDatabaseRole(role)
                .build()
                .getService();
    }

    private static Mutation row(long id) {
        return Mutation.newInsertBuilder("T").set("Id").to(id).build();
    }

    private static void assertDenied(String message, Runnable call) {
        assertThatExceptionOfType(SpannerException.class)
                .isThrownBy(call::run)
                .withMessageContaining(message)
                .matches(e -> e.getErrorCode() == ErrorCode.PERMISSION_DENIED);
    }
}
