package dev.spream.emulator.internal.sql;

import java.time.Instant;
import java.time.LocalDate;

/** The current time in the engine's SQL. */
record CurrentTime(String timestamp, String date) {
    /** The time at which the expression is evaluated, for one that a schema stores. */
    static final CurrentTime AT_EVALUATION = new CurrentTime("SPANNER_NOW()", "SPANNER_TODAY()");

    static CurrentTime of(Instant now) {
        return new CurrentTime(
                LiteralTranslator.timestamp(now), "DATE '" + LocalDate.ofInstant(now, Values.DEFAULT_ZONE) + "'");
    }
}
