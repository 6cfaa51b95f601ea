package dev.spream.examples.order;

import com.google.gson.JsonObject;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.examples.http.Answer;
import dev.spream.examples.http.Call;
import dev.spream.examples.http.Json;
import dev.spream.examples.http.JsonServer;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API for clients of the order service: {@code POST /do/order} takes an order, {@code GET /do/order/{key}} returns
 * its state. A repeated POST with the same key also returns the state, and never orders twice. Safe for use by many
 * threads.
 */
record OrderApi(Orders orders, IdempotencyLedger<?> ledger) implements JsonServer.Handler {
    private static final Logger log = LoggerFactory.getLogger(OrderApi.class);
    private static final String ORDER = "/do/order";
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");
    private static final Pattern TRACEPARENT = Pattern.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    @Override
    public Optional<Answer> answer(Call call) throws IOException {
        try {
            return Optional.of(route(call));
        } catch (SQLException | StorageException e) {
            log.warn(
                    "an order was not answered, and may have been taken; a client that repeats it finds out",
                    LoggedFailure.of(e));
            return Optional.of(Answer.problem(
                            Answer.UNAVAILABLE,
                            "Not known",
                            "The database did not answer. The order may have been taken: repeat it with the same key.")
                    .header("Retry-After", "1"));
        }
    }

    private Answer route(Call call) throws IOException, SQLException {
        if (call.is("POST", ORDER)) {
            return post(key(call), Order.parse(call.body()), traceparent(call));
        }
        return call.rest("GET", ORDER + "/").map(this::get).orElseGet(() -> refuse(call));
    }

    private static Answer refuse(Call call) {
        if (call.isAt(ORDER)) {
            return Answer.notAllowed("POST");
        }
        if (call.isBelow(ORDER + "/")) {
            return Answer.notAllowed("GET");
        }
        return Answer.problem(Answer.NOT_FOUND, "Not found", "There are POST /do/order and GET /do/order/{key} alone.");
    }

    /** Returns the header's value: its draft standard has a string in quotes, most clients send it without them. */
    private static String key(Call call) {
        List<String> values = call.headers("Idempotency-Key");
        if (values.size() != 1) {
            throw new IllegalArgumentException("one header Idempotency-Key is needed, there are " + values.size());
        }
        String value = values.getFirst().strip();
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        String key = quoted ? value.substring(1, value.length() - 1) : value;
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    "Idempotency-Key must be 1 to 255 printable characters of ASCII without blanks");
        }
        return key;
    }

    /** Returns the trace context; one that is not well-formed is ignored, as the W3C standard requires. */
    private static Optional<String> traceparent(Call call) {
        return call.headers("traceparent").stream()
                .filter(value -> TRACEPARENT.matcher(value).matches())
                .findFirst();
    }

    private Answer post(String key, Order order, Optional<String> traceparent) throws SQLException {
        return switch (orders.take(key, order, traceparent)) {
            case EnqueueResult.Enqueued enqueued -> waiting(key, "accepted");
            case EnqueueResult.InProgress inProgress -> waiting(key, "in_progress");
            case EnqueueResult.Settled(LedgerEntry entry) -> answer(entry);
            case EnqueueResult.Conflict conflict ->
                Answer.problem(Answer.CONFLICT, "Key in use", "Another order has this key: use a new one.")
                        .with("reason", "IDEMPOTENCY_CONFLICT");
        };
    }

    private Answer get(String key) {
        return ledger.find(key)
                .map(OrderApi::answer)
                .orElseGet(() -> Answer.problem(Answer.NOT_FOUND, "Not found", "There is no order with this key."));
    }

    private static Answer answer(LedgerEntry entry) {
        return entry.result()
                .map(result -> settled(entry.idempotencyKey(), result))
                .orElseGet(() -> waiting(entry.idempotencyKey(), "in_progress"));
    }

    private static Answer settled(String key, LedgerResult result) {
        if (result.status() == LedgerStatus.SUCCEEDED) {
            JsonObject body = body(key, "succeeded");
            result.responsePayload().ifPresent(payload -> body.add("result", Json.parse(payload)));
            return Answer.json(result.httpStatus(), body);
        }
        String reason = result.reason().map(Object::toString).orElse("");
        return Answer.problem(result.httpStatus(), "Order failed", "The order was aborted and will not be retried.")
                .with("idempotency_key", key)
                .with("reason", reason);
    }

    private static Answer waiting(String key, String status) {
        return Answer.json(Answer.ACCEPTED, body(key, status)).header("Location", location(key));
    }

    private static JsonObject body(String key, String status) {
        JsonObject body = new JsonObject();
        body.addProperty("idempotency_key", key);
        body.addProperty("status", status);
        return body;
    }

    private static String location(String key) {
        try {
            return new URI(null, null, ORDER + "/" + key, null).getRawPath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a key has characters that it must not have", e);
        }
    }
}
