package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.PartitionToken;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.testkit.partition.ForwardingFixture;
import dev.spream.testkit.partition.PartitionStorageFixture;
import dev.spream.testkit.partition.RowLockContract;
import dev.spream.testkit.partition.RowLockFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Another transaction holds a lock on the row of one partition, which others wait for when they read, or, where the run takes
 * all servers, when they commit.
 */
@ParameterizedClass
@MethodSource("locks")
@Timeout(240)
final class LockedRowIT extends RowLockContract {
    /** The default: less, and a busy machine needs more than a share of it for 300 rows that are free. */
    private static final Duration CALL_TIMEOUT = SpannerPartitionStorage.TIMEOUT;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static LockingProxy proxy;
    private static MetadataDatabase database;
    private final LockingProxy.Held held;

    LockedRowIT(LockingProxy.Held held) {
        this.held = held;
    }

    static Stream<LockingProxy.Held> locks() {
        return SpannerServers.areAll() ? Stream.of(LockingProxy.Held.values()) : Stream.of(LockingProxy.Held.EXCLUSIVE);
    }

    @BeforeAll
    static void open() throws IOException {
        proxy = new LockingProxy(SpannerServers.ours().emulatorHost());
        database = MetadataDatabase.of(
                new SpannerServer("our emulator behind row locks", proxy.host()), Dialect.GOOGLE_STANDARD_SQL);
    }

    @AfterAll
    static void close() {
        proxy.close();
    }

    @Override
    protected RowLockFixture createFixture() {
        return new Fixture(new SpannerStorageFixture(database, CALL_TIMEOUT), held);
    }

    private static final class Fixture extends ForwardingFixture implements RowLockFixture {
        private final LockingProxy.Held held;

        Fixture(PartitionStorageFixture target, LockingProxy.Held held) {
            super(target);
            this.held = held;
        }

        @Override
        public RowLock lockRow(PartitionToken token) {
            LockingProxy.Lock lock = proxy.lock(token.value(), held);
            return new RowLock() {
                @Override
                public int waits() {
                    return lock.waits();
                }

                @Override
                public void close() {
                    assertThat(lock.met()).as("a request that waits").succeedsWithin(TIMEOUT);
                    proxy.unlock(token.value());
                    assertThat(lock.beginnings())
                            .as("transactions that wait without a name, so that nothing can roll them back")
                            .isZero();
                }
            };
        }
    }
}
