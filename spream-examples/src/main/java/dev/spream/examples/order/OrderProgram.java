package dev.spream.examples.order;

import static dev.spream.examples.order.OrderService.BROKER_URL;
import static dev.spream.examples.order.OrderService.DATABASE_PASSWORD;
import static dev.spream.examples.order.OrderService.DATABASE_URL;
import static dev.spream.examples.order.OrderService.DATABASE_USER;

import dev.spream.api.config.ConfigException;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.examples.http.Parts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An order service that also starts the database and the broker that its environment does not name, and ends them. Run
 * by one thread, and closed by any: a close during the start waits for the start to finish, and then ends everything.
 */
final class OrderProgram implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OrderProgram.class);
    private static final int FAILED = 1;
    private static final int MISUSED = 2;

    private final ReentrantLock lock = new ReentrantLock(); // held during the start and the close
    private final Parts parts = new Parts(); // guarded by lock

    /**
     * Starts the service and prints example commands, or closes its started parts and prints one line with the reason
     * of the failure.
     *
     * @return the exit status of the process: 0 if it started, 2 if a value of the environment is invalid, else 1
     */
    int run(Map<String, String> environment) {
        try {
            System.out.print(start(environment));
            return 0;
        } catch (IOException | SQLException | RuntimeException e) {
            close();
            System.err.println("the order service did not start: " + reason(e).replaceAll("\\s*\\R\\s*", " "));
            return e instanceof ConfigException ? MISUSED : FAILED;
        }
    }

    private static String reason(Exception failure) {
        String message = Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
        boolean ofDatabase = failure instanceof StorageException
                || failure instanceof SQLException
                || message.contains("outbox.jdbc.");
        return ofDatabase
                ? "%s; the database is named by %s (without a password), %s and %s"
                        .formatted(message, DATABASE_URL, DATABASE_USER, DATABASE_PASSWORD)
                : message;
    }

    private String start(Map<String, String> variables) throws IOException, SQLException {
        lock.lock();
        try {
            Map<String, String> environment = new HashMap<>(variables);
            if (!environment.containsKey(DATABASE_URL)) {
                startDatabase(environment);
            }
            if (!environment.containsKey(BROKER_URL)) {
                Broker broker = parts.add(Broker.start(OrderService.address(environment, "BROKER_HTTP", "8090")));
                environment.put(BROKER_URL, broker.uri().toString());
            }
            OrderService service = parts.add(OrderService.start(environment));
            return usageHints(service.uri(), environment);
        } finally {
            lock.unlock();
        }
    }

    /** Starts the database without a shutdown hook of its own, which would end it before the service. */
    private void startDatabase(Map<String, String> environment) throws IOException {
        EmbeddedPostgres postgres = parts.add(EmbeddedPostgres.builder()
                .setServerConfig("synchronous_commit", "on")
                .setRegisterShutdownHook(false)
                .start());
        environment.put(DATABASE_URL, "jdbc:postgresql://localhost:%d/postgres".formatted(postgres.getPort()));
        environment.put(DATABASE_USER, "postgres");
        environment.remove(DATABASE_PASSWORD);
    }

    private static String usageHints(URI service, Map<String, String> environment) {
        return """
                order service at %1$s, broker at %2$s

                  curl -i %1$s/do/order -H 'Idempotency-Key: order-1' \\
                      -H 'Content-Type: application/json' \\
                      -d '{"symbol": "7203", "side": "buy", "quantity": 100}'
                  curl -i %1$s/do/order/order-1

                Order again under the same key: it is one order. Break the broker, order, and repair it:

                  curl %2$s/broker/mode -H 'Content-Type: application/json' \\
                      -d '{"mode": "timeout-after-accept"}'
                  curl -i %1$s/do/order -H 'Idempotency-Key: order-2' \\
                      -H 'Content-Type: application/json' \\
                      -d '{"symbol": "6758", "side": "sell", "quantity": 5, "account": "a-1"}'
                  curl %2$s/broker/book
                  curl %2$s/broker/mode -H 'Content-Type: application/json' -d '{"mode": "ok"}'
                  curl -i %1$s/do/order/order-2
                  curl %2$s/broker/book

                Modes: ok, timeout-after-accept, duplicate, reject, slow, down, error; with "rate": 0.5 every
                other request.
                See what is in the outbox:

                  %3$s

                Variables: DATABASE_URL, DATABASE_USER, DATABASE_PASSWORD, BROKER_URL, BROKER_HTTP,
                BROKER_RECOGNISES_KEYS, ORDER_HTTP, OUTBOX_ENABLED, and the others of an outbox.
                """.formatted(service, environment.get(BROKER_URL), listCommand(environment));
    }

    /** Returns the command for a shell. The password stays in its variable. */
    static String listCommand(Map<String, String> environment) {
        StringBuilder command = new StringBuilder();
        if (!environment.getOrDefault(DATABASE_PASSWORD, "").isEmpty()) {
            command.append("SPREAM_CONFIG_OUTBOX_JDBC_PASSWORD=\"$%s\" ".formatted(DATABASE_PASSWORD));
        }
        command.append("./spream outbox list --url ").append(quoted(environment.getOrDefault(DATABASE_URL, "")));
        String user = environment.getOrDefault(DATABASE_USER, "");
        if (!user.isEmpty()) {
            command.append(" --user ").append(quoted(user));
        }
        return command.toString();
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Lets the service finish its sends, and then ends the broker and the database. Closing again is harmless. */
    @Override
    public void close() {
        lock.lock();
        try {
            parts.close();
        } catch (IllegalStateException e) {
            log.warn("the order service did not end in order", LoggedFailure.of(e));
        } finally {
            lock.unlock();
        }
    }
}
