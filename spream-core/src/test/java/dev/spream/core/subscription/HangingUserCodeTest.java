package dev.spream.core.subscription;

import static dev.spream.core.subscription.ScriptedSource.START;
import static dev.spream.core.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.LogLines;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** User code that hangs holds up no shutdown for long, and is named. */
class HangingUserCodeTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source =
            fixture.source.roots("p").change("p", 1, "A").change("p", 2, "A");
    private final CountDownLatch hanging = new CountDownLatch(1);

    @Test
    void a_flush_that_hangs_is_named_and_interrupted_and_lets_no_watermark_pass() throws InterruptedException {
        Consumer consumer = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {}

            @Override
            public void flush() throws InterruptedException {
                hang();
            }
        };
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9)));
        CompletableFuture<RunResult> run = fixture.start(subscriber, consumer);

        assertThat(shutdownNames(subscriber, "the consumer's flush")).isLessThan(LIMIT);

        assertThatThrownBy(() -> SubscriberFixture.get(run)).hasMessageContaining("flush failed");
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
    }

    @Test
    void a_listener_that_hangs_is_named_and_interrupted() throws InterruptedException {
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                try {
                    hang();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Subscriber subscriber = fixture.subscriber(options -> options.listener(listener));
        CompletableFuture<RunResult> run = fixture.start(subscriber, new RecordingConsumer());

        assertThat(shutdownNames(subscriber, "listener " + listener.getClass().getName()))
                .isLessThan(LIMIT.plusSeconds(2)); // the last watermarks are told as well
        assertThat(run).isDone();
    }

    private void hang() throws InterruptedException {
        hanging.countDown();
        new CountDownLatch(1).await();
    }

    private Duration shutdownNames(Subscriber subscriber, String what) throws InterruptedException {
        SubscriberFixture.await(hanging);
        try (LogLines lines = new LogLines(UserCalls.class)) {
            long startedAt = System.nanoTime();
            assertThat(subscriber.shutdown(TIMEOUT)).isFalse();
            Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
            assertThat(lines.of(Level.ERROR, "Orders")).first().asString().contains(what, "has not returned for");
            return took;
        }
    }
}
