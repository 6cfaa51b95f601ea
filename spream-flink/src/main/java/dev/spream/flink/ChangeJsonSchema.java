package dev.spream.flink;

import dev.spream.core.record.DataChangeRecord;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** Emits each change record as one line of JSON. */
final class ChangeJsonSchema implements ChangeDeserializationSchema<String> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public void deserialize(DataChangeRecord change, Collector<String> out) {
        out.collect(change.toJson());
    }

    @Override
    public TypeInformation<String> getProducedType() {
        return Types.STRING;
    }
}
