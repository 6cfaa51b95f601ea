package dev.spream.flink;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.SubscriptionRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The binary form of the enumerator's state, compressed. */
final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EnumeratorState state) throws IOException {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        BinaryWriter out = new BinaryWriter(plain);
        out.optional(state.subscription(), out::subscription);
        out.list(state.partitions(), out::partition);
        out.list(state.finished(), out::finished);
        out.list(state.returned(), out::split);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream compressed = new DeflaterOutputStream(bytes)) {
            plain.writeTo(compressed);
        }
        return bytes.toByteArray();
    }

    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        PartitionSplitSerializer.requireReadable("lineage", version, VERSION);
        try (InputStream plain = new InflaterInputStream(new ByteArrayInputStream(serialized))) {
            BinaryReader in = new BinaryReader(new ByteArrayInputStream(plain.readAllBytes()));
            Optional<SubscriptionRecord> subscription = in.optional(in::subscription);
            List<PartitionMetadata> partitions = in.list(in::partition);
            List<FinishedPartition> finished = in.list(in::finished);
            return new EnumeratorState(subscription, partitions, finished, in.list(in::split));
        }
    }
}
