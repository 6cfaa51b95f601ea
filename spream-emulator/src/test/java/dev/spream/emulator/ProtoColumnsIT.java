package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Database;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Type;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.TypeCode;
import com.google.spanner.v1.TypeProto;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Columns of protocol buffer messages and enums, in tables and in streams, through the real client. */
class ProtoColumnsIT {
    private static final FileDescriptorSet DESCRIPTORS = FileDescriptorSet.newBuilder()
            .addFile(TypeProto.getDescriptor().toProto())
            .build();
    private static final String BUNDLE =
            "CREATE PROTO BUNDLE (google.spanner.v1.StructType, `google.spanner.v1.TypeCode`,)";
    private static final String TABLE = "CREATE TABLE items (id INT64, message google.spanner.v1.StructType,"
            + " kind `google.spanner.v1.TypeCode`, kinds ARRAY<google.spanner.v1.TypeCode>) PRIMARY KEY (id)";
    private static final StructType MESSAGE = StructType.newBuilder()
            .addFields(StructType.Field.newBuilder().setName("a"))
            .build();

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.ours();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @Test
    void they_are_written_and_read_with_their_types() throws Exception {
        DatabaseId id = create(BUNDLE, TABLE);
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(item(1)));
        database.readWriteTransaction()
                .run(transaction -> transaction.executeUpdate(
                        Statement.newBuilder("INSERT INTO items (id, message, kind) VALUES (2, @message, @kind)")
                                .bind("message")
                                .to(MESSAGE)
                                .bind("kind")
                                .to(TypeCode.BOOL)
                                .build()));

        Struct read = database.singleUse().readRow("items", Key.of(1), List.of("message", "kind", "kinds"));
        assertThat(read.getColumnType(0)).isEqualTo(Type.proto("google.spanner.v1.StructType"));
        assertThat(read.getProtoMessage(0, StructType.getDefaultInstance())).isEqualTo(MESSAGE);
        assertThat(read.getColumnType(1)).isEqualTo(Type.protoEnum("google.spanner.v1.TypeCode"));
        TypeCode kind = read.getProtoEnum(1, TypeCode::forNumber);
        assertThat(kind).isEqualTo(TypeCode.JSON);
        assertThat(read.getProtoEnumList(2, TypeCode::forNumber)).containsExactly(TypeCode.BOOL, TypeCode.DATE);
        List<Struct> rows = EmulatedSpanner.query(database, "SELECT i.* FROM items AS i ORDER BY id");
        assertThat(rows.get(1).getProtoMessage("message", StructType.getDefaultInstance()))
                .isEqualTo(MESSAGE);
        TypeCode second = rows.get(1).getProtoEnum("kind", TypeCode::forNumber);
        assertThat(second).isEqualTo(TypeCode.BOOL);
        assertThat(rows.get(1).isNull("kinds")).isTrue();
        assertThat(spanner.client()
                        .getDatabaseAdminClient()
                        .getDatabaseDdlResponse(id.getInstanceId().getInstance(), id.getDatabase()))
                .satisfies(response -> {
                    assertThat(response.getProtoDescriptors()).isEqualTo(DESCRIPTORS.toByteString());
                    assertThat(response.getStatements(0))
                            .contains("PROTO BUNDLE", "google.spanner.v1.StructType", "google.spanner.v1.TypeCode");
                    assertThat(response.getStatements(1)).contains("kinds ARRAY<google.spanner.v1.TypeCode>");
                });
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void a_stream_has_their_types_bytes_and_numbers(Mode mode) throws Exception {
        DatabaseId id =
                create(BUNDLE, TABLE, "CREATE CHANGE STREAM changes FOR ALL OPTIONS (partition_mode = '" + mode + "')");
        var partitions = spanner.partitions(id, "changes");
        String token = partitions.merge(
                partitions.live().get(0).token(), partitions.live().get(1).token());
        DatabaseClient database = spanner.connect(id);
        Timestamp committed = database.write(List.of(item(1)));
        Struct row = EmulatedSpanner.rows(database.singleUse()
                        .executeQuery(
                                Statement.newBuilder("SELECT ChangeRecord FROM READ_changes(@at, @at, @token, 300000)")
                                        .bind("at")
                                        .to(committed)
                                        .bind("token")
                                        .to(token)
                                        .build()))
                .getFirst();
        String bytes = Base64.getEncoder().encodeToString(MESSAGE.toByteArray());
        if (mode == Mode.MUTABLE_KEY_RANGE) {
            DataChangeRecord data = row.getProtoMessage(0, ChangeStreamRecord.getDefaultInstance())
                    .getDataChangeRecord();
            assertThat(data.getColumnMetadata(1).getType().getProtoTypeFqn()).isEqualTo("google.spanner.v1.StructType");
            assertThat(data.getMods(0).getNewValuesList())
                    .extracting(value -> value.getValue().getStringValue())
                    .startsWith(bytes, "11");
            return;
        }
        Struct data = row.getStructList(0)
                .getFirst()
                .getStructList("data_change_record")
                .getFirst();
        assertThat(data.getStructList("column_types"))
                .extracting(type -> JsonParser.parseString(type.getJson("type")).toString())
                .containsExactly(
                        "{\"code\":\"INT64\"}",
                        "{\"code\":\"PROTO\",\"proto_type_fqn\":\"google.spanner.v1.StructType\"}",
                        "{\"code\":\"ENUM\",\"proto_type_fqn\":\"google.spanner.v1.TypeCode\"}",
                        "{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"ENUM\",\"proto_type_fqn\":"
                                + "\"google.spanner.v1.TypeCode\"}}");
        JsonObject values = JsonParser.parseString(
                        data.getStructList("mods").getFirst().getJson("new_values"))
                .getAsJsonObject();
        assertThat(values.get("message").getAsString()).isEqualTo(bytes);
        assertThat(values.get("kind")).hasToString("\"11\"");
        assertThat(values.get("kinds")).hasToString("[\"1\",\"5\"]");
    }

