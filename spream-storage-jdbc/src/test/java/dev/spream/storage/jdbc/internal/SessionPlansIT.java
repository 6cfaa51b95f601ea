package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class SessionPlansIT {
    private static final TestDatabase DATABASE = new TestDatabase();
    private static final Duration LONG = Duration.ofHours(1);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Test
    void each_session_keeps_its_plans_for_their_lifetime() throws Exception {
        SessionPlans plans = new SessionPlans(LONG);
        SessionPlans expired = new SessionPlans(Duration.ZERO);
        try (Connection one = DATABASE.dataSource().getConnection();
                Connection other = DATABASE.dataSource().getConnection()) {
            assertThat(plans.areOld(one)).as("from before").isTrue();
            assertThat(plans.areOld(one)).isFalse();
            assertThat(plans.areOld(other)).isTrue();
            assertThat(expired.areOld(one)).isTrue();
            assertThat(expired.areOld(one)).isTrue();
        }
    }

    /** As behind PgBouncer, where a transaction may be in another session than the one before. */
    @Test
    void a_session_whose_owner_wants_no_named_statements_keeps_none() throws Exception {
        SessionPlans plans = new SessionPlans(LONG);
        try (Connection session = DriverManager.getConnection(DATABASE.url() + "&prepareThreshold=0")) {
            assertThat(plans.areOld(session)).isFalse();
            Statements statements = new Statements(session, sql -> sql).with(plans);
            for (int i = 0; i < 10; i++) {
                assertThat(statements.rows("SELECT 1", parameters -> {}, row -> row.getInt(1)))
                        .containsExactly(1);
            }
            assertThat(Statements.<Long>answer(
                            session, "SELECT count(*) FROM pg_prepared_statements", row -> row.getLong(1)))
                    .isZero();
        }
    }
}
