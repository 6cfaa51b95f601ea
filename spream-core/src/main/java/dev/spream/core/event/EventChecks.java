package dev.spream.core.event;

/** What names of events must be. */
final class EventChecks {
    static final int ID_LENGTH = 200;
    static final int TYPE_LENGTH = 200;
    static final int AGGREGATE_ID_LENGTH = 1_024;

    private EventChecks() {}

    static void length(String what, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new IllegalArgumentException(
                    "%s has %d characters, must have 1 to %d".formatted(what, value.length(), max));
        }
    }
}
