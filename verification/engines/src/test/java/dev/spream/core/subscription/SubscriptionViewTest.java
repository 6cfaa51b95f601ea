package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionViewTest {
    private static final WorkerId WORKER = new WorkerId("worker-a");

    private final List<SubscriptionView> views = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();

    private final SubscriptionListener listener = new SubscriptionListener() {
        @Override
        public void started(SubscriptionView subscription) {
            views.add(subscription);
            events.add("started with " + subscription.held().size() + " partitions");
        }

        @Override
        public void ended() {
            assertThat(views.getFirst().held()).isEmpty();
            events.add("ended");
        }
    };

    @Test
    void a_listener_sees_what_is_held_and_stored_while_the_subscription_runs_and_nothing_held_after() {
        List<Delivery> deliveries = new ArrayList<>();
        Consumer consumer = (change, delivery) -> {
            deliveries.add(delivery);
            SubscriptionView view = views.getFirst();
            assertThat(view.held())
                    .anySatisfy(
                            held -> { // the root may be on its way out
                                assertThat(held.token()).isEqualTo(delivery.partition());
                                assertThat(held.epoch()).isEqualTo(delivery.epoch());
                                assertThat(held.watermark()).isBeforeOrEqualTo(change.commitTimestamp());
                                assertThat(held.inflight()).isPositive();
                            });
            assertThat(view.lineage().partition(delivery.partition())).isPresent();
            assertThat(view.subscription().orElseThrow().streamName()).isEqualTo(view.streamName());
            assertThat(view.workers()).extracting(WorkerRegistration::worker).containsExactly(WORKER);
            assertThat(view.worker()).isEqualTo(WORKER);
            assertThat(delivery.lowWatermark().orElseThrow()).isBeforeOrEqualTo(change.commitTimestamp());
            assertThat(delivery.isReplay()).isFalse();
        };

        assertThat(run(consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(deliveries).hasSize(3);
        assertThat(events).containsExactly("started with 0 partitions", "ended");
        assertThat(views.getFirst().held()).isEmpty();
        assertThat(views.getFirst().retention()).isEmpty();
    }

    @Test
    void the_end_of_a_run_that_failed_is_told_too() {
        Consumer failing = (change, delivery) -> {
            throw new IllegalStateException("no");
        };
        try {
            run(failing);
        } catch (SpreamException e) {
            events.add("failed");
        }
        assertThat(events).containsExactly("started with 0 partitions", "ended", "failed");
        assertThat(views.getFirst().held()).isEmpty();
    }

    private CompletionReason run(Consumer consumer) {
        List<DataChangeRecord> changes = List.of(
                ScriptedSource.newChange(1, "a", "t1"),
                ScriptedSource.newChange(2, "b", "t2"),
                ScriptedSource.newChange(3, "a", "t3"));
        try (ScriptedSource source = ScriptedSource.of(ScriptedSource.START, changes);
                InMemoryPartitionStorage storage = new InMemoryPartitionStorage(InstantSource.system());
                Subscriber subscriber = Subscriber.builder(source, storage)
                        .options(options -> options.startAt(ScriptedSource.START)
                                .endAt(ScriptedSource.at(10))
                                .worker(WORKER)
                                .listener(listener))
                        .build()) {
            return subscriber.run(consumer);
        }
    }
}
