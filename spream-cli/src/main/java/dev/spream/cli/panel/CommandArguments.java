package dev.spream.cli.panel;

import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;

/** The arguments of a command of the page. All methods throw IllegalArgumentException for a missing or invalid one. */
record CommandArguments(JsonObject given) {
    private static final int MAX_IDENTITIES = 100;

    String text(String name) {
        return given.string(name)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> new IllegalArgumentException(name + " is missing; nothing was done"));
    }

    long id() {
        try {
            long id = given.int64("id").orElse(0);
            if (id > 0) {
                return id;
            }
        } catch (IllegalArgumentException e) { // not a number
            throw missingId();
        }
        throw missingId();
    }

    private static IllegalArgumentException missingId() {
        return new IllegalArgumentException("id is missing, or is no id; nothing was done");
    }

    RecordIdentity identity() {
        return identity(text("identity"));
    }

    /** Returns the identities, in commit order. */
    List<RecordIdentity> identities() {
        List<?> listed = given.get("identities") instanceof List<?> list ? list : List.of();
        if (listed.isEmpty() || listed.size() > MAX_IDENTITIES) {
            throw new IllegalArgumentException("identities must be a list of 1 to %d; %d were sent, nothing was done"
                    .formatted(MAX_IDENTITIES, listed.size()));
        }
        return listed.stream()
                .map(element -> identity(String.valueOf(element)))
                .distinct()
                .sorted()
                .toList();
    }

    private static RecordIdentity identity(String text) {
        String[] parts = text.split("/", -1);
        try {
            if (parts.length == 3 && !parts[1].isEmpty() && !parts[2].isEmpty()) {
                return new RecordIdentity(Instant.parse(parts[0]), parts[1], parts[2]);
            }
        } catch (DateTimeException e) {
            throw malformed();
        }
        throw malformed();
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "an identity is malformed: expected COMMIT_TIMESTAMP/TRANSACTION/SEQUENCE; nothing was done");
    }

    static CommandArguments of(JsonObject given) {
        return new CommandArguments(given);
    }
}
