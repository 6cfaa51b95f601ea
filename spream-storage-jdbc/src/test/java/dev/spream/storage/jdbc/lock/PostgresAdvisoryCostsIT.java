package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the server's cost of holding advisory locks. */
@Timeout(60)
final class PostgresAdvisoryCostsIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, 16);
    private static final PostgresLockNamespaces NAMESPACES = new PostgresLockNamespaces(LockStrategy.ADVISORY);

    private final PostgresLockFixture fixture = new PostgresLockFixture(NAMESPACES);
    private final LockStore<Connection> store = fixture.open(SPACE);

    @AfterEach
    void close() {
        fixture.close();
    }

    @AfterAll
    static void drop() {
        NAMESPACES.close();
    }

    @Test
    void a_handle_that_is_open_keeps_the_server_from_cleaning_up_nothing() throws Exception {
        Connection handle = store.begin(PostgresLockFixture.FOREVER);
        String session = store.tryLock(handle, locks(0, 3)).session();
        try (Connection own = NAMESPACES.pool().getConnection();
                PreparedStatement statement = own.prepareStatement("""
                        SELECT state, backend_xid IS NULL AND backend_xmin IS NULL,
                            (SELECT count(*) FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory')
                        FROM pg_stat_activity a WHERE pid = ?::int""")) {
            statement.setString(1, session);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("idle in transaction");
                assertThat(row.getBoolean(2)).isTrue();
                assertThat(row.getInt(3)).isEqualTo(3);
            }
        }
        store.end(handle);
    }

    @Test
    void a_full_lock_table_of_the_server_is_told_with_what_to_do() throws Exception {
        Connection handle = store.begin(PostgresLockFixture.FOREVER);
        assertThatThrownBy(() -> {
                    for (int call = 0; call < 20; call++) {
                        store.tryLock(handle, locks(call * 10_000L, 10_000));
                    }
                })
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("53200")
                .hasMessageContaining("max_locks_per_transaction");
        store.rollback(handle);
        assertThat(store.tryLock(handle, locks(0, 1_000)).count()).isEqualTo(1_000);
        store.end(handle);
    }

    private static List<PlannedLock> locks(long first, int count) {
        List<PlannedLock> locks = new ArrayList<>();
        for (long bucket = first; bucket < first + count; bucket++) {
            locks.add(new PlannedLock(new LockKey(15, bucket), LockMode.EXCLUSIVE));
        }
        return locks;
    }
}
