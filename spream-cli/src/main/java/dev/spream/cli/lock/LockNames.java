package dev.spream.cli.lock;

import dev.spream.lock.LockMode;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.provisioning.BucketLayout;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Display names of lock targets: the first few, with shared ones marked. */
final class LockNames {
    private static final int MAX_SHOWN = 3;

    private LockNames() {}

    static String of(Map<LockTarget, LockMode> targets) {
        return few(targets.entrySet().stream()
                .map(entry -> entry.getKey() + mark(entry.getValue()))
                .sorted()
                .toList());
    }

    static String of(Collection<LockTarget> targets) {
        return few(targets.stream().map(LockTarget::toString).sorted().toList());
    }

    /** Returns the bucket keys of locks whose names are unknown. */
    static String keys(List<PlannedLock> locks) {
        return few(locks.stream()
                .map(lock -> "bucket %s%s".formatted(lock.key(), mark(lock.mode())))
                .toList());
    }

    static String of(BucketLayout layout) {
        return "%s, %d levels of %d buckets by %s"
                .formatted(
                        layout.strategy(),
                        layout.space().levels(),
                        layout.space().buckets(),
                        layout.space().hash().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    private static String mark(LockMode mode) {
        return mode == LockMode.SHARED ? " (shared)" : "";
    }

    private static String few(List<String> names) {
        String shown = names.stream().limit(MAX_SHOWN).collect(Collectors.joining(", "));
        int hidden = names.size() - MAX_SHOWN;
        return hidden <= 0 ? shown : "%s and %d more".formatted(shown, hidden);
    }
}
