package dev.spream.examples.order;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.spream.examples.http.Json;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The behaviour of a broker.
 *
 * @param fault the fault
 * @param rate the share of requests with the fault, 0 to 1
 * @param seed the seed of the choice of requests
 * @param delay the duration of a slow response, and of a request without a response
 * @param recognisesKeys whether a request with a known key gets the earlier response; otherwise it is executed again
 */
record BrokerMode(Fault fault, double rate, long seed, Duration delay, boolean recognisesKeys) {
    static final BrokerMode SOUND = new BrokerMode(Fault.OK, 1, 0, Duration.ofSeconds(5), true);

    private static final Set<String> MEMBERS = Set.of("mode", "rate", "seed", "delay_ms", "recognises_keys");
    private static final int MAX_DELAY_MS = 600_000;

    enum Fault {
        /** No fault. */
        OK,
        /** The order is executed, and the request gets no response. */
        TIMEOUT_AFTER_ACCEPT,
        /** The request arrives twice, as from a proxy that repeats it. */
        DUPLICATE,
        /** The order is rejected permanently, unless it was executed before. */
        REJECT,
        /** The response is delayed. */
        SLOW,
        /** The connection ends before the request is read. */
        DOWN,
        /** An internal error, before or after the order is executed. */
        ERROR;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private static Fault of(String text) {
            return Arrays.stream(values())
                    .filter(fault -> fault.text().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("mode must be one of " + texts()));
        }

        private static List<String> texts() {
            return Arrays.stream(values()).map(Fault::text).toList();
        }
    }

    BrokerMode {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException("rate must be 0 to 1");
        }
        if (delay.isNegative() || delay.toMillis() > MAX_DELAY_MS) {
            throw new IllegalArgumentException("delay_ms must be 0 to " + MAX_DELAY_MS);
        }
    }

    /**
     * Returns this mode with the members of a request; missing members of the fault are as in {@link #SOUND}.
     *
     * @throws IllegalArgumentException if the request is malformed
     */
    BrokerMode changedBy(String body) {
        if (!(Json.parse(body) instanceof JsonObject mode) || !MEMBERS.containsAll(mode.keySet())) {
            throw new IllegalArgumentException("a mode is a JSON object with some of " + MEMBERS);
        }
        try {
            return new BrokerMode(
                    member(mode, "mode")
                            .map(fault -> Fault.of(fault.getAsString()))
                            .orElseThrow(() -> new IllegalArgumentException(
                                    "the member mode is missing; it must be one of " + Fault.texts())),
                    member(mode, "rate").map(JsonElement::getAsDouble).orElse(SOUND.rate),
                    member(mode, "seed").map(JsonElement::getAsLong).orElse(SOUND.seed),
                    member(mode, "delay_ms")
                            .map(millis -> Duration.ofMillis(millis.getAsInt()))
                            .orElse(SOUND.delay),
                    member(mode, "recognises_keys")
                            .map(JsonElement::getAsBoolean)
                            .orElse(recognisesKeys));
        } catch (NumberFormatException | UnsupportedOperationException | IllegalStateException e) {
            throw new IllegalArgumentException("a member of the mode has a value of another type");
        }
    }

    private static Optional<JsonElement> member(JsonObject mode, String name) {
        return Optional.ofNullable(mode.get(name));
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.addProperty("mode", fault.text());
        json.addProperty("rate", rate);
        json.addProperty("seed", seed);
        json.addProperty("delay_ms", delay.toMillis());
        json.add("recognises_keys", new JsonPrimitive(recognisesKeys));
        return json;
    }

    /** Returns the generator that chooses the requests with a fault; used by one thread at a time. */
    Random dice() {
        return new Random(seed);
    }
}
