package dev.spream.storage.jdbc.outbox;

import dev.spream.core.record.Json;

/** Texts that have to be JSON for PostgreSQL. */
final class JsonTexts {
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
            Json.parse(text);
            return text.indexOf('\0') < 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String asString(String text) {
        return Json.text(text.replace('\0', REPLACEMENT));
    }
}
