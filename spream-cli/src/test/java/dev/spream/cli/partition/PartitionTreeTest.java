package dev.spream.cli.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The three forms of {@code partitions}, over a storage on a clock that stands still. */
final class PartitionTreeTest {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant NOW = START.plusSeconds(100);
    private static final WorkerId ANN = new WorkerId("ann");
    private static final Duration RETENTION = Duration.ofMinutes(2);

    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage(() -> NOW);

    @Test
    void the_live_tree_shows_what_is_unfinished_and_what_it_continues() {
        mergeAndSplit();
        assertThat(lines(false))
                .containsExactly(
                        "Orders from 2026-03-01T10:00:00Z without end: low watermark 2026-03-01T10:00:20Z of partition e, behind by 1m 20s, changes are lost in 40.0s",
                        "worker ann: alive, reads 1 of at most 7 partitions",
                        "6 partitions stored (1 CREATED, 1 RUNNING, 4 FINISHED), 0 removed with proof; 3 shown",
                        "PARTITION  STATE     OWNER  EPOCH  WATERMARK             LAG     LOST IN",
                        "c          FINISHED  -      1      2026-03-01T10:00:20Z  -       -",
                        "  d        RUNNING   ann    1      2026-03-01T10:00:30Z  1m 10s  50.0s",
                        "  e        CREATED   -      0      2026-03-01T10:00:20Z  1m 20s  40.0s");
    }

    @Test
    void the_whole_tree_names_the_other_parents_of_a_merge() {
        mergeAndSplit();
        assertThat(lines(true).stream().skip(4).map(line -> line.replaceAll("(\\w) {2,}.* {2,}", "$1 | ")))
                .containsExactly(
                        "Parent0 | -",
                        "  a | -",
                        "  > c | also continues b",
                        "    d | 50.0s",
                        "    e | 40.0s",
                        "  b | -");
    }

    @Test
    void partitions_that_only_moved_stay_in_their_column() {
        List<String> chain =
                IntStream.range(0, 1_000).mapToObj("p%03d"::formatted).toList();
        PartitionLease lease = root();
        String before = "";
        for (String token : chain) {
            finish(lease, 1, before.isEmpty() ? child(token) : child(token, before));
            lease = running(token);
            before = token;
        }
        assertThat(lines(true))
                .hasSize(chain.size() + 4)
                .allSatisfy(line -> assertThat(line.length()).isLessThan(200));
        assertThat(lines(false)).hasSize(5);
    }

    @Test
    void a_thousand_partitions_are_one_line_each() {
        ChildPartition[] many = IntStream.range(0, 1_000)
                .mapToObj(i -> child("token-%08d".formatted(i)))
                .toArray(ChildPartition[]::new);
        finish(root(), 0, many);
        assertThat(lines(false)).hasSize(2 + 1 + many.length);
    }

    @Test
    void without_the_retention_nothing_is_said_of_losses() {
        mergeAndSplit();
        List<String> lines = PartitionTree.lines(view(false, Optional.empty()));
        assertThat(lines.getFirst()).endsWith("behind by 1m 20s");
        assertThat(lines.getLast()).endsWith("1m 20s  -");
    }

    @Test
    void a_wait_for_a_move_in_has_a_line_and_a_mark_in_every_form() {
        PartitionLease root = root();
        finish(root, 0, child("a"), child("b"));
        running("a");
        PartitionLease b = running("b");
        storage.waitForMoveIn(b, new MoveIn(START.plusSeconds(30), List.of(new PartitionToken("a"))));
        storage.advanceWatermarks(List.of(new WatermarkAdvance(b, START.plusSeconds(30))));

        assertThat(lines(false))
                .contains(
                        "partition b waits at 2026-03-01T10:00:30Z for a, where key ranges moved in from, unless its worker reads it ahead of them");
        assertThat(lines(false).getLast()).endsWith("waits for a move-in");
        JsonObject waiting = JsonObject.of(PartitionsJson.write(view(false, Optional.empty())))
                .objects("partitions")
                .getLast();
        assertThat(waiting.object("move_in").orElseThrow().members())
                .isEqualTo(
                        Map.of("timestamp", "2026-03-01T10:00:30Z", "sources", List.of("a"), "awaited", List.of("a")));
        assertThat(PartitionGraph.lines(view(false, Optional.empty()))).contains("  \"a\" -> \"b\" [style=dashed]");
    }

