package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.children;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.renameOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.Fault.Kind;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import io.grpc.Status;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults by themselves. */
@Timeout(60)
class FaultRateTest {
    private static final int QUERIES = 20_000;

    @Test
    void the_same_seed_draws_the_same_faults_in_whatever_order_partitions_are_queried() {
        FaultDraw one = new FaultDraw(FaultRates.share(0.5), 7);
        FaultDraw other = new FaultDraw(FaultRates.share(0.5), 7);
        List<Optional<Fault>> a = draw(one, "a", 50);
        List<Optional<Fault>> b = draw(one, "b", 50);
        assertThat(draw(other, "b", 50)).isEqualTo(b);
        assertThat(draw(other, "a", 50)).isEqualTo(a);
        assertThat(a).isNotEqualTo(b);
        assertThat(draw(new FaultDraw(FaultRates.share(0.5), 8), "a", 50)).isNotEqualTo(a);
    }

    @Test
    void each_kind_strikes_its_share_of_the_queries() {
        FaultRates rates = FaultRates.none()
                .with(Kind.UNAVAILABLE, 0.3)
                .with(Kind.STALL, 0.1)
                .withinRows(4);
        List<Fault> drawn = draw(new FaultDraw(rates, 1), "", QUERIES).stream()
                .flatMap(Optional::stream)
                .toList();
        assertThat(share(drawn, Kind.UNAVAILABLE)).isCloseTo(0.3, within(0.02));
        assertThat(share(drawn, Kind.STALL)).isCloseTo(0.1, within(0.02));
        assertThat(drawn).extracting(Fault::kind).containsOnly(Kind.UNAVAILABLE, Kind.STALL);
        assertThat(drawn).extracting(Fault::afterRows).containsOnly(0, 1, 2, 3, 4);
    }

    private static double share(List<Fault> drawn, Kind kind) {
        return drawn.stream().filter(fault -> fault.kind() == kind).count() / (double) QUERIES;
    }

    @Test
    void an_even_share_holds_every_harmless_kind_and_no_other() {
        assertThat(FaultRates.share(0.5).byKind().keySet())
                .containsExactlyElementsOf(
                        Arrays.stream(Kind.values()).filter(Kind::isHarmless).toList());
        assertThat(FaultRates.share(0.5).byKind().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isCloseTo(0.5, within(1e-6));
        assertThat(draw(new FaultDraw(FaultRates.none(), 1), "", 100)).containsOnly(Optional.empty());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"RETENTION_LOST", "PARTITION_EXPIRED", "OUTSIDE_PARTITION"})
    void unrecoverable_faults_have_no_rate(Kind kind) {
        assertThatThrownBy(() -> FaultRates.none().with(kind, 0.1)).hasMessageContaining(kind.toString());
    }

