package dev.spream.api.config;

import dev.spream.core.Secrets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sanitizes external text for display. */
final class DisplayText {
    static final String MASK = Secrets.MASK;

    /** Matches to the end of the text, since the end of a password depends on the reader of the value. */
    private static final Pattern PASSWORD_PARAMETER = Pattern.compile(
            "(?is)((?:pass|pwd|secret|token|credential|signature|sig|api[-_]?key|access[-_]?key)[\\w.-]*\\s*=).+");
    /** Matches to the last {@code @}, since a password may contain the characters that end an authority. */
    private static final Pattern USER = Pattern.compile("(?s)(://|:(?!.*://)).*@");

    private DisplayText() {}

    /** Masks the secret parts of a value that is not secret as a whole, such as the password in a URL. */
    static String value(String value) {
        String parameters = PASSWORD_PARAMETER.matcher(value).replaceAll("$1" + Matcher.quoteReplacement(MASK));
        return text(USER.matcher(parameters).replaceAll("$1" + Matcher.quoteReplacement(MASK) + "@"));
    }

    /** Returns the text on one line, with control characters escaped. */
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
