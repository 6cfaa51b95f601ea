package dev.spream.api.config;

import java.util.Comparator;

/**
 * The place at which something is configured. The order is that of reports: layer by layer from the weakest on, and in a
 * layer from the first place on.
 *
 * @param text for people, such as {@code spream.properties:3}, {@code SPREAM_CONFIG_STORAGE} or {@code --storage}
 */
record Origin(Layer layer, int position, String text) implements Comparable<Origin> {
    /** For what is wrong because it stands nowhere. */
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
