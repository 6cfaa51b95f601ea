package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariDataSource;
import java.util.OptionalInt;
import javax.sql.DataSource;

/** The maximum size of a pool of connections, where it is HikariCP's, which need not be on the class path. */
final class PoolSize {
    private static final boolean HIKARI = isPresent("com.zaxxer.hikari.HikariDataSource");

    private PoolSize() {}

    static OptionalInt of(DataSource dataSource) {
        return HIKARI ? Hikari.size(dataSource) : OptionalInt.empty();
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, PoolSize.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loaded only where HikariCP is. */
    private static final class Hikari {
        static OptionalInt size(DataSource dataSource) {
            return dataSource instanceof HikariDataSource pool
                    ? OptionalInt.of(pool.getMaximumPoolSize())
                    : OptionalInt.empty();
        }
    }
}
