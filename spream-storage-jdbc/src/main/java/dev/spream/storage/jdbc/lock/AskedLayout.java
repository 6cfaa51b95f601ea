package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.provisioning.BucketLayout;
import java.util.Optional;

/**
 * The lock layout that a process requests for a schema. Values that are not requested are those recorded there, or else
 * the defaults.
 *
 * @param strategy the representation of a lock
 * @param hash the hash of a path
 * @param buckets the number of buckets of each level
 * @param levels the maximum depth of targets
 */
record AskedLayout(
        Optional<LockStrategy> strategy, Optional<BucketHash> hash, Optional<Long> buckets, Optional<Integer> levels) {
    static final AskedLayout ANY =
            new AskedLayout(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    static AskedLayout of(Optional<LockStrategy> strategy, Optional<BucketSpace> space) {
        AskedLayout asked = strategy.map(ANY::with).orElse(ANY);
        return space.map(asked::with).orElse(asked);
    }

    AskedLayout with(LockStrategy chosen) {
        return new AskedLayout(Optional.of(chosen), hash, buckets, levels);
    }

    AskedLayout with(BucketSpace space) {
        return new AskedLayout(
                strategy, Optional.of(space.hash()), Optional.of(space.buckets()), Optional.of(space.levels()));
    }

    /** Returns whether the strategy rows was requested explicitly. */
    boolean hasRows() {
        return strategy.filter(said -> said == LockStrategy.ROWS).isPresent();
    }

    /**
     * Returns whether a number of buckets was requested for advisory locks, which have all possible buckets; probably a
     * mistake.
     */
    boolean hasOnlyBuckets(BucketLayout settled) {
        return strategy.isEmpty() && buckets.isPresent() && BucketLayouts.strategy(settled) == LockStrategy.ADVISORY;
    }

    /** Returns the complete layout. */
    BucketLayout over(Optional<BucketLayout> recorded, LockStrategy byDefault) {
        LockStrategy settled =
                strategy.or(() -> recorded.map(BucketLayouts::strategy)).orElse(byDefault);
        BucketSpace base = recorded.filter(layout -> BucketLayouts.strategy(layout) == settled)
                .map(BucketLayout::space)
                .orElse(settled.defaultSpace());
        return BucketLayouts.of(
                settled,
                new BucketSpace(
                        hash.orElse(base.hash()), buckets.orElse(base.buckets()), levels.orElse(base.levels())));
    }
}
