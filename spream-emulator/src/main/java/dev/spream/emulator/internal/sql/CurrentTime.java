package dev.spream.emulator.internal.sql;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * The current time in the engine's SQL.
 *
 * @param fixed the time of a statement; empty if it is that of the evaluation, for an expression that a schema stores
 */
record CurrentTime(Optional<Instant> fixed) {
    static final CurrentTime AT_EVALUATION = new CurrentTime(Optional.empty());

    static CurrentTime of(Instant now) {
        return new CurrentTime(Optional.of(now));
    }

    /** Returns the timestamp, bound as a parameter: the engine plans a statement once, whatever the time. */
    String timestamp(SqlTranslator translator) {
        return fixed.map(now -> translator.bound(now.atOffset(ZoneOffset.UTC))).orElse("SPANNER_NOW()");
    }

    String date() {
        return fixed.map(now -> "DATE '" + LocalDate.ofInstant(now, Values.DEFAULT_ZONE) + "'")
                .orElse("SPANNER_TODAY()");
    }
}
