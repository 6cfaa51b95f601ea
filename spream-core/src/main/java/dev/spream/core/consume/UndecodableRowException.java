package dev.spream.core.consume;

import dev.spream.core.SpreamException;

/**
 * A row of a change stream could not be decoded. As the cause of a {@link DeliveryFailure} it stands for a row that
 * was dead-lettered: the failure's change then has no rows and no keys, and holds the other values that are known.
 */
public final class UndecodableRowException extends SpreamException {
    /** Number of characters of a row that are kept. */
    public static final int MAX_ROW = 1 << 20;

    private static final long serialVersionUID = 1L;

    private final String row;

    /**
     * Creates the exception.
     *
     * @param row the row as JSON; of a longer one, {@link #MAX_ROW} characters are kept
     */
    public UndecodableRowException(String message, String row, Throwable cause) {
        super(
                row.length() <= MAX_ROW
                        ? message
                        : "%s; the row has %d characters, of which %d are kept"
                                .formatted(message, row.length(), MAX_ROW),
                cause);
        this.row = row.length() <= MAX_ROW ? row : row.substring(0, MAX_ROW);
    }

    /** Returns the row as JSON, cut if it is long. */
    public String row() {
        return row;
    }
}
