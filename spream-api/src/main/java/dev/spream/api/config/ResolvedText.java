package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;

/** The effective text of a key, before its type reads it. */
sealed interface ResolvedText {

    /** No text is configured, and there is no default. */
    record Absent() implements ResolvedText {}

    /** The configured text cannot be used, which is reported already. */
    record Unusable(String shown, Origin place) implements ResolvedText {}

    /**
     * A usable text.
     *
     * @param key the full key that sets the text, or whose default it is
     * @param text never shown
     * @param template the text with references unresolved
     * @param shown the displayable form of the text
     * @param secret whether {@code shown} hides a part
     */
    record Text(String key, String text, Interpolation template, String shown, boolean secret, Origin place)
            implements ResolvedText {

        static Text of(String name, ConfigKey<?> key, String text, Interpolation template, Origin place) {
            boolean secret = key.isSecret() || key.shownPart().isPresent();
            return new Text(name, text, template, template.shown(key), secret, place);
        }

        /** Returns the text for another key that falls back to it; secret if either key is. */
        Text takenFor(ConfigKey<?> taker) {
            if (!taker.isSecret() && (secret || taker.shownPart().isEmpty())) {
                return this;
            }
            return new Text(key, text, template, template.shown(taker), true, place);
        }

        /** Returns whether error messages must not quote the text. */
        boolean hidden() {
            return secret || template.hasReferences();
        }

        String described() {
            String pattern = template.hasReferences() ? "%s is the value of '%s' (%s)" : "%s is '%s' (%s)";
            return pattern.formatted(key, shown(), place.text());
        }

        @Override
        public String toString() {
            return described();
        }
    }
}
