package dev.spream.storage.jdbc.projection;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Holds the live version of a projection still until another has caught up with it, and then both. It lasts until the transaction
 * ends. Confined to one thread.
 */
final class StandStill {
    private static final String BEHIND = """
            SELECT l.segment, l.position - o.position AS behind,
                o.owner IS NOT NULL AND o.lease_until > clock_timestamp() AS held, v.rate
            FROM @projection_segments l JOIN @projection_segments o ON o.segment = l.segment
            JOIN @projection_versions v ON v.state = o.projection
            WHERE l.projection = ? AND o.projection = ? AND l.position > o.position
            ORDER BY behind DESC, l.segment LIMIT 1""";

    /** The server waits, so that a question is one round trip. */
    private static final String WAIT = "SELECT pg_sleep(0.002)";

    /** So far behind, by positions, any version may be for a moment. */
    private static final long NEAR = 20_000;

    /** How long whoever holds others up may say nothing before the server ends its session, and all goes on as before. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final ProjectionDatabase database;
    private final ProjectionTransaction transaction;
    private final VersionPair pair;
    private final Duration patience;
    private long end;

    StandStill(ProjectionDatabase database, ProjectionTransaction transaction, VersionPair pair, Duration patience) {
        this.database = database;
        this.transaction = transaction;
        this.pair = pair;
        this.patience = patience;
    }

    /** How far a segment is behind, and whether somebody is at it. */
    private record Behind(int segment, long positions, boolean held, double rate) {}

    /**
     * Checks that the other is not so far behind that there is no point in waiting.
     *
     * @throws IllegalStateException if it is
     */
    void requireNear() throws SQLException {
        Optional<Behind> far = behind(false);
        if (far.isPresent() && far.get().positions() > Math.max(NEAR, far.get().rate() * patience.toSeconds())) {
            throw pair.refusal(text(far.get()) + "; repeat this when it has caught up");
        }
    }

    /**
     * Begins it, unless the other is far behind.
     *
     * @return when the live one stood still, by {@link System#nanoTime}
     * @throws IllegalStateException if one of them could not be had alone, or the other did not catch up
     */
    long begin() throws SQLException {
        requireNear();
        end = System.nanoTime() + patience.toNanos();
        limitSilence();
        takeAlone(pair.live());
        long began = System.nanoTime();
        Optional<Behind> behind = behind(false);
        while (behind.isPresent()) {
            if (left().isZero()) {
                throw pair.refusal(text(behind.get()) + "; repeat this when it has caught up, or with more patience");
            }
            behind = behind(true);
        }
        takeAlone(pair.other());
        return began;
    }

    /** How much patience is left, once it has begun. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** The segment that is furthest behind. */
    private Optional<Behind> behind(boolean waiting) throws SQLException {
        RoundTrip trip = transaction.next();
        if (waiting) {
            trip.rows(WAIT, p -> {}, row -> true);
        }
        RoundTrip.Rows<Behind> rows = trip.rows(
                BEHIND,
                p -> p.text(pair.live().state()).text(pair.other().state()),
                row -> new Behind(
                        row.getInt("segment"), row.getLong("behind"), row.getBoolean("held"), row.getDouble("rate")));
        trip.run();
        return rows.list().stream().findFirst();
    }

    private static String text(Behind behind) {
        return "segment %d is %,d positions behind, and %s"
                .formatted(behind.segment(), behind.positions(), behind.held() ? "goes on" : "nobody works on it");
    }

    private void takeAlone(VersionTable.Stored version) throws SQLException {
        limitLocks(transaction, left());
        try {
            AloneLock.take(transaction, version.state());
        } catch (AloneLock.NotHad e) {
            throw new IllegalStateException(
                    "version %d of projection '%s' could not be held still: %s; everything goes on as before: try again, or end that session"
                            .formatted(
                                    version.version().version(),
                                    pair.projection(),
                                    AloneLock.holders(database, version.state())),
                    e);
        }
    }

    /** Somebody whose machine or network stands still must not hold others up until it is back. */
    private void limitSilence() throws SQLException {
        limit(transaction, "idle_in_transaction_session_timeout", SILENCE);
    }

    /** How long the transaction waits for any lock from now on. */
    static void limitLocks(ProjectionTransaction transaction, Duration limit) throws SQLException {
        limit(transaction, "lock_timeout", limit);
    }

    private static void limit(ProjectionTransaction transaction, String setting, Duration limit) throws SQLException {
        RoundTrip trip = transaction.next();
        trip.rows(
                "SELECT set_config(?, ?, true)",
                p -> p.text(setting).text("%dms".formatted(Math.max(1, limit.toMillis()))),
                row -> true);
        trip.run();
    }
}
