package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Value;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.CommitLog.CommittedRow;
import dev.spream.flink.CommitCheck.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The controls of the check: it fails for one version of one key. */
class CommitCheckTest {
    private static final CommitLog LOG =
            () -> Stream.of(row("a", 1, 1), row("b", 1, 1), row("a", 2, 2), row("a", 3, 3), row("b", 2, 4))
                    .toList();

    private final Map<String, List<Version>> state = new HashMap<>(Map.of(
            "a", new ArrayList<>(List.of(version(1, 1), version(2, 2), version(3, 3))),
            "b", new ArrayList<>(List.of(version(1, 1), version(2, 4)))));

    @Test
    void every_version_once_in_order_passes() {
        CommitCheck.assertDelivered(LOG, state);
    }

    @Test
    void a_version_that_is_lost_doubled_invented_or_out_of_order_fails() {
        refuses(a -> a.removeFirst());
        refuses(a -> a.remove(1));
        refuses(a -> a.removeLast());
        refuses(a -> a.add(2, version(2, 2)));
        refuses(a -> a.add(version(4, 5)));
        refuses(a -> a.set(2, version(3, 4)));
        refuses(a -> a.addFirst(a.remove(1)));
        state.remove("b");
        assertThatThrownBy(() -> CommitCheck.assertDelivered(LOG, state)).isInstanceOf(AssertionError.class);
    }

    @Test
    void versions_up_to_a_snapshot_are_one_row() {
        state.put("a", List.of(version(2, 2), version(3, 3)));
        state.put("b", List.of(version(1, 2)));
        CommitCheck.assertDeliveredAfterSnapshot(LOG, at(2), at(3), state);
        state.put("b", List.of(version(1, 2), version(2, 4)));
        assertThatThrownBy(() -> CommitCheck.assertDeliveredAfterSnapshot(LOG, at(2), at(3), state))
                .isInstanceOf(AssertionError.class);
    }

    private void refuses(Consumer<List<Version>> wrong) {
        List<Version> versions = new ArrayList<>(state.get("a"));
        wrong.accept(versions);
        Map<String, List<Version>> other = new HashMap<>(state);
        other.put("a", versions);
        assertThatThrownBy(() -> CommitCheck.assertDelivered(LOG, other)).isInstanceOf(AssertionError.class);
    }

    private static Instant at(long second) {
        return Instant.ofEpochSecond(second);
    }

    private static Version version(long number, long second) {
        return new Version(at(second), number);
    }

    private static CommittedRow row(String key, long version, long second) {
        return new CommittedRow(
                at(second), "Counters", false, Map.of("Id", value(key), "Version", value(Long.toString(version))));
    }

    private static Value value(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }
}
