package dev.spream.projection.event;

/** Checks of the texts of events: their lengths, and characters that a database cannot store. */
public final class EventChecks {
    static final int ID_LENGTH = 200;
    static final int TYPE_LENGTH = 200;
    public static final int AGGREGATE_ID_LENGTH = 1_024;

    private EventChecks() {}

    public static void length(String what, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new IllegalArgumentException(
                    "%s has %d characters, must have 1 to %d".formatted(what, value.length(), max));
        }
        storable(what, value);
    }

    /**
     * Checks that databases can store the text: it has neither the character U+0000 nor an unpaired surrogate. Drivers
     * write the latter as a question mark, so that two names could become equal.
     */
    static void storable(String what, String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("%s contains the character U+0000".formatted(what));
        }
        int half = unpairedSurrogate(value);
        if (half >= 0) {
            throw new IllegalArgumentException("%s contains an unpaired surrogate at index %d".formatted(what, half));
        }
    }

    /** Returns the index of the first unpaired surrogate; -1 if there is none. */
    private static int unpairedSurrogate(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Character.isSurrogate(value.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(value.codePointAt(i))) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }
}
