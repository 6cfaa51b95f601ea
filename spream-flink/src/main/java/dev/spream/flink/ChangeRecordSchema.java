package dev.spream.flink;

import dev.spream.core.record.DataChangeRecord;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

/** Emits change records as they are. */
final class ChangeRecordSchema implements ChangeDeserializationSchema<DataChangeRecord> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public void deserialize(DataChangeRecord change, Collector<DataChangeRecord> out) {
        out.collect(change);
    }

    @Override
    public TypeInformation<DataChangeRecord> getProducedType() {
        return new ChangeRecordTypeInfo();
    }
}
