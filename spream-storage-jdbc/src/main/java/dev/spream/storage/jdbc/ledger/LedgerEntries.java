package dev.spream.storage.jdbc.ledger;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes the rows of one ledger. Each method works in the caller's transaction. */
record LedgerEntries(SchemaName schema, String name) {
    /**
     * Takes the lock in a statement before the one that reads the ledger, whose snapshot is then newer than the lock.
     * Requires a durable commit: if a crash of the server could undo it, the change would be lost, since its watermark
     * may be stored elsewhere.
     */
    private static final String SHARE = """
            SELECT current_setting('transaction_isolation'),
                CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
            FROM pg_advisory_xact_lock_shared(hashtextextended(?, 0));
            """;

    /** Reads the beginning of the ledger, which never changes once it is set. */
    private static final String BEGINNING = "SELECT covers_from, settled_below FROM @applied_ledger WHERE name = ?; ";

    private static final String CLAIM = """
            INSERT INTO @applied_change (ledger, commit_nanos, transaction_id, record_sequence, replayed)
            SELECT ledger.id, commit_nanos, transaction_id, record_sequence, replayed
            FROM @applied_ledger AS ledger,
                unnest(?::bigint[], ?::text[], ?::text[], ?::boolean[]) WITH ORDINALITY
                    AS offered (commit_nanos, transaction_id, record_sequence, replayed, place)
            WHERE ledger.name = ? AND (replayed OR commit_nanos >= ledger.settled_below)
            ORDER BY place
            ON CONFLICT DO NOTHING
            RETURNING commit_nanos, transaction_id, record_sequence
            """;

    private static final String CREATE = """
            INSERT INTO @applied_ledger AS ledger (name, covers_from, settled_below)
            SELECT ?, low, low FROM (VALUES (?::bigint)) AS first (low)
            ON CONFLICT (name) DO UPDATE
                SET covers_from = excluded.covers_from, settled_below = excluded.settled_below
                WHERE ledger.covers_from IS NULL AND excluded.covers_from IS NOT NULL
            """;

    /**
     * A change to apply.
     *
     * @param isReplay whether it was dead-lettered before, so that its time does not show whether it took effect
     * @param lowWatermark everything before it is settled
     */
    record Offer(RecordIdentity identity, boolean isReplay, Optional<Instant> lowWatermark) {
        long commitNanos() {
            return LedgerTime.nanos(identity.commitTimestamp());
        }

        static Offer of(DataChangeRecord change, Delivery delivery) {
            return new Offer(change.identity(), delivery.isReplay(), delivery.lowWatermark());
        }
    }

    /**
     * The result of a claim.
     *
     * @param fresh the changes whose rows were written
     * @param exists whether the ledger has a row of its own
     * @param coversFrom where the ledger begins; null while only replays have come
     * @param settledBelow everything before it is settled; null while the ledger has not begun
     */
    record Claims(
            Set<RecordIdentity> fresh,
            boolean exists,
            @Nullable Instant coversFrom,
            @Nullable Instant settledBelow) {

        /** Returns the combined result of this claim and of a later one in the same transaction. */
        Claims and(Claims later) {
            Set<RecordIdentity> all = new HashSet<>(fresh);
            all.addAll(later.fresh);
            return new Claims(all, later.exists, later.coversFrom, later.settledBelow);
        }

        /** Returns the number of changes that count as settled only because of their time. */
        int skipped(List<Offer> offers) {
            Instant below = settledBelow;
            return below == null
                    ? 0
                    : Math.toIntExact(offers.stream()
                            .filter(offer -> !offer.isReplay()
                                    && offer.identity().commitTimestamp().isBefore(below))
                            .count());
        }
    }

    /**
     * Returns the name of the lock that appliers share and the pruner holds exclusively, until their transactions end.
     */
    String lockName() {
        return "spream ledger %s.%s".formatted(schema, name);
    }

