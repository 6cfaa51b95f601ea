package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.RowLockContract;
import dev.spream.core.partition.RowLockFixture;
import dev.spream.emulator.SpannerServer;
import dev.spream.emulator.SpannerServers;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Another transaction holds a lock on the row of one partition, which others wait for when they read or when they commit. */
@ParameterizedClass
@EnumSource(LockingProxy.Held.class)
@Timeout(120)
final class LockedRowIT extends RowLockContract {
    /** Small, so that a transaction's share of it passes soon. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(3);

    private static LockingProxy proxy;
    private static MetadataDatabase database;
    private final LockingProxy.Held held;

    LockedRowIT(LockingProxy.Held held) {
        this.held = held;
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

    private record Fixture(SpannerStorageFixture target, LockingProxy.Held held) implements RowLockFixture {
        @Override
        public RowLock lockRow(PartitionToken token) {
            proxy.lock(token.value(), held);
            int before = proxy.waits.get();
            return () -> {
                proxy.unlock(token.value());
                assertThat(proxy.waits).as("requests that waited").hasValueGreaterThan(before);
            };
        }

        @Override
        public PartitionStorage storage() {
            return target.storage();
        }

        @Override
        public PartitionStorage anotherConnection() {
            return target.anotherConnection();
        }

        @Override
        public PartitionStorage anotherSubscription() {
            return target.anotherSubscription();
        }

        @Override
        public void passTime(Duration time) {
            target.passTime(time);
        }

        @Override
        public void close() {
            target.close();
        }
    }
}
