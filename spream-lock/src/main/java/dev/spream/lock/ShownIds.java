package dev.spream.lock;

import java.util.Locale;

/**
 * Ids as messages and logs may have them: what would begin a new line, move a terminal's cursor or turn its text around is
 * spelled out.
 */
final class ShownIds {
    private ShownIds() {}

    static String of(String text) {
        if (text.codePoints().allMatch(ShownIds::isPlain)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(point -> {
            if (isPlain(point)) {
                shown.appendCodePoint(point);
            } else {
                shown.append(String.format(Locale.ROOT, "\\u%04x", point));
            }
        });
        return shown.toString();
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
