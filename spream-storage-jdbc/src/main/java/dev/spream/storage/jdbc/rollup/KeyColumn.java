package dev.spream.storage.jdbc.rollup;

import java.util.function.Function;

/**
 * A column of the primary key.
 *
 * @param name a lower-case identifier
 * @param type its type in PostgreSQL
 * @param text returns the value of an entry as a text that the server converts to that type
 */
record KeyColumn<E>(String name, String type, Function<? super E, String> text) {

    String definition() {
        return "\"%s\" %s NOT NULL".formatted(name, type.equals("text") ? "text COLLATE \"C\"" : type);
    }
}
