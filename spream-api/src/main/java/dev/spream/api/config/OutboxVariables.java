package dev.spream.api.config;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The variables by which deployments configured the worker of an outbox before it was spream's: without a prefix, and with
 * their units in their names. What is written in none of their ways is handed on as it is, for its key to judge.
 */
final class OutboxVariables {
    private static final List<NamedVariable> ALL = List.of(
            new NamedVariable("OUTBOX_ENABLED", "outbox.enabled", OutboxVariables::flag),
            new NamedVariable("OUTBOX_CONCURRENCY", "outbox.concurrency", text -> text),
            new NamedVariable("OUTBOX_BATCH", "outbox.batch", text -> text),
            new NamedVariable("OUTBOX_POLL_INTERVAL_SEC", "outbox.poll-interval", OutboxVariables::seconds),
            new NamedVariable("OUTBOX_LOCK_LEASE_SEC", "outbox.lease", OutboxVariables::seconds),
            new NamedVariable("OUTBOX_MAX_ATTEMPTS", "outbox.max-attempts", text -> text),
            new NamedVariable("OUTBOX_BACKOFF_SEC", "outbox.backoff", OutboxVariables::listOfSeconds),
            new NamedVariable("BROKER_TIMEOUT_MS", "outbox.send-timeout", OutboxVariables::millis));

    private OutboxVariables() {}

    /** What they say, by the key that they mean. One that is empty says nothing. */
    static Map<String, Setting> settings(Map<String, String> variables) {
        return NamedVariable.settings(ALL, variables);
    }

    private static String flag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "true", "yes", "on" -> "true";
            case "0", "false", "no", "off" -> "false";
            default -> text;
        };
    }

    /** Seconds, with decimals or without, such as 0.5. */
    private static String seconds(String text) {
        try {
            BigDecimal seconds = new BigDecimal(text);
            return isWhole(seconds)
                    ? seconds.toBigIntegerExact() + "s"
                    : seconds.movePointRight(3).toBigIntegerExact() + "ms";
        } catch (ArithmeticException | NumberFormatException e) {
            return text;
        }
    }

    private static boolean isWhole(BigDecimal number) {
        return number.stripTrailingZeros().scale() <= 0;
    }

    /** Seconds with commas between, in brackets or without. */
    private static String listOfSeconds(String text) {
        String inner = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        return Arrays.stream(inner.split(",", -1))
                .map(String::strip)
                .map(OutboxVariables::seconds)
                .collect(Collectors.joining(","));
    }

    private static String millis(String text) {
        return text.chars().allMatch(Character::isDigit) ? text + "ms" : text;
    }
}
