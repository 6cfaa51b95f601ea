package dev.spream.flink.table;

import dev.spream.core.record.DataChangeRecord;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/** The metadata columns that a table can declare: parts of the change record that are no columns of the row. */
enum ReadableMetadata {
    COMMIT_TIMESTAMP(
            "commit-timestamp",
            DataTypes.TIMESTAMP_LTZ(9).notNull(),
            change -> TimestampData.fromInstant(change.commitTimestamp())),
    TRANSACTION_ID(
            "transaction-id",
            DataTypes.STRING().notNull(),
            change -> StringData.fromString(change.serverTransactionId())),
    TRANSACTION_TAG(
            "transaction-tag", DataTypes.STRING().notNull(), change -> StringData.fromString(change.transactionTag())),
    MOD_TYPE("mod-type", DataTypes.STRING().notNull(), change -> StringData.fromString(change.modTypeName()));

    private final String key;

    @SuppressWarnings("ImmutableEnumChecker") // it is immutable
    private final DataType type;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Function<DataChangeRecord, Object> value;

    ReadableMetadata(String key, DataType type, Function<DataChangeRecord, Object> value) {
        this.key = key;
        this.type = type;
        this.value = value;
    }

    /** Returns the types, by the key that a declaration names in {@code METADATA FROM}. */
    static Map<String, DataType> types() {
        Map<String, DataType> types = new LinkedHashMap<>();
        Arrays.stream(values()).forEach(metadata -> types.put(metadata.key, metadata.type));
        return types;
    }

    static ReadableMetadata of(String key) {
        return Arrays.stream(values())
                .filter(metadata -> metadata.key.equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no metadata has the key " + key));
    }

    Object of(DataChangeRecord change) {
        return value.apply(change);
    }
}
