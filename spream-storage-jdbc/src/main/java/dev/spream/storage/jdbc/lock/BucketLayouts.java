package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.provisioning.BucketLayout;
import java.util.Locale;

/** The layouts of this module, whose strategy is a {@link LockStrategy}. */
final class BucketLayouts {
    /** The limit of the bucket column; on disk 2<sup>31</sup> rows are more than 100 GB. */
    static final long MAX_ROWS_OF_LEVEL = 1L << 31;

    private BucketLayouts() {}

    static BucketLayout of(LockStrategy strategy, BucketSpace space) {
        if (strategy == LockStrategy.ROWS && space.buckets() > MAX_ROWS_OF_LEVEL) {
            throw new IllegalArgumentException(
                    "buckets is %d, must be 1 to %d for row locks".formatted(space.buckets(), MAX_ROWS_OF_LEVEL));
        }
        return new BucketLayout(strategy.name().toLowerCase(Locale.ROOT), space);
    }

    static LockStrategy strategy(BucketLayout layout) {
        return LockStrategy.valueOf(layout.strategy().toUpperCase(Locale.ROOT));
    }

    static long rows(BucketLayout layout) {
        return strategy(layout) == LockStrategy.ROWS
                ? layout.space().buckets() * layout.space().levels()
                : 0;
    }

    /** Returns the command that creates such buckets, for an operator with the privileges. */
    static String command(BucketLayout layout, String schema) {
        return "./spream locks provision --strategy %s --buckets %d --levels %d --hash %s --schema %s"
                .formatted(
                        layout.strategy(),
                        layout.space().buckets(),
                        layout.space().levels(),
                        layout.space().hash(),
                        schema.contains("$") ? "'" + schema + "'" : schema);
    }
}
