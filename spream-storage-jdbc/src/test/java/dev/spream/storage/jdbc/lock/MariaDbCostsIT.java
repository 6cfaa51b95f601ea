package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the number of round trips for locks with MariaDB's driver, by the server's log. */
@Timeout(60)
final class MariaDbCostsIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 100, 3);
    private static final BucketSpace WIDE = new BucketSpace(BucketHash.SHA256, 9_000, 1);
    private static final LockRequest RESOURCE = LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1"));
    private static final MySqlLockNamespaces NAMESPACES = namespaces();

    private final MySqlLockFixture fixture = new MySqlLockFixture(NAMESPACES);
    private final HierarchicalLocks<Connection> locks = HierarchicalLocks.over(fixture.open(SPACE));

    private static MySqlLockNamespaces namespaces() {
        MySqlDatabase database = new MySqlDatabase(MySqlServer.embedded());
        return new MySqlLockNamespaces(database, MySqlDriver.MARIADB.url(database));
    }

    /** The connections are there by then: opening one takes statements as well. */
    @BeforeEach
    void log() throws InterruptedException {
        locks.acquire(RESOURCE).close();
        NAMESPACES.execute(
                "SET GLOBAL log_output = 'TABLE'", "TRUNCATE mysql.general_log", "SET GLOBAL general_log = 1");
    }

    @AfterEach
    void close() {
        locks.close();
        fixture.close();
        NAMESPACES.execute("SET GLOBAL general_log = 0", "SET GLOBAL log_output = 'FILE'");
    }

    @AfterAll
    static void drop() {
        NAMESPACES.close();
    }

    @Test
    void a_handle_takes_one_for_each_lock_two_for_its_session_and_one_to_release() throws Exception {
        try (LockHandle handle = locks.acquire(RESOURCE)) {
            assertThat(handle.held()).isEqualTo(RESOURCE);
        }
        assertThat(roundTrips()).containsExactly("SET", "SELECT", "SELECT", "SELECT", "COMMIT", "SET");
    }

    @Test
    void a_transaction_takes_two_more_beside_its_work_to_know_that_it_was_not_ended() throws Exception {
        locks.transact(RESOURCE, connection -> {
            try (Statement work = connection.createStatement()) {
                return work.execute("DO 1");
            }
        });
        assertThat(roundTrips())
                .containsExactly("SET", "SELECT", "SELECT", "SELECT", "SAVEPOINT", "DO", "RELEASE", "COMMIT", "SET");
    }

    @Test
    void nine_thousand_locks_take_one_for_the_first_and_one_for_each_thousand_after_it() throws Exception {
        LockStore<Connection> store = fixture.open(WIDE);
        take(store, 1);
        NAMESPACES.execute("TRUNCATE mysql.general_log");
        take(store, 9_000);
        List<String> expected = new ArrayList<>(List.of("SET", "SELECT"));
        expected.addAll(Collections.nCopies(9, "SET"));
        expected.addAll(List.of("ROLLBACK", "SET"));
        assertThat(roundTrips()).containsExactlyElementsOf(expected);
    }

    private static void take(LockStore<Connection> store, int number) throws InterruptedException {
        List<PlannedLock> locks = IntStream.range(0, number)
                .mapToObj(bucket -> new PlannedLock(new LockKey(0, bucket), LockMode.EXCLUSIVE))
                .toList();
        Connection transaction = store.begin(LockDeadline.start(LockWait.FOREVER, InstantSource.system()));
        assertThat(store.tryLock(transaction, locks).count()).isEqualTo(number);
        store.end(transaction);
    }

    /** The first word of each statement of the session that took the locks; nothing else of the store runs meanwhile. */
    private static List<String> roundTrips() throws SQLException {
        NAMESPACES.execute("SET GLOBAL general_log = 0");
        List<String> words = new ArrayList<>();
        try (Connection connection = NAMESPACES.pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        SELECT argument FROM mysql.general_log
                        WHERE command_type = 'Query' AND thread_id = (
                            SELECT MIN(thread_id) FROM mysql.general_log WHERE argument LIKE 'SELECT%hier_lock_buckets%')
                        ORDER BY event_time""")) {
            while (rows.next()) {
                words.add(rows.getString(1).split("\\s", 2)[0]);
            }
        }
        return words;
    }
}
