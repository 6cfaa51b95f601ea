package dev.spream.storage.jdbc.outbox;

import dev.spream.core.record.JsonObject;
import java.util.Map;

/** Texts that have to be JSON for PostgreSQL. */
final class JsonTexts {
    private static final String MEMBER = "answer";
    private static final char REPLACEMENT = '\ufffd';

    private JsonTexts() {}

    /**
     * The text, if PostgreSQL takes it as JSON, and else a JSON string of it: an answer that is none must not keep an entry
     * from being settled.
     */
    static String storable(String text) {
        return isJson(text) && !text.contains("\\u0000") ? text : asString(text);
    }

    private static boolean isJson(String text) {
        try {
            return text.indexOf('\0') < 0
                    && JsonObject.of("{\"%s\":%s}".formatted(MEMBER, text))
                                    .members()
                                    .size()
                            == 1;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String asString(String text) {
        String object =
                JsonObject.of(Map.of(MEMBER, text.replace('\0', REPLACEMENT))).toString();
        return object.substring(object.indexOf(':') + 1, object.length() - 1);
    }
}
