package dev.spream.examples.order;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.spream.examples.http.Json;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.Set;

/**
 * An order to buy or sell.
 *
 * @param symbol the symbol to trade, such as 7203
 * @param side buy or sell
 * @param quantity the number of units, 1 to a million
 * @param price the limit price of a unit; empty for any
 * @param account the account, which is the ordering key: orders of one account are sent in order, those without one as
 * soon as possible
 * @param json the request in its canonical form
 */
record Order(
        String symbol, String side, long quantity, Optional<BigDecimal> price, Optional<String> account, String json) {
    private static final Set<String> MEMBERS = Set.of("symbol", "side", "quantity", "price", "account");
    private static final Set<String> SIDES = Set.of("buy", "sell");
    private static final BigDecimal MAX_QUANTITY = BigDecimal.valueOf(1_000_000);
    private static final BigDecimal MAX_PRICE = BigDecimal.valueOf(1_000_000_000);
    private static final int MAX_DECIMALS = 8;
    private static final int MAX_TEXT = 64;

    /**
     * Parses a request.
     *
     * @throws IllegalArgumentException if it is not an order; the message contains the reason, and none of the data
     */
    static Order parse(String body) {
        if (!(Json.parse(body) instanceof JsonObject order)) {
            throw new IllegalArgumentException("an order is a JSON object");
        }
        if (!MEMBERS.containsAll(order.keySet())) {
            throw new IllegalArgumentException(
                    "an order has the members symbol, side, quantity, price and account alone");
        }
        return new Order(
                required("symbol", text(order, "symbol")),
                required("side", text(order, "side").filter(SIDES::contains)),
                required("quantity", number(order, "quantity", MAX_QUANTITY, 0)).longValueExact(),
                number(order, "price", MAX_PRICE, MAX_DECIMALS),
                text(order, "account"),
                Json.canonical(order));
    }

    private static <T> T required(String member, Optional<T> value) {
        return value.orElseThrow(() -> refused(member));
    }

    private static Optional<String> text(JsonObject order, String member) {
        return Optional.ofNullable(order.get(member)).map(value -> {
            if (value instanceof JsonPrimitive text
                    && text.isString()
                    && !text.getAsString().isBlank()
                    && text.getAsString().length() <= MAX_TEXT) {
                return text.getAsString();
            }
            throw refused(member);
        });
    }

    private static Optional<BigDecimal> number(JsonObject order, String member, BigDecimal max, int decimals) {
        return Optional.ofNullable(order.get(member)).map(value -> {
            if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
                BigDecimal number = primitive.getAsBigDecimal();
                if (number.signum() > 0 && number.compareTo(max) <= 0 && number.scale() <= decimals) {
                    return number;
                }
            }
            throw refused(member);
        });
    }

    private static IllegalArgumentException refused(String member) {
        return new IllegalArgumentException(
                switch (member) {
                    case "side" -> "side must be buy or sell";
                    case "quantity" -> "quantity must be a whole number of 1 to " + MAX_QUANTITY;
                    case "price" ->
                        "price must be a number above 0, at most %s, with at most %d decimals"
                                .formatted(MAX_PRICE, MAX_DECIMALS);
                    default -> "%s must be a text of 1 to %d characters".formatted(member, MAX_TEXT);
                });
    }

    /** Returns a text without any of the data. */
    @Override
    public String toString() {
        return "Order[]";
    }
}
