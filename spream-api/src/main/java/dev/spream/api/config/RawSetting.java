package dev.spream.api.config;

/**
 * A key with its unresolved value, from one place.
 *
 * @param name the key, or the environment variable, which may match several keys
 * @param written the value with references unresolved
 * @param readable false if the value could not be parsed, which is reported already
 */
record RawSetting(String name, String written, Origin origin, boolean readable) {
    RawSetting(String name, String written, Origin origin) {
        this(name, written, origin, true);
    }

    /** Without the value, which may be secret. */
    @Override
    public String toString() {
        return "%s (%s)".formatted(name, origin.text());
    }
}
