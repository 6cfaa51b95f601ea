package dev.spream.flink;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The binary form of splits in checkpoints and savepoints. */
final class PartitionSplitSerializer implements SimpleVersionedSerializer<PartitionSplit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(PartitionSplit split) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new BinaryWriter(bytes).split(split);
        return bytes.toByteArray();
    }

    @Override
    public PartitionSplit deserialize(int version, byte[] serialized) throws IOException {
        requireReadable("split", version, VERSION);
        return new BinaryReader(new ByteArrayInputStream(serialized)).split();
    }

    /** Refuses a state that a newer version of spream has written. */
    static void requireReadable(String what, int version, int newest) throws IOException {
        if (version < 1 || version > newest) {
            throw new IOException(
                    "the state has a %s of format %d, and this version of spream-flink reads formats up to %d; nothing was restored. Use the version of spream-flink that wrote the state, or a newer one"
                            .formatted(what, version, newest));
        }
    }
}
