package dev.spream.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.RecordIdentity;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what {@link BinaryWriter} has written, in the same order. */
final class BinaryReader {
    private static final int SEVEN_BITS = 0x7f;

    /** Reads one value. */
    interface Item<T> {
        T read() throws IOException;
    }

    private final DataInputStream in;
    private final List<String> texts = new ArrayList<>();

    BinaryReader(InputStream in) {
        this.in = new DataInputStream(in);
    }

    long number() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE - 1) {
            int next = in.readUnsignedByte();
            value |= (long) (next & SEVEN_BITS) << shift;
            if (next <= SEVEN_BITS) {
                return value;
            }
        }
        throw new IOException("a number has more than 64 bits: the bytes are not what spream has written");
    }

    private int count() throws IOException {
        return Math.toIntExact(number());
    }

    boolean flag() throws IOException {
        return in.readBoolean();
    }

    String text() throws IOException {
        int known = count();
        if (known > 0) {
            return texts.get(known - 1);
        }
        int length = count();
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the bytes end within a text");
        }
        String text = new String(bytes, UTF_8);
        texts.add(text);
        return text;
    }

    <E extends Enum<E>> E name(Class<E> type) throws IOException {
        return Enum.valueOf(type, text());
    }

    Instant instant() throws IOException {
        long seconds = number();
        return Instant.ofEpochSecond(seconds, number());
    }

    Duration duration() throws IOException {
        long seconds = number();
        return Duration.ofSeconds(seconds, number());
    }

    PartitionToken token() throws IOException {
        return new PartitionToken(text());
    }

    <T> Optional<T> optional(Item<T> item) throws IOException {
        return flag() ? Optional.of(item.read()) : Optional.empty();
    }

    <T> List<T> list(Item<T> item) throws IOException {
        int count = count();
        List<T> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(item.read());
        }
        return values;
    }

    PartitionGap gap() throws IOException {
        Instant from = instant();
        return new PartitionGap(from, instant());
    }

    MoveIn moveIn() throws IOException {
        Instant timestamp = instant();
        return new MoveIn(timestamp, list(this::token));
    }

    MoveOuts moveOuts() throws IOException {
        String recordSequence = text();
        return new MoveOuts(recordSequence, list(this::token));
    }

    PartitionEnd end() throws IOException {
        PartitionEnd.Kind kind = name(PartitionEnd.Kind.class);
        Instant at = instant();
        return new PartitionEnd(kind, at, list(this::token));
    }

    RecordIdentity identity() throws IOException {
        Instant committed = instant();
        String transaction = text();
        return new RecordIdentity(committed, transaction, text());
    }

    ChildPartitionsRecord children() throws IOException {
        Instant start = instant();
        String recordSequence = text();
        return new ChildPartitionsRecord(start, recordSequence, list(this::child));
    }

    private ChildPartition child() throws IOException {
        String token = text();
        return new ChildPartition(token, list(this::text));
    }

    PartitionSplit split() throws IOException {
        PartitionToken token = token();
        PartitionToken query = token();
        Instant startTimestamp = instant();
        Instant position = instant();
        Set<RecordIdentity> emitted = Set.copyOf(list(this::identity));
        Optional<MoveOuts> moveOuts = optional(this::moveOuts);
        Optional<MoveIn> moveIn = optional(this::moveIn);
        List<ChildPartitionsRecord> children = list(this::children);
        Optional<PartitionEnd> end = optional(this::end);
        return new PartitionSplit(
                token, query, startTimestamp, position, emitted, moveOuts, moveIn, children, end, list(this::gap));
    }

    SplitProgress progress() throws IOException {
        PartitionToken token = token();
        Instant position = instant();
        Optional<MoveOuts> moveOuts = optional(this::moveOuts);
        return new SplitProgress(token, position, moveOuts, list(this::gap));
    }

    SubscriptionRecord subscription() throws IOException {
        String streamName = text();
        Instant startTimestamp = instant();
        Optional<Instant> endTimestamp = optional(this::instant);
        Duration heartbeatInterval = duration();
        PartitionMode mode = name(PartitionMode.class);
        boolean completed = flag();
        return new SubscriptionRecord(
                streamName, startTimestamp, endTimestamp, heartbeatInterval, mode, completed, optional(this::token));
    }

    /** Reads a partition; its lease is not live. */
    PartitionMetadata partition() throws IOException {
        PartitionToken token = token();
        List<PartitionToken> parents = list(this::token);
        Instant startTimestamp = instant();
        PartitionState state = name(PartitionState.class);
        Instant watermark = instant();
        long epoch = number();
        Optional<WorkerId> owner = optional(this::text).map(WorkerId::new);
        Optional<PartitionEnd> end = optional(this::end);
        Instant createdAt = instant();
        Optional<Instant> scheduledAt = optional(this::instant);
        Optional<Instant> runningAt = optional(this::instant);
        Optional<Instant> finishedAt = optional(this::instant);
        List<PartitionGap> gaps = list(this::gap);
        Optional<MoveIn> moveIn = optional(this::moveIn);
        return new PartitionMetadata(
                token,
                parents,
                startTimestamp,
                state,
                watermark,
                epoch,
                owner,
                Optional.empty(),
                false,
                end,
                createdAt,
                scheduledAt,
                runningAt,
                finishedAt,
                gaps,
                moveIn,
                optional(this::moveOuts));
    }

    FinishedPartition finished() throws IOException {
        PartitionToken token = token();
        List<PartitionToken> parents = list(this::token);
        Instant startTimestamp = instant();
        PartitionEnd end = end();
        Instant finishedAt = instant();
        return new FinishedPartition(token, parents, startTimestamp, end, finishedAt, list(this::gap));
    }
}
