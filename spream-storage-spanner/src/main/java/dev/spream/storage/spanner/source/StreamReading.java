package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import com.google.spanner.v1.Type;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.UndecodableChange;
import dev.spream.storage.spanner.client.EncodedValues;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A query of a change stream. Its rows are decoded from the bytes of the protocol: the objects of the client would cost
 * more than all further processing.
 */
public final class StreamReading implements Reading {
    private final Supplier<ResultSet> query;
    private @Nullable ChangeRecordDecoder decoder;

    /** @param query sends the query, with {@link com.google.cloud.spanner.DecodeMode#LAZY_PER_COL} */
    public StreamReading(Supplier<ResultSet> query) {
        this.query = query;
    }

    @Override
    public boolean readsEncoded() {
        return true;
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

    private static EncodedValue value(ResultSet row) {
        return EncodedValue.of(EncodedValues.of(ProtoValues.of(row, 0)));
    }

    private static Type type(ResultSet row) {
        return row.getMetadata().getRowType().getFields(0).getType();
    }
}
