package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;

/** The text that holds for a key, before its type has read it. */
sealed interface ResolvedText {

    /** Nothing is configured, and there is no default. */
    record Absent() implements ResolvedText {}

    /** Something is configured and cannot be used, which was reported. */
    record Unusable(String shown, Origin place) implements ResolvedText {}

    /**
     * A text that can be read.
     *
     * @param key in full the key that it was configured for, or whose default it is
     * @param text never shown
     * @param template the text as it was written
     * @param shown what people may see of it
     * @param secret whether that is not all of it
     */
    record Text(String key, String text, Interpolation template, String shown, boolean secret, Origin place)
            implements ResolvedText {

        static Text of(String name, ConfigKey<?> key, String text, Interpolation template, Origin place) {
            boolean secret = key.isSecret() || key.shownPart().isPresent();
            return new Text(name, text, template, template.shown(key), secret, place);
        }

        /** As secret as the key that it is taken for, and that it was configured for. */
        Text takenFor(ConfigKey<?> taker) {
            if (!taker.isSecret() && (secret || taker.shownPart().isEmpty())) {
                return this;
            }
            return new Text(key, text, template, template.shown(taker), true, place);
        }

        /** Returns whether not even an error may quote the text. */
        boolean hidden() {
            return secret || template.hasReferences();
        }

        String described() {
            String pattern = template.hasReferences() ? "%s is what '%s' stands for (%s)" : "%s is '%s' (%s)";
            return pattern.formatted(key, shown(), place.text());
        }

        @Override
        public String toString() {
            return described();
        }
    }
}
