package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests of rows that another program has changed. */
final class DamagedRowIT {

    @Test
    void a_row_that_cannot_be_right_is_named() {
        try (TestDatabase database = new TestDatabase();
                JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders")) {
            storage.openSubscription(new SubscriptionRecord(
                    "Orders",
                    Instant.EPOCH,
                    Optional.empty(),
                    Duration.ofSeconds(10),
                    PartitionMode.IMMUTABLE_KEY_RANGE,
                    false));
            database.execute("""
                    UPDATE spream.partitions SET state = 'FINISHED', finished_at = now(),
                        end_kind = 'CHILD_PARTITIONS', end_timestamp = 1, end_children = '{}'""");
            assertNamed(storage::lineage);

            database.execute("UPDATE spream.partitions SET removed_at = now()");
            assertNamed(storage::proofs);
        }
    }

    private static void assertNamed(ThrowingCallable read) {
        assertThatThrownBy(read)
                .hasMessageContaining("Parent0")
                .hasMessageContaining("0 children")
                .asInstanceOf(InstanceOfAssertFactories.type(StorageException.class))
                .returns(false, StorageException::retryable);
    }
}
