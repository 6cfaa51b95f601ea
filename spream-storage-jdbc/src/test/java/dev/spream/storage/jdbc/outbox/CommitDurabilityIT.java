package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.storage.jdbc.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests of the warning about connections that do not wait for commits to be on disk. */
final class CommitDurabilityIT {
    private final TestDatabase database = new TestDatabase();
    private final Logger logger = (Logger) LoggerFactory.getLogger(CommitDurability.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.WARN);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        database.close();
    }

    @Test
    void a_worker_and_what_enqueues_warn_of_commits_that_a_crash_loses() {
        openWith("on");
        assertThat(lines.list).isEmpty();
        openWith("off");
        assertThat(lines.list)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line.getFormattedMessage())
                        .startsWith("[spream.outbox_orders] synchronous_commit is off"));
    }

    private void openWith(String setting) {
        database.execute("""
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %%I SET synchronous_commit = %s', current_database());
                END $$""".formatted(setting));
        try (HikariDataSource pool = database.open()) {
            JdbcOutboxStore.create(pool).close();
            JdbcOutbox.create(pool);
        }
    }
}