    /**
     * Writes the rows of the changes that have none and are not settled, and returns these changes. Waits for other
     * transactions that write the same rows; writes in the order of the identities, so that transactions do not
     * deadlock.
     *
     * @param begin statements to run before, in the same round trip; or empty
     * @throws NonRetryableException if one of them is from before the ledger
     */
    Claims claim(Connection connection, String begin, List<Offer> offers) throws SQLException {
        List<Offer> sorted =
                offers.stream().sorted(Comparator.comparing(Offer::identity)).toList();
        Claims claims = tryClaim(connection, begin, sorted);
        Optional<Instant> low =
                offers.stream().flatMap(offer -> offer.lowWatermark().stream()).min(Comparator.naturalOrder());
        if (!claims.exists() || (claims.coversFrom() == null && low.isPresent())) {
            create(connection, low);
            claims = claims.and(tryClaim(connection, "", sorted));
        }
        for (Offer offer : sorted) {
            requireCovered(offer, claims.coversFrom());
        }
        return claims;
    }

    private Claims tryClaim(Connection connection, String begin, List<Offer> offers) throws SQLException {
        String sql = begin + SHARE + schema.in(BEGINNING + CLAIM);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new Parameters(connection, statement)
                    .text(lockName())
                    .text(name)
                    .numbers(offers, Offer::commitNanos)
                    .texts(offers, offer -> offer.identity().serverTransactionId())
                    .texts(offers, offer -> offer.identity().recordSequence())
                    .flags(offers, Offer::isReplay)
                    .text(name);
            boolean rows = statement.execute();
            while (!rows) {
                rows = statement.getMoreResults();
            }
            requireReadCommitted(statement);
            statement.getMoreResults();
            Claims claims = beginning(statement);
            statement.getMoreResults();
            return claims.and(
                    new Claims(fresh(statement), claims.exists(), claims.coversFrom(), claims.settledBelow()));
        }
    }

    /**
     * Requires READ COMMITTED: a transaction that keeps its first snapshot cannot read what was applied while it
     * waited.
     */
    private void requireReadCommitted(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (row.next() && !row.getString(1).equals("read committed")) {
                throw new IllegalStateException(
                        "the transaction for the ledger '%s' is %s, where changes applied by others are not visible; use READ COMMITTED"
                                .formatted(name, row.getString(1)));
            }
        }
    }

    private static Claims beginning(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            boolean exists = row.next();
            return new Claims(Set.of(), exists, exists ? time(row, 1) : null, exists ? time(row, 2) : null);
        }
    }

    private static @Nullable Instant time(ResultSet row, int column) throws SQLException {
        long nanos = row.getLong(column);
        return row.wasNull() ? null : LedgerTime.instant(nanos);
    }

    private static Set<RecordIdentity> fresh(PreparedStatement statement) throws SQLException {
        Set<RecordIdentity> fresh = new HashSet<>();
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                fresh.add(new RecordIdentity(LedgerTime.instant(row.getLong(1)), row.getString(2), row.getString(3)));
            }
        }
        return fresh;
    }

    /**
     * Creates the ledger's row. If two transactions create it at the same time, one of their low watermarks is stored,
     * which is valid for both.
     */
    private void create(Connection connection, Optional<Instant> lowWatermark) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.in(CREATE))) {
            statement.setString(1, name);
            statement.setObject(2, lowWatermark.map(LedgerTime::nanos).orElse(null), Types.BIGINT);
            statement.executeUpdate();
        }
    }

    private void requireCovered(Offer offer, @Nullable Instant coversFrom) {
        if (offer.isReplay()) {
            return;
        }
        if (coversFrom == null) {
            throw new IllegalStateException(
                    "the ledger '%s' has not begun: it begins at the low watermark of its first delivery, and the delivery of the change %s has none; nothing was changed. Pass the delivery that the subscriber passes to the consumer"
                            .formatted(name, offer.identity()));
        }
        if (offer.identity().commitTimestamp().isBefore(coversFrom)) {
            throw new NonRetryableException(
                    "the change %s is from before %s, where the ledger '%s' begins: the subscription was started again from an earlier time, and the ledger cannot tell whether newer changes of the same rows were applied. Nothing was changed; start again from %s or later, or empty the tables that the changes are applied to and use a new ledger name"
                            .formatted(offer.identity(), coversFrom, name, coversFrom));
        }
    }
}
