package dev.spream.storage.spanner.source;

import com.google.spanner.v1.Type;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import java.util.List;

/**
 * Reads change records from the rows of one query, whose column has one of these types. Those of streams with immutable
 * key ranges are an {@linkplain StructRecords array of structs} in GoogleSQL databases and JSON in PostgreSQL ones;
 * those of streams with mutable key ranges are {@linkplain ProtoRecords messages} in both. Future additions are
 * tolerated: unknown fields are ignored, unknown names of types are kept. NULL arrays and NULL elements count as absent.
 * Confined to the reader of the query.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">Spanner:
 *     change streams record format</a>
 */
final class ChangeRecordDecoder {
    private final Type column;
    private final StructRecords structs;

    /** @param column the type of the query's column */
    ChangeRecordDecoder(Type column) {
        this.column = column;
        this.structs = new StructRecords(column.getArrayElementType());
    }

    /**
     * Returns the records of a row: always one today, but the type allows more.
     *
     * @throws IllegalArgumentException if the value is not a list of change records
     */
    List<ChangeRecord> decode(EncodedValue row) {
        if (row.isNull()) {
            return List.of();
        }
        return switch (column.getCode()) {
            case ARRAY -> structs.decode(row.list());
            case JSON -> ChangeRecordJson.read(row.string());
            case PROTO, BYTES -> List.of(ProtoRecords.decode(ProtoRecords.message(row)));
            default -> throw new IllegalArgumentException("no change record in a column of type " + column.getCode());
        };
    }
}
