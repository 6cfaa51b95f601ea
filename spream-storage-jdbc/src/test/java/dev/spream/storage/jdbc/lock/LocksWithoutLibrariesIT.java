package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.servers.PostgresDatabase;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Locks of a program that has neither Flyway nor HikariCP on its class path. */
@Timeout(60)
final class LocksWithoutLibrariesIT {

    @Test
    void a_program_without_flyway_and_hikaricp_locks_and_a_later_flyway_migrates_its_tables(@TempDir Path folder)
            throws Exception {
        String url = PostgresDatabase.create().jdbcUrl();
        try (URLClassLoader loader = withoutLibraries()) {
            assertThat(loader.loadClass(Program.class.getName())
                            .asSubclass(Callable.class)
                            .getDeclaredConstructor(String.class)
                            .newInstance(url)
                            .call())
                    .isEqualTo("locked; com.zaxxer.hikari: no, org.flywaydb: no");
        }
        assertThat(new Program(url).call()).isEqualTo("locked; com.zaxxer.hikari: yes, org.flywaydb: yes");

        Files.writeString(folder.resolve("V2__more.sql"), "CREATE TABLE more (id int)");
        assertThat(Flyway.configure()
                        .dataSource(dataSource(url))
                        .schemas("spream")
                        .table("hier_lock_history")
                        .locations("classpath:dev/spream/storage/jdbc/lock/postgresql", "filesystem:" + folder)
                        .load()
                        .migrate()
                        .migrationsExecuted)
                .isEqualTo(1);
    }

    /** Loads every class of this JVM's class path anew, but for those of the two libraries. */
    private static URLClassLoader withoutLibraries() {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        URL[] rest = Arrays.stream(classPath.split(File.pathSeparator))
                .filter(entry -> !entry.contains("flyway") && !entry.contains("HikariCP"))
                .map(entry -> url(Path.of(entry)))
                .toArray(URL[]::new);
        return new URLClassLoader(rest, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path entry) {
        try {
            return entry.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static PGSimpleDataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    /** Creates the tables where they are missing, and does its work under a lock. */
    public static final class Program implements Callable<String> {
        private final String url;

        public Program(String url) {
            this.url = url;
        }

        @Override
        public String call() throws Exception {
            try (JdbcLockStore store = JdbcLockStore.builder(dataSource(url)).build();
                    HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
                return locks.transact(
                        LockRequest.exclusive(LockTarget.user("u1")),
                        connection -> "locked; com.zaxxer.hikari: %s, org.flywaydb: %s"
                                .formatted(has("com.zaxxer.hikari.HikariDataSource"), has("org.flywaydb.core.Flyway")));
            }
        }

        private static String has(String type) {
            try {
                return Class.forName(type) == null ? "no" : "yes";
            } catch (ClassNotFoundException e) {
                return "no";
            }
        }
    }
}
