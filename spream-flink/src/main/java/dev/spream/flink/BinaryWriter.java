package dev.spream.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.RecordIdentity;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Writes values of spream in the binary form of the state and of messages, which {@link BinaryReader} reads. A text that
 * was written before is written as its number.
 */
final class BinaryWriter {
    private static final int SEVEN_BITS = 0x7f;

    /** Writes one value. */
    interface Item<T> {
        void write(T value) throws IOException;
    }

    private final DataOutputStream out;
    private final Map<String, Integer> texts = new HashMap<>();

    BinaryWriter(OutputStream out) {
        this.out = new DataOutputStream(out);
    }

    void number(long value) throws IOException {
        long rest = value;
        while ((rest & ~SEVEN_BITS) != 0) {
            out.writeByte((int) (rest & SEVEN_BITS) | ~SEVEN_BITS);
            rest >>>= Byte.SIZE - 1;
        }
        out.writeByte((int) rest);
    }

    void flag(boolean value) throws IOException {
        out.writeBoolean(value);
    }

    void text(String value) throws IOException {
        Integer known = texts.putIfAbsent(value, texts.size() + 1);
        if (known != null) {
            number(known);
            return;
        }
        number(0);
        byte[] bytes = value.getBytes(UTF_8);
        number(bytes.length);
        out.write(bytes);
    }

    void name(Enum<?> value) throws IOException {
        text(value.name());
    }

    void instant(Instant value) throws IOException {
        number(value.getEpochSecond());
        number(value.getNano());
    }

    void duration(Duration value) throws IOException {
        number(value.getSeconds());
        number(value.getNano());
    }

    void token(PartitionToken value) throws IOException {
        text(value.value());
    }

    <T> void optional(Optional<T> value, Item<T> item) throws IOException {
        flag(value.isPresent());
        if (value.isPresent()) {
            item.write(value.get());
        }
    }

    <T> void list(Collection<T> values, Item<T> item) throws IOException {
        number(values.size());
        for (T value : values) {
            item.write(value);
        }
    }

    void gap(PartitionGap value) throws IOException {
        instant(value.from());
        instant(value.to());
    }

    void moveIn(MoveIn value) throws IOException {
        instant(value.timestamp());
        list(value.sources(), this::token);
    }

    void moveOuts(MoveOuts value) throws IOException {
        text(value.recordSequence());
        list(value.destinations(), this::token);
    }

    void end(PartitionEnd value) throws IOException {
        name(value.kind());
        instant(value.at());
        list(value.children(), this::token);
    }

    void identity(RecordIdentity value) throws IOException {
        instant(value.commitTimestamp());
        text(value.serverTransactionId());
        text(value.recordSequence());
    }

    void children(ChildPartitionsRecord value) throws IOException {
        instant(value.startTimestamp());
        text(value.recordSequence());
        list(value.childPartitions(), this::child);
    }

    private void child(ChildPartition value) throws IOException {
        text(value.token());
        list(value.parentTokens(), this::text);
    }

    void split(PartitionSplit value) throws IOException {
        token(value.token());
        token(value.query());
        instant(value.startTimestamp());
        instant(value.position());
        list(value.emitted(), this::identity);
        optional(value.moveOuts(), this::moveOuts);
        optional(value.moveIn(), this::moveIn);
        list(value.children(), this::children);
        optional(value.end(), this::end);
        list(value.gaps(), this::gap);
    }

    void progress(SplitProgress value) throws IOException {
        token(value.token());
        instant(value.position());
        optional(value.moveOuts(), this::moveOuts);
        list(value.gaps(), this::gap);
    }

    void subscription(SubscriptionRecord value) throws IOException {
        text(value.streamName());
        instant(value.startTimestamp());
        optional(value.endTimestamp(), this::instant);
        duration(value.heartbeatInterval());
        name(value.partitionMode());
        flag(value.completed());
        optional(value.snapshot(), this::token);
    }

    void partition(PartitionMetadata value) throws IOException {
        token(value.token());
        list(value.parentTokens(), this::token);
        instant(value.startTimestamp());
        name(value.state());
        instant(value.watermark());
        number(value.epoch());
        optional(value.owner().map(WorkerId::value), this::text);
        optional(value.endProof(), this::end);
        instant(value.createdAt());
        optional(value.scheduledAt(), this::instant);
        optional(value.runningAt(), this::instant);
        optional(value.finishedAt(), this::instant);
        list(value.gaps(), this::gap);
        optional(value.moveIn(), this::moveIn);
        optional(value.moveOuts(), this::moveOuts);
    }

    void finished(FinishedPartition value) throws IOException {
        token(value.token());
        list(value.parentTokens(), this::token);
        instant(value.startTimestamp());
        end(value.endProof());
        instant(value.finishedAt());
        list(value.gaps(), this::gap);
    }
}