    @Test
    void json_has_what_is_known_under_names_that_last() {
        mergeAndSplit();
        JsonObject json = JsonObject.of(PartitionsJson.write(view(true, Optional.of(RETENTION))));
        assertThat(json.members().keySet())
                .containsExactly("subscription", "read_at", "retention_seconds", "removed", "workers", "partitions");
        assertThat(json.objects("workers").getFirst().members())
                .containsEntry("worker", "ann")
                .containsEntry("alive", true);
        JsonObject c = json.objects("partitions").stream()
                .filter(partition -> partition.string("token").orElseThrow().equals("c"))
                .findFirst()
                .orElseThrow();
        assertThat(c.members())
                .containsEntry("parent_tokens", List.of("a", "b"))
                .containsEntry("state", "FINISHED")
                .containsEntry("start_timestamp", "2026-03-01T10:00:10Z")
                .doesNotContainKeys("lag_seconds", "lease_until");
        assertThat(c.object("end").orElseThrow().members())
                .isEqualTo(Map.of(
                        "kind", "CHILD_PARTITIONS", "at", "2026-03-01T10:00:20Z", "children", List.of("d", "e")));
    }

    @Test
    void the_graph_has_an_edge_from_each_parent() {
        mergeAndSplit();
        assertThat(PartitionGraph.lines(view(true, Optional.empty())))
                .startsWith("digraph partitions {")
                .contains("  \"a\" -> \"c\"", "  \"b\" -> \"c\"", "  \"Parent0\" -> \"a\"")
                .contains("  \"d\" [label=\"d\\nRUNNING ann\\nlag 1m 10s\", fillcolor=palegreen]")
                .endsWith("}");
    }

    /** The root in a and b; both in c at 10; c in d and e at 20; d is read to 30. */
    private void mergeAndSplit() {
        finish(root(), 0, child("a"), child("b"));
        PartitionLease a = running("a");
        PartitionLease b = running("b");
        finish(a, 10, child("c", "a", "b"));
        finish(b, 10, child("c", "a", "b"));
        finish(running("c"), 20, child("d", "c"), child("e", "c"));
        storage.advanceWatermarks(List.of(new WatermarkAdvance(running("d"), START.plusSeconds(30))));
        storage.registerWorker(ANN, 7, Duration.ofMinutes(1));
    }

    private PartitionLease root() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        return running(PartitionToken.ROOT.value());
    }

    private PartitionLease running(String token) {
        PartitionClaim claim = PartitionClaim.of(
                storage.lineage().partition(new PartitionToken(token)).orElseThrow());
        PartitionLease lease =
                storage.acquire(ANN, List.of(claim), Duration.ofMinutes(1)).getFirst();
        storage.markRunning(lease);
        return lease;
    }

    private void finish(PartitionLease lease, long seconds, ChildPartition... children) {
        Instant at = START.plusSeconds(seconds);
        storage.addChildren(lease, new ChildPartitionsRecord(at, "0", List.of(children)));
        List<PartitionToken> tokens = Arrays.stream(children)
                .map(child -> new PartitionToken(child.token()))
                .toList();
        storage.finish(lease, at, PartitionEnd.childPartitions(at, tokens));
    }

    private static ChildPartition child(String token, String... parents) {
        return new ChildPartition(token, List.of(parents));
    }

    private List<String> lines(boolean all) {
        return PartitionTree.lines(view(all, Optional.of(RETENTION)));
    }

    private PartitionView view(boolean all, Optional<Duration> retention) {
        return PartitionView.of(StoredSubscription.read(new OpenStorage(storage, "memory", () -> {})), all, retention);
    }
}
