package dev.spream.api.config;

/**
 * A key and a value that stand at one place.
 *
 * @param name the key; in the environment the variable, which more than one key may be meant by
 * @param written the value before references are looked up
 * @param readable false if the value could not be made out, which was reported then
 */
record RawSetting(String name, String written, Origin origin, boolean readable) {
    RawSetting(String name, String written, Origin origin) {
        this(name, written, origin, true);
    }

    /** Without the value, which may be a secret. */
    @Override
    public String toString() {
        return "%s (%s)".formatted(name, origin.text());
    }
}
