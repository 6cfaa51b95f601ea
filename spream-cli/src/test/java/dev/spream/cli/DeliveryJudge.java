package dev.spream.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges the deliveries of workers that were killed and restarted: every number of every key is delivered, in the order of its
 * key, which means:
 *
 * <ul>
 *   <li>while one worker holds a partition under one epoch, a key's numbers go up one by one;
 *   <li>when a partition changes hands, or a child follows its parents, a key continues with the next number or an
 *       earlier one: numbers that may not have been settled are delivered again, and none is left out;
 *   <li>a key does not return to a partition and epoch that it has left, unless key ranges move between living partitions;
 *   <li>effects of a worker after its partition was taken over began before that. A consumer that cannot accept them
 *       refuses the lower epoch; here they are counted, and are part of no order.
 * </ul>
 */
final class DeliveryJudge {

    /** A counter's number that took effect. */
    record Delivered(
            long place, String worker, String partition, long epoch, String key, long number, Instant startedAt) {}

    /** A partition that a worker acquired. */
    record Acquired(long place, String worker, String partition, long epoch, Instant at) {}

    /**
     * The result of the judgement.
     *
     * @param lost numbers that were committed and never delivered by a worker that held the partition
     * @param stale keys whose last delivery is not of their last number, so that a consumer would keep an earlier value;
     *     while deliveries are repeated, this may still change
     * @param unknown numbers that were delivered and never committed
     * @param disorder invalid steps of a key, each described
     * @param lateStarts effects of a fenced worker that began after its partition was taken over, each described,
     * beyond the one that a stopped process may have been about to begin
     * @param duplicates deliveries beyond the first of a number, without the fenced
     * @param fenced effects of workers whose partition had been taken over
     */
    record Verdict(
            List<String> lost,
            List<String> stale,
            List<String> unknown,
            List<String> disorder,
            List<String> lateStarts,
            long duplicates,
            long fenced) {}

    /** A partition under one epoch. */
    private record Hold(String partition, long epoch) {
        static Hold of(Delivered effect) {
            return new Hold(effect.partition(), effect.epoch());
        }
    }

    private final Map<String, NavigableMap<Long, Acquired>> epochs = new HashMap<>();

    private final boolean keysReturn;

    private DeliveryJudge(Collection<Acquired> acquired, boolean keysReturn) {
        this.keysReturn = keysReturn;
        acquired.forEach(acquire -> epochs.computeIfAbsent(acquire.partition(), token -> new TreeMap<>())
                .put(acquire.epoch(), acquire));
    }

    static Verdict judge(Map<String, Long> committed, List<Delivered> delivered, List<Acquired> acquired) {
        return judge(committed, delivered, acquired, false);
    }

    /** @param keysReturn whether a key may return to a partition that it has left */
    static Verdict judge(
            Map<String, Long> committed, List<Delivered> delivered, List<Acquired> acquired, boolean keysReturn) {
        return new DeliveryJudge(acquired, keysReturn).judge(committed, delivered);
    }

    private Verdict judge(Map<String, Long> committed, List<Delivered> delivered) {
        Map<String, Delivered> last = new HashMap<>();
        Map<String, Set<Long>> seen = new HashMap<>();
        Map<String, Set<Hold>> holds = new HashMap<>();
        List<String> disorder = new ArrayList<>();
        Map<Hold, List<String>> late = new HashMap<>();
        List<String> unknown = new ArrayList<>();
        long fenced = 0;
        for (Delivered effect : delivered) {
            if (effect.number() > committed.getOrDefault(effect.key(), 0L)) {
                unknown.add(effect.toString());
            }
            Acquired successor = successor(effect);
            if (successor != null) {
                fenced++;
                if (effect.startedAt().isAfter(successor.at())) {
                    late.computeIfAbsent(Hold.of(effect), hold -> new ArrayList<>())
                            .add(effect + " began after " + successor);
                }
                continue;
            }
            seen.computeIfAbsent(effect.key(), key -> new HashSet<>()).add(effect.number());
            Delivered before = last.put(effect.key(), effect);
            Set<Hold> held = holds.computeIfAbsent(effect.key(), key -> new HashSet<>());
            boolean back = !keysReturn
                    && !held.add(Hold.of(effect))
                    && before != null
                    && !Hold.of(before).equals(Hold.of(effect));
            if (back || !follows(before, effect)) {
                disorder.add(effect + " after " + before);
            }
        }
        List<String> lost = new ArrayList<>();
        List<String> stale = new ArrayList<>();
        committed.forEach((key, number) -> {
            Delivered latest = last.get(key);
            if (latest != null && latest.number() != number) {
                stale.add(key + " " + number + " ends with " + latest);
            }
            for (long n = 1; n <= number; n++) {
                if (!seen.getOrDefault(key, Set.of()).contains(n)) {
                    lost.add(key + " " + n);
                }
            }
        });
        // One may have been on its way from the last look at the lease to the consumer's first line when the process
        // stopped.
        List<String> lateStarts = late.values().stream()
                .filter(effects -> effects.size() > 1)
                .flatMap(List::stream)
                .toList();
        long distinct = seen.values().stream().mapToLong(Set::size).sum();
        return new Verdict(lost, stale, unknown, disorder, lateStarts, delivered.size() - fenced - distinct, fenced);
    }

    /** Returns the next owner of the partition at the time of the effect; null if its worker still held it. */
    private @Nullable Acquired successor(Delivered effect) {
        NavigableMap<Long, Acquired> later =
                epochs.getOrDefault(effect.partition(), new TreeMap<>()).tailMap(effect.epoch(), false);
        return later.values().stream()
                .filter(acquire -> acquire.place() < effect.place())
                .findFirst()
                .orElse(null);
    }

    private static boolean follows(@Nullable Delivered before, Delivered effect) {
        if (before == null) {
            return effect.number() == 1;
        }
        boolean sameHold = before.partition().equals(effect.partition()) && before.epoch() == effect.epoch();
        return sameHold ? effect.number() == before.number() + 1 : effect.number() <= before.number() + 1;
    }
}
