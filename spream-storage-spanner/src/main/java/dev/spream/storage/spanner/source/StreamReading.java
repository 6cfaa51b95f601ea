package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import dev.spream.core.record.ChangeRecord;
import java.util.List;
import java.util.function.Supplier;

/** A query of a change stream. */
public record StreamReading(Supplier<ResultSet> query) implements Reading {
    @Override
    public ResultSet open() {
        return query.get();
    }

    @Override
    public List<ChangeRecord> row(ResultSet row) {
        return ChangeRecordDecoder.decode(row);
    }
}
