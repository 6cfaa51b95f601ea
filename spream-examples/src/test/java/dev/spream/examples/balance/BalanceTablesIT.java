package dev.spream.examples.balance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.servers.PostgresDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services that start at the same time over an empty database. */
@Timeout(120)
final class BalanceTablesIT {
    private static final int SERVICES = 8;
    private static final int ROUNDS = 10;

    @Test
    void services_that_start_at_once_all_find_their_tables() throws Exception {
        DataSource database = PostgresDatabase.create().source();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < ROUNDS; round++) {
                CyclicBarrier together = new CyclicBarrier(SERVICES);
                List<Future<?>> services = new ArrayList<>();
                for (int i = 0; i < SERVICES; i++) {
                    services.add(threads.submit(() -> {
                        together.await(30, TimeUnit.SECONDS);
                        BalanceService.createTables(database);
                        return true;
                    }));
                }
                for (Future<?> service : services) {
                    service.get(60, TimeUnit.SECONDS);
                }
                dropTables(database);
            }
        }
    }

    private static void dropTables(DataSource database) throws Exception {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet rows =
                    statement.executeQuery("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(2);
            }
            statement.execute("DROP TABLE account_balances, account_statements");
        }
    }
}
