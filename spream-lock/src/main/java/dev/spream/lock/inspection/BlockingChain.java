package dev.spream.lock.inspection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A session, and the waiters that can continue when it ends or gives way, each of which may block others. The first
 * session of a chain does not wait: inspect that one. A waiter for several sessions is placed after the one that is
 * farthest from the head.
 *
 * @param session its id
 * @param behind in the order of their ids
 */
public record BlockingChain(String session, List<BlockingChain> behind) {
    public BlockingChain {
        behind = List.copyOf(behind);
    }

    /** Returns the number of sessions that wait for this one, directly or indirectly. */
    public int length() {
        return behind.stream().mapToInt(next -> 1 + next.length()).sum();
    }

    /** Returns all sessions of the chain, including this one. */
    public Set<String> sessions() {
        Set<String> sessions = new TreeSet<>();
        sessions.add(session);
        behind.forEach(next -> sessions.addAll(next.sessions()));
        return sessions;
    }

    /**
     * Returns the chains, the longest first. Sessions that wait for each other in a circle are in none, nor are
     * sessions that wait for those alone.
     */
    static List<BlockingChain> of(Collection<LockSession> sessions) {
        Map<String, Set<String>> blockers = new TreeMap<>();
        for (LockSession session : sessions) {
            if (!session.blockedBy().isEmpty()) {
                blockers.put(session.id(), session.blockers());
            }
        }
        return new Layout(blockers).chains();
    }

    /** Places each waiter after a session that is already placed, from the head to the end. */
    private static final class Layout {
        private final Map<String, Set<String>> blockers;
        private final Map<String, Integer> depths = new HashMap<>();
        private final Map<String, List<String>> behind = new TreeMap<>();

        Layout(Map<String, Set<String>> blockers) {
            this.blockers = blockers;
        }

        List<BlockingChain> chains() {
            Set<String> heads = new HashSet<>();
            blockers.values().forEach(heads::addAll);
            heads.removeAll(blockers.keySet());
            heads.forEach(head -> depths.put(head, 0));
            Set<String> left = new HashSet<>(blockers.keySet());
            for (List<String> next = next(left); !next.isEmpty(); next = next(left)) {
                next.forEach(this::place);
                next.forEach(left::remove);
            }
            return heads.stream()
                    .map(this::chain)
                    .sorted(Comparator.comparingInt(BlockingChain::length)
                            .reversed()
                            .thenComparing(BlockingChain::session))
                    .toList();
        }

        /** Returns waiters whose blockers are all placed. */
        private List<String> next(Set<String> left) {
            return left.stream()
                    .filter(session -> depths.keySet().containsAll(blockers.getOrDefault(session, Set.of())))
                    .sorted()
                    .toList();
        }

        private void place(String session) {
            String last = "";
            int depth = -1;
            for (String blocker : blockers.getOrDefault(session, Set.of())) {
                int deep = depths.getOrDefault(blocker, 0);
                if (deep > depth) {
                    last = blocker;
                    depth = deep;
                }
            }
            depths.put(session, depth + 1);
            behind.computeIfAbsent(last, key -> new ArrayList<>()).add(session);
        }

        private BlockingChain chain(String session) {
            return new BlockingChain(
                    session,
                    behind.getOrDefault(session, List.of()).stream()
                            .map(this::chain)
                            .toList());
        }
    }
}
