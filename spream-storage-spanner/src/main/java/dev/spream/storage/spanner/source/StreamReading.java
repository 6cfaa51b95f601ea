package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ProtobufResultSet;
import com.google.cloud.spanner.ResultSet;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.UndecodableChange;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A query of a change stream. Its rows are decoded from the values of the protocol: the client's structs would cost more
 * than all further processing.
 */
public final class StreamReading implements Reading {
    private final Supplier<ResultSet> query;
    private @Nullable ChangeRecordDecoder decoder;

    /** @param query sends the query, with {@link com.google.cloud.spanner.DecodeMode#LAZY_PER_COL} */
    public StreamReading(Supplier<ResultSet> query) {
        this.query = query;
    }

    @Override
    public ResultSet open() {
        return query.get();
    }

    @Override
    public List<ChangeRecord> row(ResultSet row) {
        ChangeRecordDecoder known = decoder;
        if (known == null) {
            known = new ChangeRecordDecoder(type(row));
            decoder = known;
        }
        return known.decode(value(row));
    }

    @Override
    public Optional<UndecodableChange> undecodable(ResultSet row) {
        return RawRow.change(type(row), value(row));
    }

    private static Type type(ResultSet row) {
        return row.getMetadata().getRowType().getFields(0).getType();
    }

    private static Value value(ResultSet row) {
        if (row instanceof ProtobufResultSet values && values.canGetProtobufValue(0)) {
            return values.getProtobufValue(0);
        }
        throw new IllegalStateException(
                "the client returns no values of the protocol (%s): use a client of google-cloud-spanner".formatted(row.getClass().getName()));
    }
}
