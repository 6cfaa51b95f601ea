package dev.spream.cli.output;

import java.util.Locale;

/** Text of others, such as ids, as a terminal may get it: what would move its cursor or turn its text around is spelled out. */
public final class PlainText {
    private PlainText() {}

    public static String of(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isPlain(point)) {
                plain.appendCodePoint(point);
            } else {
                plain.append(String.format(Locale.ROOT, "\\u%04x", point));
            }
        });
        return plain.toString();
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
