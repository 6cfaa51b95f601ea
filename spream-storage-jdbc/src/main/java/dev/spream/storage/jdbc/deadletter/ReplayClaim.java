package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim of letters for replay: an open transaction that records the replays. So the claim ends with the process, and
 * a lost claim cannot resolve letters.
 */
final class ReplayClaim implements DeadLetterStore.Claim {
    private static final Logger log = LoggerFactory.getLogger(ReplayClaim.class);

    private final Transactions.Open transaction;
    private final List<StoredDeadLetters.Row> rows;
    private final int considered;
    private final String what;
    private final Resolution resolution;
    private boolean ended;

    interface Resolution {
        Set<RecordKey> replayed(List<StoredDeadLetters.Row> taken, boolean releasing) throws SQLException;
    }

    ReplayClaim(
            Transactions.Open transaction,
            List<StoredDeadLetters.Row> rows,
            int considered,
            String what,
            Resolution resolution) {
        this.transaction = transaction;
        this.rows = rows;
        this.considered = considered;
        this.what = what;
        this.resolution = resolution;
    }

    @Override
    public List<StoredDeadLetter> letters() {
        return rows.stream().map(StoredDeadLetters.Row::letter).toList();
    }

    @Override
    public int considered() {
        return considered;
    }

    @Override
    public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) {
        if (ended) {
            throw new DeadLetterException("the claim on %s has ended".formatted(what));
        }
        if (rows.isEmpty()) {
            return Set.of();
        }
        Set<RecordIdentity> replayed = Set.copyOf(taken);
        try {
            Set<RecordKey> released = resolution.replayed(
                    rows.stream()
                            .filter(row -> replayed.contains(row.identity()))
                            .toList(),
                    releasing);
            transaction.commit();
            return released;
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "recording that %d of %s were replayed (they may be replayed again)"
                            .formatted(replayed.size(), what),
                    e);
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            transaction.close();
        } catch (SQLException e) {
            log.debug("the claim on {} ended with its connection", what, LoggedFailure.of(e));
        }
    }
}
