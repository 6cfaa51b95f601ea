package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** MariaDB by its own driver, and by that of MySQL too where the run takes all. */
@ParameterizedClass
@MethodSource("dev.spream.storage.jdbc.lock.Matrix#drivers")
final class MariaDbTransactionsIT extends MySqlTransactions {
    private static final Map<MySqlDriver, MySqlLockNamespaces> NAMESPACES = new EnumMap<>(MySqlDriver.class);

    private final MySqlDriver driver;

    MariaDbTransactionsIT(MySqlDriver driver) {
        this.driver = driver;
    }

    @Override
    MySqlLockNamespaces namespaces() {
        return NAMESPACES.computeIfAbsent(driver, by -> {
            MySqlDatabase database = new MySqlDatabase(MySqlServer.embedded());
            return new MySqlLockNamespaces(database, by.url(database));
        });
    }

    @AfterAll
    static void drop() {
        NAMESPACES.values().forEach(MySqlLockNamespaces::close);
        NAMESPACES.clear();
    }
}
