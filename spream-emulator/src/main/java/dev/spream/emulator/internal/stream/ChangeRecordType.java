package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.sql.Types.BOOL;
import static dev.spream.emulator.internal.sql.Types.INT64;
import static dev.spream.emulator.internal.sql.Types.JSON;
import static dev.spream.emulator.internal.sql.Types.STRING;
import static dev.spream.emulator.internal.sql.Types.TIMESTAMP;
import static dev.spream.emulator.internal.sql.Types.array;

import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.StructType.Field;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Types;

/**
 * The result types of change stream queries.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">record format</a>
 */
final class ChangeRecordType {
    private static final Type DATA_CHANGE_RECORDS = structs(
            field("commit_timestamp", TIMESTAMP),
            field("record_sequence", STRING),
            field("server_transaction_id", STRING),
            field("is_last_record_in_transaction_in_partition", BOOL),
            field("table_name", STRING),
            field(
                    "column_types",
                    structs(
                            field("name", STRING),
                            field("type", JSON),
                            field("is_primary_key", BOOL),
                            field("ordinal_position", INT64))),
            field("mods", structs(field("keys", JSON), field("new_values", JSON), field("old_values", JSON))),
            field("mod_type", STRING),
            field("value_capture_type", STRING),
            field("number_of_records_in_transaction", INT64),
            field("number_of_partitions_in_transaction", INT64),
            field("transaction_tag", STRING),
            field("is_system_transaction", BOOL));

    private static final Type HEARTBEAT_RECORDS = structs(field("timestamp", TIMESTAMP));

    private static final Type CHILD_PARTITIONS_RECORDS = structs(
            field("start_timestamp", TIMESTAMP),
            field("record_sequence", STRING),
            field(
                    "child_partitions",
                    structs(field("token", STRING), field("parent_partition_tokens", array(STRING)))));

    /** One column: an array of one structure that contains one of three records. */
    static final ResultSetMetadata GOOGLE_STANDARD_SQL = metadata(field(
            "ChangeRecord",
            structs(
                    field("data_change_record", DATA_CHANGE_RECORDS),
                    field("heartbeat_record", HEARTBEAT_RECORDS),
                    field("child_partitions_record", CHILD_PARTITIONS_RECORDS))));

    /** One column: a proto that contains one of five records. */
    static final ResultSetMetadata GOOGLE_STANDARD_SQL_PROTO = metadata(field(
            "ChangeRecord",
            Type.newBuilder()
                    .setCode(TypeCode.PROTO)
                    .setProtoTypeFqn(ChangeStreamRecord.getDescriptor().getFullName())
                    .build()));

    private ChangeRecordType() {}

    /** Returns the type of a PostgreSQL result: one JSON column, named after the function. */
    static ResultSetMetadata postgresql(String function) {
        return metadata(field(function, Types.PG_JSONB));
    }

    /** Returns the type of a PostgreSQL result with the bytes of the same proto. */
    static ResultSetMetadata postgresqlProtoBytes(String function) {
        return metadata(field(function, Types.BYTES));
    }

    private static ResultSetMetadata metadata(Field column) {
        return ResultSetMetadata.newBuilder()
                .setRowType(StructType.newBuilder().addFields(column))
                .build();
    }

    private static Type structs(Field... fields) {
        StructType.Builder struct = StructType.newBuilder();
        for (Field field : fields) {
            struct.addFields(field);
        }
        return array(
                Type.newBuilder().setCode(TypeCode.STRUCT).setStructType(struct).build());
    }

    private static Field field(String name, Type type) {
        return Field.newBuilder().setName(name).setType(type).build();
    }
}
