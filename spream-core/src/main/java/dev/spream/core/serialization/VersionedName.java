package dev.spream.core.serialization;

/** The stored name of a type, divided into name and version: {@code MoneyDeposited@2}. */
record VersionedName(String name, long version) {
    private static final int MAX_LENGTH = 190;
    private static final int MAX_DIGITS = 18;
    private static final char SEPARATOR = '@';

    /** Returns the parts of a stored name; one without a version, or with something else behind the sign, has version 1. */
    static VersionedName parse(String stored) {
        int at = stored.lastIndexOf(SEPARATOR);
        if (at < 1 || !stored.substring(at + 1).matches("[1-9][0-9]*")) {
            return new VersionedName(stored, 1);
        }
        String version = stored.substring(at + 1);
        return new VersionedName(
                stored.substring(0, at), version.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(version));
    }

    static void check(String name) {
        if (name.isBlank()
                || name.length() > MAX_LENGTH
                || name.indexOf(SEPARATOR) >= 0
                || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "type name '%s': must have 1 to %d characters that are not all blank, and no %s or control character"
                            .formatted(name, MAX_LENGTH, SEPARATOR));
        }
    }

    /** Returns the name as it is stored. */
    String stored() {
        return version == 1 ? name : name + SEPARATOR + version;
    }
}
