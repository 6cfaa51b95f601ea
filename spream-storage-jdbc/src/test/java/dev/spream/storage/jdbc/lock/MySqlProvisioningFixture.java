package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

record MySqlProvisioningFixture(MySqlDatabase database) implements BucketProvisioningContract.Fixture {
    @Override
    public DataSource dataSource() {
        return database.dataSource();
    }

    @Override
    public String place() {
        return "database '%s'".formatted(database.name());
    }

    @Override
    public String prefix() {
        return "";
    }

    @Override
    public void execute(String... statements) {
        database.execute(statements);
    }

    @Override
    public boolean killWaiter() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "DO SLEEP(0.15)"); // the server reads the state again only after a tenth of a second without
            // queries
            long session;
            try (ResultSet waiting = statement.executeQuery("""
                    SELECT trx_mysql_thread_id FROM information_schema.innodb_trx
                        JOIN information_schema.processlist ON id = trx_mysql_thread_id
                    WHERE trx_state = 'LOCK WAIT' AND db = DATABASE()""")) {
                if (!waiting.next()) {
                    return false;
                }
                session = waiting.getLong(1);
            }
            statement.execute("KILL CONNECTION " + session);
            return true;
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
