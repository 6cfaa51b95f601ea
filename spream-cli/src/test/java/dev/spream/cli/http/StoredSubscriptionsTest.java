package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.StorageException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class StoredSubscriptionsTest {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger lists = new AtomicInteger();

    @Test
    void a_storage_that_opens_slowly_holds_up_no_other() throws Exception {
        try (StoredSubscriptions subscriptions = new StoredSubscriptions(Catalog::new);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<PartitionStorage> slow = threads.submit(() -> subscriptions.storage("slow"));
            entered.await();
            Future<PartitionStorage> quick = threads.submit(() -> subscriptions.storage("quick"));
            try {
                assertThat(quick.get(5, TimeUnit.SECONDS)).isSameAs(subscriptions.storage("quick"));
            } finally {
                release.countDown();
            }
            assertThat(slow.get()).isSameAs(subscriptions.storage("slow"));
        }
    }

    @Test
    void unknown_names_let_the_names_be_read_again_after_two_seconds() throws Exception {
        DrivenClock clock = new DrivenClock();
        try (StoredSubscriptions subscriptions = new StoredSubscriptions(Catalog::new)) {
            ObservedSubscriptions observed = new ObservedSubscriptions(Optional.empty(), subscriptions, clock);
            for (int look = 0; look < 20; look++) {
                observed.answer(query("missing" + look), shown -> "{}");
            }
            assertThat(lists).hasValue(1);
            clock.advance(Duration.ofSeconds(2));
            observed.answer(query("missing"), shown -> "{}");
            assertThat(lists).hasValue(2);
        }
    }

    private static Query query(String name) {
        return new Query(URI.create("/api/subscription?name=" + name));
    }

    /** Subscriptions in memory, of which one opens slowly. */
    private final class Catalog implements SubscriptionCatalog {
        @Override
        public List<String> names() {
            lists.incrementAndGet();
            return List.of("quick", "slow");
        }

        @Override
        public String configured() {
            return "quick";
        }

        @Override
        public PartitionStorage open(String name) {
            if (name.equals("slow")) {
                entered.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new StorageException("interrupted", true, e);
                }
            }
            return new InMemoryPartitionStorage();
        }
    }
}
