package dev.spream.api.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A key and a value parsed from a logical line, continuation lines included.
 *
 * @param key empty if it is missing, or contains a malformed escape
 * @param value empty if it contains a malformed escape
 * @param blankAtEnd whether the value ends with a blank that is not escaped
 */
record PropertiesLine(Optional<String> key, Optional<String> value, boolean blankAtEnd) {
    private static final String BLANKS = " \t\f";
    private static final String SEPARATORS = "=:";
    private static final Pattern ESCAPE =
            Pattern.compile("\\\\(?:u(?<digits>[0-9a-fA-F]{4})|(?<other>.))", Pattern.DOTALL);

    static PropertiesLine parse(String line) {
        int keyEnd = keyEnd(line);
        String value = line.substring(valueStart(line, keyEnd));
        int last = value.length() - 1;
        return new PropertiesLine(
                unescaped(line.substring(0, keyEnd)).filter(key -> !key.isEmpty()),
                unescaped(value),
                last >= 0 && isBlank(value, last) && !isEscaped(value, last));
    }

    static String withoutIndent(String line) {
        return line.substring(afterBlanks(line, 0));
    }

    /** Returns whether an odd number of backslashes precedes the index. */
    static boolean isEscaped(String line, int index) {
        int start = index;
        while (start > 0 && line.charAt(start - 1) == '\\') {
            start--;
        }
        return (index - start) % 2 == 1;
    }

    private static int keyEnd(String line) {
        int end = 0;
        while (end < line.length() && (!(isBlank(line, end) || isSeparator(line, end)) || isEscaped(line, end))) {
            end++;
        }
        return end;
    }

    private static int valueStart(String line, int keyEnd) {
        int start = afterBlanks(line, keyEnd);
        return start < line.length() && isSeparator(line, start) ? afterBlanks(line, start + 1) : start;
    }

    private static int afterBlanks(String line, int from) {
        int start = from;
        while (start < line.length() && isBlank(line, start)) {
            start++;
        }
        return start;
    }

    private static boolean isBlank(String line, int index) {
        return BLANKS.indexOf(line.charAt(index)) >= 0;
    }

    private static boolean isSeparator(String line, int index) {
        return SEPARATORS.indexOf(line.charAt(index)) >= 0;
    }

    private static Optional<String> unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        Matcher escapes = ESCAPE.matcher(text);
        while (escapes.find()) {
            String digits = escapes.group("digits");
            String other = escapes.group("other");
            if (digits == null && other.equals("u")) {
                return Optional.empty();
            }
            char meant = digits == null ? meant(other.charAt(0)) : (char) Integer.parseInt(digits, 16);
            escapes.appendReplacement(plain, Matcher.quoteReplacement(String.valueOf(meant)));
        }
        return Optional.of(escapes.appendTail(plain).toString());
    }

    private static char meant(char escaped) {
        return switch (escaped) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 'f' -> '\f';
            default -> escaped;
        };
    }
}
