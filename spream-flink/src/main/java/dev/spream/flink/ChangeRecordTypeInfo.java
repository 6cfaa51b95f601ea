package dev.spream.flink;

import dev.spream.core.record.DataChangeRecord;
import java.io.Serial;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The type of change records, which are serialized by {@link ChangeRecordSerializer}. */
final class ChangeRecordTypeInfo extends TypeInformation<DataChangeRecord> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<DataChangeRecord> getTypeClass() {
        return DataChangeRecord.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<DataChangeRecord> createSerializer(SerializerConfig config) {
        return new ChangeRecordSerializer();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ChangeRecordTypeInfo;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChangeRecordTypeInfo;
    }

    @Override
    public int hashCode() {
        return ChangeRecordTypeInfo.class.hashCode();
    }

    @Override
    public String toString() {
        return DataChangeRecord.class.getSimpleName();
    }
}
