package dev.spream.emulator.internal.stream;

import static java.util.Comparator.comparingLong;

import dev.spream.emulator.control.PartitionControl.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Sets of keys, as lists of ranges in key order that neither overlap nor touch. */
final class KeyRanges {
    private KeyRanges() {}

    /** Returns all ranges of two sets that do not overlap, with touching ones joined. */
    static List<KeyRange> union(List<KeyRange> a, List<KeyRange> b) {
        List<KeyRange> union = new ArrayList<>();
        Stream.concat(a.stream(), b.stream())
                .sorted(comparingLong(KeyRange::from))
                .forEach(range -> {
                    if (!union.isEmpty() && union.getLast().to() == range.from()) {
                        union.add(new KeyRange(union.removeLast().from(), range.to()));
                    } else {
                        union.add(range);
                    }
                });
        return union;
    }

    /** Returns whether one of the ranges contains all of the part. */
    static boolean contain(List<KeyRange> ranges, KeyRange part) {
        return ranges.stream().anyMatch(range -> range.from() <= part.from() && part.to() <= range.to());
    }

    /** Returns the ranges without a part that they contain. */
    static List<KeyRange> without(List<KeyRange> ranges, KeyRange part) {
        List<KeyRange> rest = new ArrayList<>();
        for (KeyRange range : ranges) {
            if (range.to() <= part.from() || part.to() <= range.from()) {
                rest.add(range);
                continue;
            }
            if (range.from() < part.from()) {
                rest.add(new KeyRange(range.from(), part.from()));
            }
            if (part.to() < range.to()) {
                rest.add(new KeyRange(part.to(), range.to()));
            }
        }
        return rest;
    }

    /**
     * Divides the keys into two sets of half as many each.
     *
     * @throws IllegalStateException if there are fewer than two
     */
    static List<List<KeyRange>> halves(List<KeyRange> ranges) {
        long keys =
                ranges.stream().mapToLong(range -> range.to() - range.from()).sum();
        if (keys < 2) {
            throw new IllegalStateException("a partition of " + keys + " keys cannot be split");
        }
        List<KeyRange> left = new ArrayList<>();
        List<KeyRange> right = new ArrayList<>();
        long rest = keys / 2;
        for (KeyRange range : ranges) {
            long cut = Math.min(range.from() + rest, range.to());
            if (range.from() < cut) {
                left.add(new KeyRange(range.from(), cut));
            }
            if (cut < range.to()) {
                right.add(new KeyRange(cut, range.to()));
            }
            rest -= cut - range.from();
        }
        return List.of(left, right);
    }
}
