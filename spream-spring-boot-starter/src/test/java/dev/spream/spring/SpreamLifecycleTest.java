package dev.spream.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import dev.spream.spring.SubscriptionStatus.Phase;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

/** The life of a subscription with that of its application context, on a stream in memory. */
@Timeout(60)
final class SpreamLifecycleTest {
    private static final int ROUNDS = 5;

    private final ScriptedSource source = ScriptedSource.of(
                    ScriptedSource.START, List.of(ScriptedSource.newChange(1, "A", "tx1")))
            .change("p", 2, "B");
    private final PartitionStorage storage = new InMemoryPartitionStorage();
    private final Handler handler = new Handler();
    private final Ends ends = new Ends();
    private final CountDownLatch closed = new CountDownLatch(1);
    private ConfigurableApplicationContext context = new GenericApplicationContext();

    @AfterEach
    void close() {
        handler.release.countDown();
        context.close();
    }

    @Test
    void changes_in_flight_finish_when_the_application_is_closed() throws Exception {
        start();
        assertThat(handler.taken()).isEqualTo("A");
        Thread closing = Thread.ofPlatform().start(context::close);

        awaitPhase(Phase.DRAINING);
        handler.release.countDown();
        closing.join();

        assertThat(handler.interrupted).isFalse();
        assertThat(handler.finished).startsWith("A"); // the next one may begin between the phase and the drain
        assertThat(storage.lineage().partitions())
                .anySatisfy(partition ->
                        assertThat(partition.watermark()).isBetween(ScriptedSource.at(1), ScriptedSource.at(2)));
    }

