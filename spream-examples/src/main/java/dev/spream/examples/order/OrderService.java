package dev.spream.examples.order;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.HttpAddress;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.StorageException;
import dev.spream.examples.http.JsonServer;
import dev.spream.examples.http.Parts;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.storage.jdbc.JdbcPool;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes orders over HTTP and has a broker execute each once, whatever fails in between. The environment configures it:
 * <ul>
 *   <li>{@code DATABASE_URL}, a JDBC URL of PostgreSQL without a password; without it, a database is started that ends
 *       with the program;
 *   <li>{@code DATABASE_USER} and {@code DATABASE_PASSWORD}, for that URL;
 *   <li>{@code BROKER_URL}, as {@link Broker} prints it; without it, a broker is started as well, at {@code
 *       BROKER_HTTP} (8090);
 *   <li>{@code BROKER_RECOGNISES_KEYS}, false for a broker that has to be queried before an order is sent again;
 *   <li>{@code ORDER_HTTP} (8080), a port, or host and port, to listen at;
 *   <li>{@code OUTBOX_ENABLED} (here true; false for a service that leaves the sending to others);
 *   <li>{@code OUTBOX_CONCURRENCY}, {@code OUTBOX_BATCH}, {@code OUTBOX_POLL_INTERVAL_SEC}, {@code
 *       OUTBOX_LOCK_LEASE_SEC}, {@code OUTBOX_MAX_ATTEMPTS}, {@code OUTBOX_BACKOFF_SEC} and {@code BROKER_TIMEOUT_MS},
 *       as for any outbox, and everything else as {@code SPREAM_CONFIG_…}.
 * </ul>
 */
public final class OrderService implements AutoCloseable {
    static final String DATABASE_URL = "DATABASE_URL";
    static final String DATABASE_USER = "DATABASE_USER";
    static final String DATABASE_PASSWORD = "DATABASE_PASSWORD";
    static final String BROKER_URL = "BROKER_URL";

    private static final Set<String> OFF = Set.of("false", "0", "no", "off");

    private final Parts parts = new Parts();
    private final URI uri;

    private OrderService(Map<String, String> environment) throws IOException, SQLException {
        try {
            uri = open(environment);
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    /**
     * Starts a service that takes orders until it is closed. The environment names a database and a broker.
     *
     * @throws ConfigException if a value of the environment is invalid
     * @throws StorageException if the database cannot be reached
     * @throws SQLException if the table of orders cannot be created
     * @throws IOException if it cannot listen at {@code ORDER_HTTP}
     */
    static OrderService start(Map<String, String> environment) throws IOException, SQLException {
        return new OrderService(environment);
    }

    private URI open(Map<String, String> environment) throws IOException, SQLException {
        HttpAddress address = address(environment, "ORDER_HTTP", "8080");
        ConfiguredOutbox configured = parts.add(ConfiguredOutbox.open(config(environment))); // validates the URL too
        HikariDataSource database = parts.add(JdbcPool.open(
                environment.getOrDefault(DATABASE_URL, ""),
                value(environment, DATABASE_USER),
                value(environment, DATABASE_PASSWORD)));
        Orders orders = Orders.open(database, configured.outbox(Connection.class));
        if (isWorker(environment)) {
            OutboxWorker worker = configured.worker();
            parts.add(() -> worker.shutdown(configured.shutdownTimeout()));
            Thread.ofVirtual().name("order-outbox").start(worker::run);
        }
        OrderApi api = new OrderApi(orders, configured.ledger(Connection.class));
        return parts.add(JsonServer.start("order-http", address, api)).uri();
    }

    static HttpAddress address(Map<String, String> environment, String variable, String otherwise) {
        try {
            return HttpAddress.parse(environment.getOrDefault(variable, otherwise));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(List.of("%s: %s".formatted(variable, e.getMessage())));
        }
    }

    private static Optional<String> value(Map<String, String> environment, String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isEmpty());
    }

    private static boolean isWorker(Map<String, String> environment) {
        return !OFF.contains(environment.getOrDefault("OUTBOX_ENABLED", "").toLowerCase(Locale.ROOT));
    }

    private static SpreamConfig config(Map<String, String> environment) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.putIfAbsent("OUTBOX_ENABLED", "true");
        String orders = environment.get(BROKER_URL) + "/broker/orders";
        SpreamConfig.Builder config = SpreamConfig.builder()
                .environment(variables)
                .set("outbox", "jdbc")
                .set("outbox.jdbc.url", environment.getOrDefault(DATABASE_URL, ""))
                .set("sender", "http")
                .set("sender.http.url", orders);
        value(environment, DATABASE_USER).ifPresent(user -> config.set("outbox.jdbc.user", reference(DATABASE_USER)));
        value(environment, DATABASE_PASSWORD)
                .ifPresent(password -> config.set("outbox.jdbc.password", reference(DATABASE_PASSWORD)));
        if (environment.getOrDefault("BROKER_RECOGNISES_KEYS", "true").equals("false")) {
            config.set("sender.http.guarantee", "queryable").set("sender.http.query-url", orders + "/{key}");
        }
        return config.build();
    }

    /** Returns a reference instead of the value, since a part of the value could look like a reference. */
    private static String reference(String variable) {
        return "${env:%s}".formatted(variable);
    }

    URI uri() {
        return uri;
    }

    /** Rejects new orders, waits for running sends, and leaves the other orders in the database. */
    @Override
    public void close() {
        parts.close();
    }

    /** Starts the parts that the environment does not name, prints example commands, and runs until it is stopped. */
    public static void main(String[] args) {
        OrderProgram program = new OrderProgram();
        Runtime.getRuntime().addShutdownHook(new Thread(program::close, "order-end"));
        int status = program.run(System.getenv());
        if (status != 0) {
            System.exit(status);
        }
    }
}
