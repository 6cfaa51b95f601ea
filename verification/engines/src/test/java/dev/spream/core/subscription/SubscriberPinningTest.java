package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.PinnedThreads;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every wait in the engine releases its carrier thread. */
class SubscriberPinningTest {
    private static final Duration THRESHOLD = Duration.ofMillis(5); // less than a call takes
    private static final long CALL_NANOS = 10_000_000;
    private static final int CHANGES = 60;

    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void a_thread_that_is_pinned_on_purpose_is_seen() throws Exception {
        try (PinnedThreads pinned = new PinnedThreads(THRESHOLD)) {
            PinnedThreads.pinOnPurpose();

            assertThat(pinned.stop())
                    .as("Java %s does not show pinned threads, so nothing can be said about them", Runtime.version())
                    .anyMatch(pin -> pin.isOurs() && PinnedThreads.isOnPurpose(pin));
        }
    }

    @ParameterizedTest(name = "in batches: {0}")
    @ValueSource(booleans = {false, true})
    void no_thread_of_a_subscription_under_load_is_pinned(boolean batches) throws Exception {
        run(batches); // loads all classes: that pins for long on a busy machine
        calls.set(0);
        try (PinnedThreads pinned = new PinnedThreads(THRESHOLD)) {
            run(batches);

            assertThat(pinned.stop()).isEmpty();
        }
        assertThat(calls.get()).as("calls").isGreaterThan(batches ? CHANGES : 5 * CHANGES);
    }

    private void run(boolean batches) throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        ScriptedSource source = fixture.source;
        fill(source, "p", 0);
        fill(source, "q", 0);
        source.roots("p", "q")
                .merge("p", "q", CHANGES, "m")
                .fault("p", new ScriptedSource.Fault.Break(CHANGES / 2, SourceException.Kind.TRANSIENT));
        fill(source, "m", CHANGES);
        source.children("m", 2 * CHANGES, child("r", "m"), child("s", "m")).end("m");
        fill(source, "r", 2 * CHANGES);
        fill(source, "s", 2 * CHANGES);
        Consumer one = (change, delivery) -> slowly();
        BatchConsumer several = batch -> slowly();
        fixture.run(
                fixture.subscriber(options -> options.maxInflight(16)
                        .maxBatchSize(4)
                        .maxBufferedChanges(12)
                        .errorHandler(failure -> new ErrorDecision.Retry(Duration.ofMillis(2)))
                        .endAt(at(3 * CHANGES + 1))),
                batches ? several : one);
    }

    private static void fill(ScriptedSource source, String partition, int from) {
        for (int second = from + 1; second < from + CHANGES; second++) {
            source.change(partition, second, partition + second % 7);
        }
    }

    private void slowly() {
        LockSupport.parkNanos(CALL_NANOS);
        if (calls.incrementAndGet() % 10 == 0) {
            throw new IllegalStateException("refused");
        }
    }
}
