package dev.spream.cli.output;

import java.util.OptionalInt;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Builds a line of text with styles, cut at a width. Text is made safe for a terminal. Confined to one thread.
 */
public final class StyledLine {
    private static final String CUT = "…";
    private static final int ROOM_FOR_CURSOR = 1;

    private final StringBuilder line = new StringBuilder();
    private final boolean styled;
    private final int width;
    private int length;
    private boolean cut;

    /**
     * Creates an empty line.
     *
     * @param styled whether styles are written
     * @param width the width of the terminal; empty for no limit
     */
    public StyledLine(boolean styled, OptionalInt width) {
        this.styled = styled;
        this.width = width.isPresent() ? Math.max(2, width.getAsInt() - ROOM_FOR_CURSOR) : Integer.MAX_VALUE;
    }

    /** Appends text in the styles. What exceeds the width is left out, with a mark. */
    public StyledLine add(String text, Style... styles) {
        String shown = PlainText.of(text);
        if (cut || shown.isEmpty()) {
            return this;
        }
        int room = width - length;
        cut = shown.length() > room;
        String fitting = cut ? shorten(shown, room) : shown;
        length += shown.length();
        if (!styled) {
            line.append(fitting);
            return this;
        }
        for (Style style : styles) {
            line.append(style.on());
        }
        line.append(fitting);
        for (Style style : styles) {
            line.append(style.off());
        }
        return this;
    }

    /** Returns the text with at most so many characters, with a mark if it was longer. */
    public static String shorten(String text, int characters) {
        if (text.length() <= characters) {
            return text;
        }
        int end = Math.max(0, characters - CUT.length());
        if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + CUT;
    }

    @Override
    public String toString() {
        return line.toString();
    }
}
