package dev.spream.storage.jdbc.internal;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** What the builders of this module ask of their options. */
public final class BuilderChecks {
    public static final Duration MIN_STATEMENT_TIMEOUT = Duration.ofSeconds(1);
    public static final Duration MAX_STATEMENT_TIMEOUT = Duration.ofHours(1);

    private BuilderChecks() {}

    /** The name, which becomes part of a key that is text. */
    public static String requireSubscription(String name, int maxLength) {
        if (name.isBlank() || name.length() > maxLength || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "malformed subscription name '%s': expected 1 to %d characters, not all blank, none of them NUL"
                            .formatted(name.replace('\0', '?'), maxLength));
        }
        return name;
    }

    /** The limit, in what the driver can express. */
    public static Duration requireStatementTimeout(Duration timeout) {
        if (timeout.compareTo(MIN_STATEMENT_TIMEOUT) < 0
                || timeout.compareTo(MAX_STATEMENT_TIMEOUT) > 0
                || !timeout.equals(timeout.truncatedTo(ChronoUnit.SECONDS))) {
            throw new IllegalArgumentException(
                    "statementTimeout must be whole seconds from PT1S to PT1H, was " + DurationText.of(timeout));
        }
        return timeout;
    }
}
