package dev.spream.storage.jdbc.lock.dialect;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.LockSession;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Combines the views of a database: its sessions, their locks and requests, and which session waits for which. Confined
 * to one thread.
 */
public final class ShownLocks {
    private static final Comparator<PlannedLock> IN_ORDER =
            Comparator.comparing(PlannedLock::key).thenComparing(PlannedLock::mode);

    private final Map<String, Connected> connected = new HashMap<>();
    private final Map<String, Set<PlannedLock>> held = new HashMap<>();
    private final Map<String, PlannedLock> wanted = new HashMap<>();
    private final Map<String, Set<String>> blockers = new HashMap<>();
    private final Set<String> elsewhere = new HashSet<>();
    private final Set<String> concerned = new TreeSet<>();

    /** A connected session, or one of which only the id is known. */
    public record Connected(LockSession.Client client, Optional<Instant> since, Optional<Instant> waitingSince) {
        static final Connected NOT_ANY_MORE = of("", "gone");

        /** A session of which only the id is known. */
        public static Connected of(String application, String state) {
            return new Connected(
                    new LockSession.Client("", "", application, state, Optional.empty()),
                    Optional.empty(),
                    Optional.empty());
        }
    }

    /** Adds a connected session, with or without locks. */
    public void connected(String session, Connected client) {
        connected.put(session, client);
    }

    /** Adds a session that locks here, though its locks are unknown. */
    public void concerns(String session) {
        concerned.add(session);
    }

    public void holds(String session, LockKey key, LockMode mode) {
        concerns(session);
        held.computeIfAbsent(session, any -> new TreeSet<>(IN_ORDER)).add(new PlannedLock(key, mode));
    }

    public void wants(String session, LockKey key, LockMode mode) {
        concerns(session);
        wanted.put(session, new PlannedLock(key, mode));
    }

    /** Adds a lock that a session holds here or waits for; the key may be unknown to the server. */
    public void locks(String session, Optional<LockKey> key, LockMode mode, boolean waits) {
        concerns(session);
        if (waits) {
            key.ifPresent(lock -> wants(session, lock, mode));
        } else {
            key.ifPresent(lock -> holds(session, lock, mode));
        }
    }

    /** Adds those of the sessions that are connected, as sessions that lock here. */
    public void concernsConnected(Set<String> sessions) {
        sessions.stream().filter(connected::containsKey).forEach(this::concerns);
    }

    /** Marks a session as waiting for something other than these locks. */
    public void waitsElsewhere(String session) {
        elsewhere.add(session);
    }

    /** Records that one session waits for the other, for these locks or for something else. */
    public void blocks(String blocker, String session) {
        blockers.computeIfAbsent(session, any -> new TreeSet<>()).add(blocker);
    }

    /** Returns the sessions that lock here, and all for which they wait, transitively. */
    public List<LockSession> sessions() {
        Set<String> shown = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(concerned);
        while (!next.isEmpty()) {
            String session = next.pop();
            if (shown.add(session)) {
                next.addAll(blockers.getOrDefault(session, Set.of()));
            }
        }
        return new TreeSet<>(shown).stream().map(this::session).toList();
    }

    private LockSession session(String id) {
        Connected client = connected.getOrDefault(id, Connected.NOT_ANY_MORE);
        Set<String> ahead = blockers.getOrDefault(id, Set.of());
        @Nullable PlannedLock want = wanted.get(id);
        return new LockSession(
                id,
                client.client(),
                strongest(held.getOrDefault(id, Set.of())),
                Optional.ofNullable(want),
                want == null && elsewhere.contains(id),
                ahead,
                client.since(),
                client.waitingSince());
    }

    /** Returns one lock for each key: the stronger mode if a session has both. */
    private static List<PlannedLock> strongest(Set<PlannedLock> locks) {
        Map<LockKey, LockMode> modes = new TreeMap<>();
        locks.forEach(lock -> modes.merge(lock.key(), lock.mode(), LockMode::strongest));
        return modes.entrySet().stream()
                .map(lock -> new PlannedLock(lock.getKey(), lock.getValue()))
                .toList();
    }
}
