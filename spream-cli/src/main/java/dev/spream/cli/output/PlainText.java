package dev.spream.cli.output;

import java.util.regex.Pattern;

/** Makes external text safe for a terminal: control and bidirectional characters are escaped. */
public final class PlainText {
    private static final Pattern DISTURBING = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private PlainText() {}

    public static String of(String text) {
        return DISTURBING
                .matcher(text)
                .replaceAll(found -> "\\\\u%04x".formatted(found.group().codePointAt(0)));
    }
}
