package dev.spream.api.filter;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names of tables.
 *
 * @param text a name, in which a star stands for any characters or none
 * @param regex the same, for the whole name
 */
record TablePattern(String text, Pattern regex) {
    private static final Pattern NAME = Pattern.compile("[^\\s.,*'\"`]+(\\.[^\\s.,*'\"`]+)*");

    /** Reads a name or a pattern; empty if no name of a table can look like that. */
    static Optional<TablePattern> parse(String text) {
        if (!isName(text.replace('*', 'x'))) {
            return Optional.empty();
        }
        String regex = Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Optional.of(new TablePattern(text, Pattern.compile(regex)));
    }

    /** Returns whether it is a name, or several with dots between. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    boolean matches(String table) {
        return regex.matcher(table).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
