package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredLetter;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim is a transaction that stays open, and what was replayed is written in that transaction: so the claim ends with the
 * process, and one that was lost can settle nothing.
 */
final class HeldClaim implements DeadLetterStore.Claim {
    private static final Logger log = LoggerFactory.getLogger(HeldClaim.class);

    private final Transaction transaction;
    private final LetterTable.Row row;
    private final Settlement settlement;
    private boolean ended;

    /** Writes down what was replayed. */
    interface Settlement {
        void replayed(Transaction transaction, LetterTable.Row row) throws SQLException;
    }

    HeldClaim(Transaction transaction, LetterTable.Row row, Settlement settlement) {
        this.transaction = transaction;
        this.row = row;
        this.settlement = settlement;
    }

    @Override
    public StoredLetter letter() {
        return row.letter();
    }

    @Override
    public void replayed() {
        if (ended) {
            throw new DeadLetterException("the claim on %s has ended".formatted(identity()));
        }
        try {
            settlement.replayed(transaction, row);
            transaction.commit();
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "writing down that %s was replayed (it may be replayed again)".formatted(identity()), e);
        } finally {
            close();
        }
    }

    private String identity() {
        return row.letter().change().identity().toString();
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
            log.debug("the claim on {} ended with its connection", identity(), e);
        }
    }
}
