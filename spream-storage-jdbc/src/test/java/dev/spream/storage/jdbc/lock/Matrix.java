package dev.spream.storage.jdbc.lock;

import java.util.List;

/** The strategies and drivers of tests: one of each in {@code mvn verify}, all with {@code -Dmatrix=true}. */
final class Matrix {
    private static final boolean ALL = Boolean.getBoolean("matrix");

    private Matrix() {}

    static List<LockStrategy> strategies() {
        return ALL ? List.of(LockStrategy.values()) : List.of(LockStrategy.ADVISORY);
    }

    /** MySQL's own driver runs the contract of lock stores over MariaDB. */
    static List<MySqlDriver> drivers() {
        return ALL ? List.of(MySqlDriver.values()) : List.of(MySqlDriver.MARIADB);
    }
}