    @Test
    void a_reader_must_be_able_to_get_on() {
        assertThat(FaultRates.share(0.9).withinRows(1).withinRows()).isEqualTo(1);
        assertThatThrownBy(() -> FaultRates.share(0.91)).hasMessageContaining("must not exceed 0.9");
        assertThatThrownBy(() -> FaultRates.share(-0.1)).hasMessageContaining("negative");
        assertThatThrownBy(() -> FaultRates.share(Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> FaultRates.none().withinRows(0)).hasMessageContaining("at least 1");
    }

    @Test
    void a_query_with_an_end_does_not_end_cleanly_before_it() {
        FaultDraw draw = new FaultDraw(FaultRates.none().with(Kind.CLEAN_END, 0.9), 1);
        assertThat(IntStream.range(0, 100).mapToObj(i -> draw.next("", true))).containsOnly(Optional.empty());
        assertThat(draw(draw, "", 100)).contains(Optional.empty()).anyMatch(Optional::isPresent);
    }

    @Test
    void a_query_does_not_stall_by_itself_before_its_first_row() throws Exception {
        FaultRates stalls = FaultRates.none().with(Kind.STALL, 0.9).withinRows(1);
        try (StreamRig rig = rig(1, stalls)) {
            for (int i = 0; i < 30; i++) {
                rig.partitions().move(rig.onlyToken());
            }
            for (var partition : rig.partitions().all().subList(0, 30)) {
                RowCollector query = rig.ask(query(partition.token(), partition.start(), null));
                assertThat(query.awaitEnd()).isEqualTo(Status.OK);
            }
            assertThat(rig.faults().counts().total()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void a_reader_that_queries_again_gets_every_change_in_order_whatever_breaks(long seed) throws Exception {
        FaultRates rates = FaultRates.share(0.8).with(Kind.STALL, 0).withinRows(5);
        try (StreamRig rig = rig(seed, rates)) {
            for (int i = 0; i < 400; i++) {
                rig.commit(insertOrder(i));
                if (i % 20 == 19) {
                    String changed = rig.partitions().live().getFirst().token();
                    List<String> halves = rig.partitions().split(changed);
                    rig.partitions().merge(halves.get(0), halves.get(1));
                }
            }
            assertThat(readAll(rig)).doesNotHaveDuplicates().hasSize(400);
            assertThat(rig.faults().counts().byKind())
                    .containsKeys(Kind.UNAVAILABLE, Kind.CLEAN_END, Kind.DUPLICATES, Kind.BETWEEN_CHILD_RECORDS);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void a_reader_of_mutable_key_ranges_that_queries_again_gets_every_change_in_order(long seed) throws Exception {
        FaultRates rates = FaultRates.share(0.8).with(Kind.STALL, 0).withinRows(5);
        DrivenClock time = DrivenClock.startingAt(T0);
        try (StreamRig rig =
                new StreamRig(time, seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 2, PartitionChurn.none(), rates)) {
            rig.ddl(StreamRig.MUTABLE);
            Random random = new Random(seed);
            Map<String, List<Instant>> committed = new HashMap<>();
            for (int i = 0; i < 600; i++) {
                int key = random.nextInt(50);
                Instant at = rig.commit(renameOrder(key));
                committed
                        .computeIfAbsent("{\"Id\":\"" + key + "\"}", each -> new ArrayList<>())
                        .add(at);
                if (i % 10 == 9) {
                    rig.churn(random);
                }
            }
            MovingKeysReader reader = MovingKeysReader.read(rig, T0, rig.clock.now(), seed);

            assertThat(reader.deliverByKey()).isEqualTo(committed);
            assertThat(rig.faults().counts().byKind())
                    .containsKeys(Kind.UNAVAILABLE, Kind.DUPLICATES, Kind.BETWEEN_CHILD_RECORDS, Kind.OLD_EVENT);
        }
    }

    /** The keys of all changes in partitions that have ended. */
    private static List<String> readAll(StreamRig rig) throws InterruptedException {
        List<String> keys = new ArrayList<>();
        Set<String> known = new HashSet<>();
        Deque<ReadRow.Children> open = new ArrayDeque<>(readToProof(rig, null, T0, keys));
        while (!open.isEmpty()) {
            ReadRow.Children next = open.remove();
            for (ReadRow.Child child : next.children()) {
                boolean ended = rig.partitions().live().stream()
                        .noneMatch(live -> live.token().equals(child.token()));
                if (ended && known.add(child.token())) {
                    open.addAll(readToProof(rig, child.token(), next.start(), keys));
                }
            }
        }
        return keys;
    }

    /** Queries until one returned children and ended with OK, and returns its child records. */
    private static List<ReadRow.Children> readToProof(
            StreamRig rig, @Nullable String token, Instant start, List<String> keys) throws InterruptedException {
        Set<String> seen = new HashSet<>();
        Instant position = start;
        while (true) {
            RowCollector query = rig.ask(query(token, position, null));
            for (ReadRow.Data change : data(query.rows())) {
                change.keys().stream().filter(seen::add).forEach(keys::add);
                position = change.commit().isAfter(position) ? change.commit() : position;
            }
            if (query.awaitEnd().isOk() && !children(query.rows()).isEmpty()) {
                return children(query.rows());
            }
        }
    }

    private static StreamRig rig(long seed, FaultRates rates) {
        StreamRig rig = new StreamRig(
                DrivenClock.startingAt(T0), seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none(), rates);
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        return rig;
    }

    private static List<Optional<Fault>> draw(FaultDraw draw, String token, int count) {
        return IntStream.range(0, count).mapToObj(i -> draw.next(token, false)).toList();
    }
}
