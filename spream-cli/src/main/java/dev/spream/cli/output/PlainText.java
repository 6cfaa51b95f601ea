package dev.spream.cli.output;

import java.util.regex.Pattern;

/** Text of others, such as ids, as a terminal may get it: what would move its cursor or turn its text around is spelled out. */
public final class PlainText {
    private static final Pattern DISTURBING = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private PlainText() {}

    public static String of(String text) {
        return DISTURBING
                .matcher(text)
                .replaceAll(found -> "\\\\u%04x".formatted(found.group().codePointAt(0)));
    }
}
