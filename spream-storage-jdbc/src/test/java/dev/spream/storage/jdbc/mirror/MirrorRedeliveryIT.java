package dev.spream.storage.jdbc.mirror;

import static dev.spream.storage.jdbc.mirror.MirrorBatch.batch;
import static dev.spream.storage.jdbc.mirror.MirrorBatch.transaction;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.SpreamException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that redelivery, from any worker, in any batches, and with failures in between, leaves the rows unchanged. */
@Timeout(180)
final class MirrorRedeliveryIT {
    private static final MirrorChanges TABLE = MirrorChanges.ofNames("T");

    private final TestDatabase database = new TestDatabase();
    private final MirrorRows rows = new MirrorRows(database);
    private final JdbcMirror mirror = JdbcMirror.builder(database.dataSource(), "orders")
            .createTables(true)
            .build();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_old_change_that_comes_again_does_not_undo_a_newer_one() throws Exception {
        DataChangeRecord first = TABLE.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"old\"}");
        DataChangeRecord second = TABLE.update(2, "{\"Id\":\"1\"}", "{\"Name\":\"new\"}");
        mirror.consume(batch(first, second));
        mirror.consume(batch(first));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,new)");

        mirror.consume(batch(first, second, TABLE.delete(3, "{\"Id\":\"1\"}")));
        mirror.consume(batch(first, second));
        assertThat(rows.of("\"T\"", "1")).isEmpty();
    }

    @Test
    void a_replayed_dead_letter_takes_effect_once() throws Exception {
        mirror.consume(batch(TABLE.insert(5, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        Delivery replay = Delivery.ofReplay(new PartitionToken("p"), 1);

        mirror.consume(TABLE.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"dead letter\"}"), replay);
        mirror.consume(batch(TABLE.delete(6, "{\"Id\":\"2\"}")));
        mirror.consume(TABLE.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"dead letter\"}"), replay);

        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)");
    }

    /** Each worker brings the whole history in order, in batches of its own, as after a crash at every moment. */
    @Test
    void workers_that_all_bring_the_same_history_leave_what_one_would_have_left() throws Exception {
        long seed = Long.getLong("mirror.seed", new Random().nextLong());
        List<DataChangeRecord> history = history(new Random(seed), 400);
        List<Callable<Boolean>> workers = new ArrayList<>();
        for (int worker = 0; worker < 5; worker++) {
            Random random = new Random(seed + worker);
            JdbcMirror own = JdbcMirror.builder(database.dataSource(), "orders")
                    .createTables(true)
                    .build();
            workers.add(() -> {
                int next = 0;
                while (next < history.size()) {
                    int from = Math.max(0, next - random.nextInt(25));
                    next = Math.min(history.size(), next + 1 + random.nextInt(20));
                    own.consume(batch(history.subList(from, next).toArray(new DataChangeRecord[0])));
                }
                return true;
            });
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> done : threads.invokeAll(workers)) {
                assertThat(done.get(120, SECONDS)).isTrue();
            }
        }
        assertThat(rows.of("\"T\"", "\"Id\"")).as("-Dmirror.seed=%d", seed).isEqualTo(expected);
        assertThat(rows.texts("SELECT count(*) FROM spream.applied_change")).containsExactly("400");
    }

    private List<String> expected = List.of();

    /** Of six rows; what is left of them is expected. */
    private List<DataChangeRecord> history(Random random, int changes) {
        Map<Integer, Integer> present = new TreeMap<>();
        List<DataChangeRecord> history = new ArrayList<>();
        for (int second = 1; second <= changes; second++) {
            int id = random.nextInt(6);
            String key = "{\"Id\":\"%d\"}".formatted(id);
            String value = "{\"Name\":\"%d\"}".formatted(second);
            if (!present.containsKey(id)) {
                history.add(TABLE.insert(second, key, value));
                present.put(id, second);
            } else if (random.nextBoolean()) {
                history.add(TABLE.update(second, key, value));
                present.put(id, second);
            } else {
                history.add(TABLE.delete(second, key));
                present.remove(id);
            }
        }
        expected = present.entrySet().stream()
                .map(row -> "(%d,%d)".formatted(row.getKey(), row.getValue()))
                .toList();
        return history;
    }

    @Test
    void a_batch_whose_connection_breaks_leaves_nothing_and_fails_each_change_to_be_tried_later() throws Exception {
        mirror.consume(batch(TABLE.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        database.execute(
                "CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'",
                "CREATE TRIGGER die AFTER INSERT ON public.\"T\" FOR EACH ROW EXECUTE FUNCTION public.die()");
        MirrorBatch broken = batch(
                TABLE.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"b\"}"),
                TABLE.insert(3, "{\"Id\":\"3\"}", "{\"Name\":\"c\"}"));

        mirror.consume(broken);

        assertThat(broken.failures()).containsOnlyKeys(0, 1);
        assertThat(broken.failures().get(0))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isTrue());
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)");
        assertThat(rows.texts("SELECT transaction_id FROM spream.applied_change"))
                .containsExactly("tx1");

        database.execute("DROP TRIGGER die ON public.\"T\"");
        mirror.consume(batch(broken.changes().toArray(new DataChangeRecord[0])));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)", "(2,b)", "(3,c)");
    }

    /** It may fail each time, and a retry without limit would hide that. */
    @Test
    void a_change_that_takes_longer_than_a_statement_may_is_not_an_outage() throws Exception {
        mirror.consume(batch(TABLE.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        database.execute(
                "CREATE FUNCTION public.linger() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_sleep(9); RETURN NEW; END'",
                "CREATE TRIGGER linger AFTER INSERT ON public.\"T\" FOR EACH ROW WHEN (NEW.\"Id\" = 2)"
                        + " EXECUTE FUNCTION public.linger()");
        JdbcMirror impatient = JdbcMirror.builder(database.dataSource(), "orders")
                .statementTimeout(Duration.ofMillis(300))
                .build();
        DataChangeRecord slow = TABLE.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"b\"}");

        for (MirrorBatch each : List.of(
                batch(slow), transaction(slow), batch(slow, TABLE.insert(3, "{\"Id\":\"3\"}", "{\"Name\":\"c\"}")))) {
            assertThatThrownBy(() -> impatient.consume(each))
                    .isExactlyInstanceOf(SpreamException.class)
                    .hasMessageContaining("statement timeout (SQLSTATE 57014)");
            assertThat(each.failures()).isEmpty();
        }
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)");
    }

    @Test
    void a_row_that_is_locked_elsewhere_for_long_fails_the_change_which_can_be_repeated() throws Exception {
        mirror.consume(batch(TABLE.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        JdbcMirror impatient = JdbcMirror.builder(database.dataSource(), "orders")
                .statementTimeout(Duration.ofSeconds(1))
                .build();
        MirrorBatch late = batch(TABLE.update(2, "{\"Id\":\"1\"}", "{\"Name\":\"b\"}"));
        try (Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("SELECT FROM public.\"T\" FOR UPDATE");
            assertThatThrownBy(() -> impatient.consume(late)).hasMessageContaining("57014");
            other.rollback();
        }

        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)");
        mirror.consume(batch(late.changes().getFirst()));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,b)");
    }

    @Test
    void a_failed_replay_throws() throws Exception {
        database.execute("CREATE TABLE public.\"T\" (\"Id\" bigint PRIMARY KEY, \"Name\" bigint)");
        assertThatThrownBy(() -> mirror.consume(
                        TABLE.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"no number\"}"),
                        Delivery.ofReplay(new PartitionToken("p"), 1)))
                .isInstanceOf(SpreamException.class)
                .hasMessageContaining("\"Name\"");
    }
}
