package dev.spream.api.config;

import java.util.Comparator;

/**
 * The place where something is configured. Ordered as problems are reported: by layer, weakest first, then by position.
 *
 * @param text for display, such as {@code spream.properties:3}, {@code SPREAM_CONFIG_STORAGE} or {@code --storage}
 */
record Origin(Layer layer, int position, String text) implements Comparable<Origin> {
    /** The origin of problems that have no place. */
    static final Origin NOWHERE = new Origin(Layer.NOWHERE, 0, "");

    private static final Comparator<Origin> ORDER =
            Comparator.comparing(Origin::layer).thenComparingInt(Origin::position);

    enum Layer {
        FILE,
        ENVIRONMENT,
        FLAG,
        PROGRAM,
        NOWHERE
    }

    @Override
    public int compareTo(Origin other) {
        return ORDER.compare(this, other);
    }
}
