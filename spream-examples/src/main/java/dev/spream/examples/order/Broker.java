package dev.spream.examples.order;

import com.google.gson.JsonObject;
import dev.spream.api.HttpAddress;
import dev.spream.examples.http.Answer;
import dev.spream.examples.http.Call;
import dev.spream.examples.http.Json;
import dev.spream.examples.http.JsonServer;
import dev.spream.examples.order.BrokerMode.Fault;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A broker with injected faults, which records every request and every effect:
 * <ul>
 *   <li>{@code POST /broker/orders}, with an {@code Idempotency-Key}, executes an order; a repeated request gets the
 *       same response, unless the broker is configured not to recognise keys;
 *   <li>{@code GET /broker/orders/{key}} returns the state of an order: 200 (executed), 404, or 202 if a request is in
 *       progress;
 *   <li>{@code POST /broker/mode} injects a fault, as described by {@link BrokerMode}; {@code GET /broker/mode} returns
 *       it;
 *   <li>{@code GET /broker/book} returns for each key the number of requests and the number of effects.
 * </ul>
 *
 * <p>Safe for use by many threads. All data is lost when it is closed.
 */
public final class Broker implements AutoCloseable {
    private static final String ORDERS = "/broker/orders";
    private static final String MODE = "/broker/mode";
    private static final String BOOK = "/broker/book";
    private static final int DEFAULT_PORT = 8090;

    private final BrokerJournal book = new BrokerJournal();
    private final CountDownLatch closing = new CountDownLatch(1);
    private BrokerMode mode = BrokerMode.SOUND; // guarded by this, as is dice
    private Random dice = mode.dice();
    private final JsonServer server;

    private Broker(HttpAddress address) throws IOException {
        server = JsonServer.start("broker", address, this::answer);
    }

    /** {@code Broker [<port or host:port>]} */
    public static void main(String[] args) throws Exception {
        HttpAddress address = args.length > 0 ? HttpAddress.parse(args[0]) : HttpAddress.parse("" + DEFAULT_PORT);
        Broker broker = start(address);
        System.out.printf("""
                broker at %1$s
                  curl %1$s/broker/mode -H 'Content-Type: application/json' \\
                      -d '{"mode": "timeout-after-accept", "rate": 0.5}'
                  curl %1$s/broker/book
                """, broker.uri());
    }

    /** Starts a broker without faults, which recognises keys. */
    static Broker start(HttpAddress address) throws IOException {
        return new Broker(address);
    }

    URI uri() {
        return server.uri();
    }

    BrokerJournal book() {
        return book;
    }

    synchronized void mode(BrokerMode changed) {
        mode = changed;
        dice = changed.dice();
    }

    synchronized BrokerMode mode() {
        return mode;
    }

    /** Returns the fault of the next request, and a random number for its variants. */
    private synchronized Lot draw() {
        Fault fault = dice.nextDouble() < mode.rate() ? mode.fault() : Fault.OK;
        return new Lot(fault, dice.nextBoolean(), mode);
    }

    private record Lot(Fault fault, boolean coin, BrokerMode mode) {}

    private Optional<Answer> answer(Call call) throws IOException, InterruptedException {
        if (call.is("POST", ORDERS)) {
            return order(call);
        }
        if (call.is("POST", MODE)) {
            mode(mode().changedBy(call.body()));
            return Optional.of(Answer.json(Answer.OK, mode().json()));
        }
        return Optional.of(look(call));
    }

    private Answer look(Call call) {
        if (call.is("GET", MODE)) {
            return Answer.json(Answer.OK, mode().json());
        }
        if (call.is("GET", BOOK)) {
            return Answer.json(Answer.OK, book.json());
        }
        return call.rest("GET", ORDERS + "/").map(this::query).orElseGet(() -> refuse(call));
    }

    private static Answer refuse(Call call) {
        if (call.isAt(ORDERS)) {
            return Answer.notAllowed("POST");
        }
        if (call.isAt(MODE)) {
            return Answer.notAllowed("GET, POST");
        }
        if (call.isAt(BOOK) || call.isBelow(ORDERS + "/")) {
            return Answer.notAllowed("GET");
        }
        return Answer.problem(Answer.NOT_FOUND, "Not found", "There is nothing here.");
    }

    private Answer query(String key) {
        return switch (book.knowledge(key)) {
            case TAKEN -> taken(key);
            case UNDER_WAY -> Answer.json(Answer.ACCEPTED, new JsonObject());
            case UNKNOWN -> Answer.problem(Answer.NOT_FOUND, "Not found", "There is no order with this key.");
        };
    }

    private Optional<Answer> order(Call call) throws IOException, InterruptedException {
        Lot lot = draw();
        if (lot.fault() == Fault.DOWN) {
            return Optional.empty();
        }
        List<String> keys = call.headers("Idempotency-Key");
        if (keys.size() != 1) {
            throw new IllegalArgumentException("one header Idempotency-Key is needed");
        }
        String key = unquoted(keys.getFirst());
        Json.parse(call.body());
        book.begin(key);
        try {
            return carryOut(key, lot);
        } finally {
            book.end(key);
        }
    }

    private static String unquoted(String key) {
        return key.length() >= 2 && key.startsWith("\"") && key.endsWith("\"")
                ? key.substring(1, key.length() - 1)
                : key;
    }

    private Optional<Answer> carryOut(String key, Lot lot) throws InterruptedException {
        boolean recognised = lot.mode().recognisesKeys();
        switch (lot.fault()) {
            case REJECT -> {
                if (!recognised || book.place(key).isEmpty()) {
                    return Optional.of(
                            Answer.problem(Answer.UNPROCESSABLE, "Refused", "The broker rejected the order."));
                }
            }
            case ERROR -> {
                if (lot.coin()) {
                    book.take(key, recognised);
                }
                return Optional.of(Answer.problem(Answer.SERVER_ERROR, "Server error", "Something went wrong."));
            }
            case TIMEOUT_AFTER_ACCEPT -> {
                book.take(key, recognised);
                linger(lot.mode());
                return Optional.empty();
            }
            case DUPLICATE -> {
                book.begin(key);
                book.take(key, recognised);
                book.end(key);
            }
            case SLOW -> linger(lot.mode());
            case OK, DOWN -> {}
        }
        book.take(key, recognised);
        return Optional.of(taken(key));
    }

    private void linger(BrokerMode slow) throws InterruptedException {
        boolean closed = closing.await(slow.delay().toMillis(), TimeUnit.MILLISECONDS);
        if (closed) {
            throw new InterruptedException("the broker is closing");
        }
    }

    /** Returns the response of an executed order, the same for each request with its key. */
    private Answer taken(String key) {
        JsonObject body = new JsonObject();
        body.addProperty("status", "ok");
        body.addProperty("broker_order_id", "b-" + book.place(key).orElseThrow());
        return Answer.json(Answer.OK, body);
    }

    @Override
    public void close() {
        closing.countDown();
        server.close();
    }
}
