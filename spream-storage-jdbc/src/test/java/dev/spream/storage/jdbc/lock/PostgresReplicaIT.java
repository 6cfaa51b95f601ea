package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a standby server; PostgreSQL supports advisory locks there, which exclude no session of other servers. */
@Timeout(120)
final class PostgresReplicaIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 100, 3);
    private static final List<PlannedLock> LOCKS = List.of(new PlannedLock(new LockKey(0, 1), LockMode.SHARED));

    @Test
    void a_replica_is_refused(@TempDir Path folder) throws Exception {
        try (EmbeddedPostgres primary = server(folder);
                JdbcLockStore store = builder(primary.getPostgresDatabase()).build()) {
            assertThat(store.nextEpoch()).isEqualTo(1);
        }
        Files.createFile(folder.resolve("standby.signal"));
        try (EmbeddedPostgres replica = server(folder);
                Connection own = replica.getPostgresDatabase().getConnection()) {
            assertThatThrownBy(() -> builder(replica.getPostgresDatabase()).build())
                    .isInstanceOf(BucketSpaceException.class)
                    .hasMessageContaining("opening the lock store failed: the server is a replica")
                    .hasMessageContaining("connect to the primary");
            own.setAutoCommit(false);
            LockSql locks = BucketSpaceTable.tables(replica.getPostgresDatabase(), Optional.empty())
                    .advisoryLocks();
            assertThatThrownBy(() -> locks.tryLock(own, LOCKS))
                    .isInstanceOf(BucketSpaceException.class)
                    .hasMessageContaining("taking locks failed: the server is a replica");
        }
    }

    private static JdbcLockStore.Builder builder(DataSource dataSource) {
        return JdbcLockStore.builder(dataSource).space(SPACE).strategy(LockStrategy.ADVISORY);
    }

    /** Stopping it leaves the folder as it is. */
    private static EmbeddedPostgres server(Path folder) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(folder)
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "off")
                .start();
    }
}
