package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.newChange;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.Ordering;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of the changes that wait for others, in each of the three orders. */
class SubscriberOrderingTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void by_key_changes_of_other_keys_go_past_a_slow_one_and_those_of_its_own_wait() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(1))) {
                SubscriberFixture.await(release);
            }
        });
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "B")
                .change("p", 3, "A")
                .change("p", 4, "C");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options -> options.maxInflight(10).endAt(at(5))), consumer);

        consumer.await(labels -> labels.containsAll(List.of("B2", "C4")));
        assertThat(consumer.labels()).doesNotContain("A1", "A3");

        release.countDown();
        SubscriberFixture.get(run);
        assertThat(consumer.labels()).containsSubsequence("A1", "A3").hasSize(4);
    }

    @Test
    void by_key_a_change_of_several_keys_waits_for_each_and_holds_up_each() throws InterruptedException {
        CountDownLatch releaseA = new CountDownLatch(1);
        CountDownLatch releaseBoth = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(1))) {
                SubscriberFixture.await(releaseA);
            } else if (change.mods().size() == 2) {
                SubscriberFixture.await(releaseBoth);
            }
        });
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "B")
                .add("p", newChange(3, "both", List.of("A", "B")))
                .change("p", 4, "B")
                .change("p", 5, "C");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options -> options.maxInflight(10).endAt(at(6))), consumer);

        consumer.await(labels -> labels.containsAll(List.of("B2", "C5")));
        assertThat(consumer.labels()).hasSize(2);
        releaseA.countDown();
        consumer.await(labels -> labels.contains("A1"));
        assertThat(consumer.labels()).as("4 waits for the change of both").doesNotContain("B4");

        releaseBoth.countDown();
        SubscriberFixture.get(run);
        assertThat(consumer.labels()).containsSubsequence("A1", "A3", "B4");
    }

    @Test
    void the_same_primary_key_in_another_table_is_another_key() throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            both.countDown();
            SubscriberFixture.await(both);
        });
        source.roots("p").change("p", 1, "A").add("p", inTable(newChange(2, "A", "tx"), "Orders"));

        fixture.run(fixture.subscriber(options -> options.maxInflight(2).endAt(at(3))), consumer);

        assertThat(consumer.labels()).hasSize(2);
    }

    @Test
    void by_key_a_retry_keeps_its_key_and_no_other() throws InterruptedException {
        AtomicReference<RecordingConsumer> self = new AtomicReference<>();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(1))
                    && !requireNonNull(self.get()).labels().contains("B3")) {
                throw new IllegalStateException("not yet");
            }
        });
        self.set(consumer);
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "B");

        fixture.run(
                fixture.subscriber(options -> options.maxInflight(10)
                        .endAt(at(4))
                        .errorHandler(failure -> new ErrorDecision.Retry(Duration.ofMillis(1)))),
                consumer);

        assertThat(consumer.labels()).containsExactly("B3", "A1", "A2");
    }

    @Test
    void by_partition_nothing_goes_past_a_retry() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(1)) && delivery.attempt() < 4) {
                throw new IllegalStateException("not yet");
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "C");

        fixture.run(
                fixture.subscriber(options -> options.maxInflight(10)
                        .ordering(Ordering.PARTITION)
                        .endAt(at(4))
                        .errorHandler(failure -> new ErrorDecision.Retry(Duration.ofMillis(1)))),
                consumer);

        assertThat(consumer.labels()).containsExactly("A1", "B2", "C3");
    }

    @Test
    void without_order_changes_of_one_key_are_consumed_at_the_same_time() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(3);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            all.countDown();
            SubscriberFixture.await(all);
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "A");

        fixture.run(
                fixture.subscriber(options ->
                        options.maxInflight(3).ordering(Ordering.NONE).endAt(at(4))),
                consumer);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "A2", "A3");
    }

    @Test
    void a_childs_changes_come_after_those_of_its_parent_that_they_follow_in_every_order() throws InterruptedException {
        for (Ordering ordering : Ordering.values()) {
            SubscriberFixture fresh = new SubscriberFixture();
            CountDownLatch release = new CountDownLatch(1);
            RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
                if (change.commitTimestamp().equals(at(1))) {
                    SubscriberFixture.await(release);
                }
            });
            fresh.source
                    .roots("p")
                    .change("p", 1, "A")
                    .change("p", 2, "B")
                    .split("p", 3, "c", "d")
                    .change("c", 4, "A")
                    .change("d", 4, "B");
            CompletableFuture<CompletionReason> run = fresh.start(
                    fresh.subscriber(options ->
                            options.maxInflight(10).ordering(ordering).endAt(at(5))),
                    consumer);
            Polling.await(() -> fresh.storage.lineage().partitions().size() == 4, fresh.storage::lineage);
            if (ordering == Ordering.NONE) {
                assertThat(fresh.source.queriesOf("c")).isEmpty();
            }

            release.countDown();
            SubscriberFixture.get(run);
            assertThat(consumer.labels())
                    .as(ordering.name())
                    .hasSize(4)
                    .containsSubsequence("A1", "A4")
                    .containsSubsequence("B2", "B4");
            if (ordering != Ordering.KEY) {
                assertThat(consumer.labels().subList(0, 2)).containsExactlyInAnyOrder("A1", "B2");
            }
        }
    }

    @Test
    void many_keys_keep_their_order_at_full_speed() throws InterruptedException {
        int changes = 3_000;
        int keys = 7;
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> Thread.onSpinWait());
        source.roots("p");
        for (int second = 1; second <= changes; second++) {
            source.change("p", second, "K" + second % keys);
        }

        fixture.run(fixture.subscriber(options -> options.maxInflight(64).endAt(at(changes))), consumer);

        assertThat(consumer.consumed()).hasSize(changes);
        Map<String, DataChangeRecord> last = new HashMap<>();
        for (RecordingConsumer.Consumed consumed : consumer.consumed()) {
            DataChangeRecord before = last.put(consumed.key(), consumed.change());
            if (before != null) {
                assertThat(consumed.change().commitTimestamp()).isAfter(before.commitTimestamp());
            }
        }
    }

    @Test
    void a_key_that_cannot_be_read_stops_the_subscription_and_says_which_change() {
        DataChangeRecord good = newChange(1, "A", "tx");
        source.roots("p").add("p", withKeys(good, JsonObject.of("not json")));

        assertThatThrownBy(() -> fixture.run(
                        fixture.subscriber(options -> options.maxInflight(2).endAt(at(2))), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("the primary keys of")
                .hasMessageNotContaining("not json");
        assertThat(fixture.stored("p").watermark()).isEqualTo(ScriptedSource.START);
    }

    private static DataChangeRecord inTable(DataChangeRecord change, String table) {
        return copy(change, table, change.mods());
    }

    private static DataChangeRecord withKeys(DataChangeRecord change, JsonObject keys) {
        return copy(change, change.tableName(), List.of(new Mod(keys, JsonObject.EMPTY, JsonObject.EMPTY)));
    }

    private static DataChangeRecord copy(DataChangeRecord change, String table, List<Mod> mods) {
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                true,
                table,
                change.columnTypes(),
                mods,
                change.modTypeName(),
                change.valueCaptureTypeName(),
                1,
                1,
                "",
                false);
    }
}
