package dev.spream.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.Serial;
import java.time.Instant;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes change records as their JSON, in UTF-8 after the number of its bytes. */
final class ChangeRecordSerializer extends TypeSerializerSingleton<DataChangeRecord> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public DataChangeRecord createInstance() {
        return DataChangeRecord.withoutRows(Instant.EPOCH, "", "", "");
    }

    @Override
    public DataChangeRecord copy(DataChangeRecord from) {
        return from;
    }

    @Override
    public DataChangeRecord copy(DataChangeRecord from, DataChangeRecord reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1; // not fixed
    }

    @Override
    public void serialize(DataChangeRecord change, DataOutputView target) throws IOException {
        byte[] json = change.toJson().getBytes(UTF_8);
        target.writeInt(json.length);
        target.write(json);
    }

    @Override
    public DataChangeRecord deserialize(DataInputView source) throws IOException {
        byte[] json = new byte[source.readInt()];
        source.readFully(json);
        return ChangeRecordJson.readDataChange(new String(json, UTF_8));
    }

    @Override
    public DataChangeRecord deserialize(DataChangeRecord reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        int length = source.readInt();
        target.writeInt(length);
        target.write(source, length);
    }

    @Override
    public TypeSerializerSnapshot<DataChangeRecord> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer, as a checkpoint names it. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<DataChangeRecord> {
        /** Creates the snapshot; called by Flink. */
        public Snapshot() {
            super(ChangeRecordSerializer::new);
        }
    }
}