    private enum Mode {
        IMMUTABLE_KEY_RANGE,
        MUTABLE_KEY_RANGE
    }

    @Test
    void a_bundle_is_altered_and_dropped_unless_a_column_has_its_type() throws Exception {
        DatabaseId id = create(BUNDLE, TABLE);
        alter(id, "ALTER PROTO BUNDLE INSERT (google.spanner.v1.Type) UPDATE (google.spanner.v1.StructType)");
        alter(id, "ALTER TABLE items ADD COLUMN type google.spanner.v1.Type");
        assertThatThrownBy(() -> alter(id, "ALTER PROTO BUNDLE DELETE (google.spanner.v1.Type)"))
                .hasMessageContaining(
                        "Cannot remove or change the type google.spanner.v1.Type because column type of table items");
        assertThatThrownBy(() -> alter(id, "DROP PROTO BUNDLE")).hasMessageContaining("column message of table items");
        assertThatThrownBy(() -> alter(id, "ALTER PROTO BUNDLE INSERT (google.spanner.v1.Nothing)"))
                .hasMessageContaining("do not have the type google.spanner.v1.Nothing");
        assertThatThrownBy(() -> alter(id, BUNDLE)).hasMessageContaining("has a proto bundle already");
        alter(id, "DROP TABLE items");
        alter(id, "DROP PROTO BUNDLE");
        assertThatThrownBy(() -> alter(id, TABLE)).hasMessageContaining("Type not found: google.spanner.v1.StructType");
    }

    @Test
    void no_column_has_the_type_interval() {
        assertThatThrownBy(() -> spanner.createDatabase(
                        Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE items (id INT64, time INTERVAL) PRIMARY KEY (id)"))
                .hasMessageContaining("Type not found: INTERVAL");
        assertThatThrownBy(() -> spanner.createDatabase(
                        Dialect.POSTGRESQL, "CREATE TABLE items (id bigint PRIMARY KEY, time interval)"))
                .hasMessageContaining("FAILED_PRECONDITION")
                .hasMessageContaining("Type <interval> is not supported.");
    }

    private static DatabaseId create(String... ddl) throws Exception {
        DatabaseId id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL);
        alter(id, ddl);
        return id;
    }

    private static void alter(DatabaseId id, String... ddl) throws Exception {
        var admin = spanner.client().getDatabaseAdminClient();
        Database database = admin.newDatabaseBuilder(id)
                .setProtoDescriptors(DESCRIPTORS.toByteArray())
                .build();
        admin.updateDatabaseDdl(database, List.of(ddl), null).get();
    }

    private static Mutation item(long id) {
        return Mutation.newInsertBuilder("items")
                .set("id")
                .to(id)
                .set("message")
                .to(MESSAGE)
                .set("kind")
                .to(TypeCode.JSON)
                .set("kinds")
                .toProtoEnumArray(List.of(TypeCode.BOOL, TypeCode.DATE), TypeCode.getDescriptor())
                .build();
    }
}