    @Test
    void a_consumer_that_takes_longer_than_the_shutdown_phase_is_interrupted() throws Exception {
        start("spring.lifecycle.timeout-per-shutdown-phase=1s");
        assertThat(handler.taken()).isEqualTo("A");

        context.close();

        assertThat(handler.interrupted).isTrue();
        assertThat(ends.ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_subscription_starts_again_after_a_stop() throws Exception {
        handler.release.countDown();
        start();
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        assertThat(handler.taken()).isEqualTo("A");
        assertThat(handler.taken()).isEqualTo("B");

        for (int round = 0; round < ROUNDS; round++) {
            awaitPhase(Phase.RUNNING);
            subscriptions.stop("orders");
            assertThat(subscriptions.status("orders").phase()).isEqualTo(Phase.STOPPED);
            subscriptions.start("orders");
            assertThat(subscriptions.status("orders").phase()).isIn(Phase.STARTING, Phase.RUNNING);
        }

        source.change("p", 3, "C");
        handler.awaitTaken("C");
    }

    @Test
    void a_stop_right_after_a_start_stops_the_subscription() {
        start("spream.auto-startup=false");
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);

        for (int round = 0; round < ROUNDS; round++) {
            subscriptions.start("orders");
            subscriptions.stop("orders");
            assertThat(subscriptions.status("orders").phase()).isEqualTo(Phase.STOPPED);
        }
    }

    @Test
    void a_subscription_that_is_started_while_it_drains_starts_when_it_has_ended() throws Exception {
        start();
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        assertThat(handler.taken()).isEqualTo("A");
        Thread stopping = Thread.ofPlatform().start(() -> subscriptions.stop("orders"));
        awaitPhase(Phase.DRAINING);

        subscriptions.start("orders");
        assertThat(subscriptions.status("orders").phase()).isEqualTo(Phase.DRAINING);
        handler.release.countDown();
        stopping.join();

        handler.awaitTaken("B");
        awaitPhase(Phase.RUNNING);
    }

    @Test
    void a_consumer_restarts_its_own_subscription() throws Exception {
        start("spream.auto-startup=false");
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        handler.onFirst = () -> {
            subscriptions.stop("orders");
            subscriptions.start("orders");
            handler.release.countDown();
        };
        subscriptions.start("orders");

        handler.awaitTaken("B");
        awaitPhase(Phase.RUNNING);
    }

    @Test
    void the_context_is_stopped_and_restarted_as_a_whole() throws Exception {
        handler.release.countDown();
        start();
        assertThat(handler.taken()).isEqualTo("A");
        assertThat(handler.taken()).isEqualTo("B");

        context.stop();
        source.change("p", 3, "C");
        context.start();

        handler.awaitTaken("C");
    }

    @Test
    void without_auto_startup_it_waits_to_be_started() throws Exception {
        start("spream.auto-startup=false");
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        assertThat(subscriptions.status("orders").phase()).isEqualTo(Phase.STOPPED);
        assertThat(source.queries()).isEmpty();

        subscriptions.start("orders");

        assertThat(handler.taken()).isEqualTo("A");
    }

    @Test
    void a_failure_for_good_is_logged_and_shown_and_the_application_continues() throws Exception {
        handler.failing = true;
        start("spream.defaults.retry.max-attempts=1", "spream.auto-startup=false");
        try (LogLines lines = new LogLines(SpreamSubscriptions.class)) {
            context.getBean(SpreamSubscriptions.class).start("orders");
            awaitPhase(Phase.FAILED);

            assertThat(context.getBean(SpreamSubscriptions.class)
                            .status("orders")
                            .problem())
                    .hasValueSatisfying(problem -> assertThat(problem).contains("failed for good"));
            assertThat(lines.of(Level.ERROR, "orders")).hasSize(1);
            assertThat(context.isActive()).isTrue();
        }
    }

    @Test
    void a_failure_closes_the_application_where_it_is_told_to() throws Exception {
        handler.failing = true;
        start("spream.defaults.retry.max-attempts=1", "spream.failure-action=close");

        assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_subscription_that_reaches_its_end_has_completed() throws Exception {
        handler.release.countDown();
        start("spream.defaults.end=2026-01-01T10:00:05Z");

        awaitPhase(Phase.COMPLETED);
        assertThat(handler.finished).containsExactly("A", "B");
    }

    @Test
    void an_unknown_subscription_is_refused() {
        start("spream.auto-startup=false");
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);

        assertThatThrownBy(() -> subscriptions.start("audit"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there are [orders]");
    }

    private void start(String... properties) {
        context = new SpringApplicationBuilder(SpreamAutoConfiguration.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties("spream.defaults.start=" + ScriptedSource.START)
                .properties(properties)
                .initializers(starting -> {
                    GenericApplicationContext beans = (GenericApplicationContext) starting;
                    beans.registerBean("orders", Consumer.class, () -> handler);
                    beans.registerBean(ChangeStreamSource.class, () -> source);
                    beans.registerBean(PartitionStorage.class, () -> storage);
                    beans.registerBean(SubscriptionListener.class, () -> ends);
                })
                .listeners((ApplicationListener<ContextClosedEvent>) event -> closed.countDown())
                .run();
    }

    private void awaitPhase(Phase phase) throws InterruptedException {
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (subscriptions.status("orders").phase() != phase) {
            assertThat(System.nanoTime())
                    .as(subscriptions.statuses().toString())
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** A consumer that waits to be released. */
    private static final class Handler implements Consumer {
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicBoolean interrupted = new AtomicBoolean();
        final BlockingQueue<String> finished = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> started = new LinkedBlockingQueue<>();
        volatile boolean failing;
        volatile Runnable onFirst = () -> {};

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            if (failing) {
                throw new IllegalStateException("refused");
            }
            String key = change.mods().getFirst().keys().toString().replaceAll(".*\"([A-Z])\".*", "$1");
            started.add(key);
            Runnable first = onFirst;
            onFirst = () -> {};
            first.run();
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
            finished.add(key);
        }

        String taken() throws InterruptedException {
            return String.valueOf(started.poll(30, TimeUnit.SECONDS));
        }

        /** Waits for a change; the last ones before a stop may come again before it. */
        void awaitTaken(String key) throws InterruptedException {
            String taken = taken();
            while (!taken.equals(key)) {
                assertThat(taken).as("another change before " + key).isNotEqualTo("null");
                taken = taken();
            }
        }
    }

    /** Notes the end of a run. */
    private static final class Ends implements SubscriptionListener {
        final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void started(SubscriptionView subscription) {}

        @Override
        public void ended() {
            ended.countDown();
        }
    }
}
