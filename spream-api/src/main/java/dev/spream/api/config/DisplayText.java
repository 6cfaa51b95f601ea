package dev.spream.api.config;

import dev.spream.core.Secrets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes texts from outside fit to be shown to people. */
final class DisplayText {
    static final String MASK = Secrets.MASK;

    /** To the end: what may stand in a password, and what ends one, depends on what reads the value. */
    private static final Pattern PASSWORD_PARAMETER = Pattern.compile(
            "(?is)((?:pass|pwd|secret|token|credential|signature|sig|api[-_]?key|access[-_]?key)[\\w.-]*\\s*=).+");
    /** To the last @: a password may have any of the characters in it that end an authority. */
    private static final Pattern USER = Pattern.compile("(?s)(://|:(?!.*://)).*@");

    private DisplayText() {}

    /** A value that is no secret as a whole, but may have one inside, as URLs do. */
    static String value(String value) {
        String parameters = PASSWORD_PARAMETER.matcher(value).replaceAll("$1" + Matcher.quoteReplacement(MASK));
        return text(USER.matcher(parameters).replaceAll("$1" + Matcher.quoteReplacement(MASK) + "@"));
    }

    /** On one line, and nothing in it that a terminal would act on. */
    static String text(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\n' -> shown.append("\\n");
                case '\r' -> shown.append("\\r");
                case '\t' -> shown.append("\\t");
                default -> {
                    if (isVisible(c)) {
                        shown.appendCodePoint(c);
                    } else {
                        shown.append("\\u%04x".formatted(c));
                    }
                }
            }
        });
        return shown.toString();
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
