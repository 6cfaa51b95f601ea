package dev.spream.flink;

import static dev.spream.flink.EnumeratorStage.child;
import static dev.spream.flink.EnumeratorStage.children;
import static dev.spream.flink.EnumeratorStage.tokens;
import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;

/** Tests of the binary form of state and messages. */
final class SerializersTest {
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");
    private static final MoveIn MOVE_IN = new MoveIn(at(7), tokens("x", "y"));
    private static final MoveOuts MOVE_OUTS = new MoveOuts("00000003", tokens("z"));
    private static final PartitionGap GAP = new PartitionGap(at(1), at(2).plusNanos(1));
    private static final PartitionEnd END = PartitionEnd.childPartitions(at(9), tokens("a", "b"));
    private static final PartitionSplit SPLIT = new PartitionSplit(
            new PartitionToken("t".repeat(20_000) + "ü"),
            PartitionToken.SNAPSHOT,
            Instant.parse("1969-01-01T00:00:00.5Z"),
            at(7).plusNanos(999_999_999),
            Set.of(new RecordIdentity(at(7), "tx", "1"), new RecordIdentity(at(7), "tx", "2")),
            Optional.of(MOVE_OUTS),
            Optional.of(MOVE_IN),
            List.of(children(9, child(List.of("p", "q"), "a", "b")), children(9, child(List.of(), "c"))),
            Optional.of(END),
            List.of(GAP));

    private static <T> T copy(SimpleVersionedSerializer<T> serializer, T value) throws IOException {
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(value));
    }

    @Test
    void a_split_comes_back_as_it_was() throws IOException {
        assertThat(copy(new PartitionSplitSerializer(), SPLIT)).isEqualTo(SPLIT);
        PartitionSplit fresh = new PartitionSplit(new PartitionToken("t"), new PartitionToken("t"), START);
        assertThat(copy(new PartitionSplitSerializer(), fresh)).isEqualTo(fresh);
    }

    @Test
    void a_state_comes_back_as_it_was() throws IOException {
        PartitionMetadata running = new PartitionMetadata(
                new PartitionToken("r"),
                tokens("p", "q"),
                START,
                PartitionState.RUNNING,
                at(8),
                3,
                Optional.of(new WorkerId("flink")),
                Optional.empty(),
                false,
                Optional.empty(),
                at(0),
                Optional.of(at(1)),
                Optional.of(at(2)),
                Optional.empty(),
                List.of(GAP),
                Optional.of(MOVE_IN),
                Optional.of(MOVE_OUTS));
        PartitionMetadata finished = new PartitionMetadata(
                new PartitionToken("p"),
                List.of(),
                START,
                PartitionState.FINISHED,
                at(9),
                1,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.of(END),
                at(0),
                Optional.of(at(1)),
                Optional.of(at(2)),
                Optional.of(at(3)),
                List.of(),
                Optional.empty(),
                Optional.empty());
        EnumeratorState state = new EnumeratorState(
                Optional.of(new SubscriptionRecord(
                        "Orders",
                        START,
                        Optional.of(LAST),
                        Duration.ofMillis(1500),
                        PartitionMode.MUTABLE_KEY_RANGE,
                        false,
                        Optional.of(PartitionToken.SNAPSHOT))),
                List.of(running, finished),
                List.of(new FinishedPartition(new PartitionToken("f"), tokens("p"), START, END, at(9), List.of(GAP))),
                List.of(SPLIT));
        assertThat(copy(new EnumeratorStateSerializer(), state)).isEqualTo(state);
        EnumeratorState empty = new EnumeratorState(Optional.empty(), List.of(), List.of(), List.of());
        assertThat(copy(new EnumeratorStateSerializer(), empty)).isEqualTo(empty);
    }

    @Test
    void messages_come_back_as_they_were() {
        PartitionToken token = new PartitionToken("t");
        List<SourceEvent> messages = List.of(
                new ReaderEvent.ReaderStarted(7),
                new ReaderEvent.Restored(List.of(SPLIT)),
                new ReaderEvent.ChildrenFound(token, SPLIT.children().getFirst()),
                new ReaderEvent.MovedIn(token, MOVE_IN),
                new ReaderEvent.ReadToEnd(SPLIT.progress(), END),
                new ReaderEvent.Progress(List.of(SPLIT.progress())),
                new EnumeratorEvent.ChildrenStored(token, SPLIT.children().getFirst()),
                new EnumeratorEvent.EndStored(token),
                new EnumeratorEvent.Proceed(token, MOVE_IN),
                new EnumeratorEvent.LowWatermark(LAST));
        assertThat(messages)
                .allSatisfy(message -> assertThat(EnumeratorStage.sent(message)).isEqualTo(message));
    }

    @Test
    void a_newer_format_is_refused() {
        assertThatThrownBy(() -> new PartitionSplitSerializer().deserialize(2, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a split of format 2")
                .hasMessageContaining("nothing was restored");
        assertThatThrownBy(() -> new EnumeratorStateSerializer().deserialize(2, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a lineage of format 2");
    }

    @Test
    void truncated_bytes_are_refused() throws IOException {
        byte[] bytes = new PartitionSplitSerializer().serialize(SPLIT);
        assertThatThrownBy(() -> new PartitionSplitSerializer().deserialize(1, Arrays.copyOf(bytes, 500)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void five_thousand_partitions_are_assigned_checkpointed_and_restored() throws IOException {
        int count = 5000;
        EnumeratorStage stage = EnumeratorStage.begin(20);
        Random random = new Random(1);
        ReaderEvent.ChildrenFound[] found = new ReaderEvent.ChildrenFound[count];
        for (int i = 0; i < count; i++) {
            found[i] = new ReaderEvent.ChildrenFound(
                    PartitionToken.ROOT, children(i % 10, child(List.of(), longToken(random))));
        }
        long start = System.nanoTime();
        for (ReaderEvent.ChildrenFound message : found) {
            stage.enumerator.handleSourceEvent(0, message);
        }
        long stored = System.nanoTime();
        stage.run();
        long assigned = System.nanoTime();
        assertThat(stage.given(0).size()).isBetween(count / 20, count / 20 + 1);
        EnumeratorState state = stage.checkpoint(2);
        long taken = System.nanoTime();
        EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
        byte[] bytes = serializer.serialize(state);
        long serialized = System.nanoTime();
        EnumeratorState read = serializer.deserialize(1, bytes);
        long deserialized = System.nanoTime();
        stage.complete(2);
        long completed = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            stage.run();
        }
        long ticked = System.nanoTime();
        assertThat(read).isEqualTo(state);
        assertThat(bytes).hasSizeLessThan(1_000_000);
        System.out.printf(
                "%d partitions: stored in %d ms, assigned in %d ms, state taken in %d ms, written in %d ms as %d KB, read in %d ms, settled in %d ms, a tick takes %.2f ms%n",
                count,
                millis(stored - start),
                millis(assigned - stored),
                millis(taken - assigned),
                millis(serialized - taken),
                bytes.length / 1024,
                millis(deserialized - serialized),
                millis(completed - deserialized),
                millis(ticked - completed) / 50.0);
        EnumeratorStage restored = EnumeratorStage.restore(20, read);
        for (int reader = 0; reader < 20; reader++) {
            restored.started(reader);
        }
        assertThat(restored.given(0)).isEmpty(); // the readers have them
    }

    private static String longToken(Random random) {
        byte[] bytes = new byte[105];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().encodeToString(bytes);
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }
}
