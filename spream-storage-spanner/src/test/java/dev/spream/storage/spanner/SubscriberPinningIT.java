package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.subscription.PinnedThreads;
import dev.spream.testkit.subscription.PinnedThreads.Pin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that waits for Spanner release their carrier thread. Where the client itself does not, with the client's frames
 * on top, the test reports it without failing.
 */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#one")
@Timeout(120)
@Isolated("it records the threads of the process")
class SubscriberPinningIT {
    private static final Duration THRESHOLD = Duration.ofMillis(20);

    private final AccountDatabase database;

    SubscriberPinningIT(SpannerServer server, Dialect dialect) {
        this.database = new AccountDatabase(server, dialect);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void no_thread_of_the_engine_or_the_adapter_is_pinned_while_it_waits_for_spanner() throws Exception {
        subscribe(); // loads all classes: that pins for long on a busy machine
        try (PinnedThreads pinned = new PinnedThreads(THRESHOLD)) {
            subscribe();
            PinnedThreads.pinOnPurpose();

            List<Pin> pins = pinned.stop();
            assertThat(pins)
                    .as("Java %s does not show pinned threads, so nothing can be said about them", Runtime.version())
                    .anyMatch(PinnedThreads::isOnPurpose);
            assertThat(pins)
                    .filteredOn(pin -> pin.isOurs() && !PinnedThreads.isOnPurpose(pin))
                    .isEmpty();
            pins.stream()
                    .filter(pin -> !pin.isOurs())
                    .forEach(pin -> System.out.println("pinned, and not by spream: " + pin));
        }
    }

    private void subscribe() throws Exception {
        Instant start = database.source().serverTime();
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(start)
                .endAt(start.plusSeconds(2))
                .heartbeatInterval(AccountDatabase.HEARTBEAT)
                .maxInflight(16)
                .build();
        AtomicInteger delivered = new AtomicInteger();
        try (Subscriber subscriber = Subscriber.builder(database.source(), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            var running = CompletableFuture.runAsync(
                    () -> subscriber.run(change -> delivered.incrementAndGet()), Thread::startVirtualThread);
            database.writeAccountsFor(Duration.ofSeconds(1));
            running.get(60, SECONDS);
        }
        assertThat(delivered).hasPositiveValue();
    }
}
