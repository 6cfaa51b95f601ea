package dev.spream.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.JdbcPool;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The locks of an application over its data source. */
@Timeout(120)
final class LocksIT {
    private static final LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    private final PostgresDatabase database = PostgresDatabase.create();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LocksAutoConfiguration.class))
            .withBean(DataSource.class, this::pool); // closed with each context

    private DataSource pool() {
        return JdbcPool.open(database.jdbcUrl(), Optional.empty(), Optional.empty());
    }

    @Test
    void two_applications_exclude_each_other() {
        ApplicationContextRunner enabled =
                runner.withPropertyValues("spream.locks.enabled=true", "spream.locks.schema=shop");
        enabled.run(first -> enabled.run(second -> {
            try (LockHandle handle = first.getBean(HierarchicalLocks.class).acquire(USER)) {
                assertThat(second.getBean(HierarchicalLocks.class).tryAcquire(USER))
                        .isEmpty();
            }
            second.getBean(HierarchicalLocks.class).acquire(USER).close();
        }));
    }

    @Test
    void properties_are_those_of_the_store() {
        runner.withPropertyValues("spream.locks.enabled=true", "spream.locks.handles=1")
                .run(context -> {
                    HierarchicalLocks<?> locks = context.getBean(HierarchicalLocks.class);
                    try (LockHandle handle = locks.acquire(USER)) {
                        assertThatThrownBy(() -> locks.acquire(
                                        LockRequest.exclusive(LockTarget.user("u2")),
                                        LockWait.atMost(Duration.ofMillis(10))))
                                .isInstanceOf(LockTimeoutException.class);
                    }
                });
        runner.withPropertyValues("spream.locks.enabled=true", "spream.locks.handels=1")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("spream.locks.handels"));
    }

    @Test
    void an_application_that_does_not_ask_for_locks_has_none() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HierarchicalLocks.class));
    }
}
