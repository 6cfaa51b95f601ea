package dev.spream.examples.balance;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@link AccountBalances} whose withdrawals are recorded as a side effect. While the brake is held, later versions
 * block in batches that contain the first account.
 */
final class RecordedBalances
        implements FoldableProjection<Connection, AccountBalances.Change>,
                RebuildableProjection<Connection>,
                SideEffectingProjection<Connection> {
    static final String NOTES = "CREATE TABLE withdrawal_notes (account text NOT NULL, version bigint NOT NULL)";

    /** The key of the advisory lock that is the brake. */
    static final long BRAKE = 20_261_121;

    private static final String NOTE = "INSERT INTO withdrawal_notes VALUES (?, ?)";

    private final AccountBalances balances = new AccountBalances();
    private final int version;

    RecordedBalances() {
        this(1);
    }

    private RecordedBalances(int version) {
        this.version = version;
    }

    @Override
    public String name() {
        return balances.name();
    }

    @Override
    public Set<String> eventTypes() {
        return balances.eventTypes();
    }

    @Override
    public RecordedBalances ofVersion(int other) {
        return new RecordedBalances(other);
    }

    @Override
    public Set<String> tables() {
        return balances.tables();
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        balances.create(transaction);
    }

    @Override
    public AccountBalances.Change fold(AccountBalances.@Nullable Change before, EventEnvelope event) {
        return balances.fold(before, event);
    }

    @Override
    public void write(Connection transaction, Map<String, AccountBalances.Change> changes) throws SQLException {
        if (version > 1 && changes.containsKey(SteadyMovements.FIRST_ACCOUNT)) {
            waitForBrake(transaction);
        }
        balances.write(transaction, changes);
    }

    private static void waitForBrake(Connection transaction) throws SQLException {
        try (PreparedStatement brake = transaction.prepareStatement("SELECT pg_advisory_xact_lock_shared(?)")) {
            brake.setLong(1, BRAKE);
            brake.execute();
        }
    }

    @Override
    public void follow(Connection transaction, EventEnvelope event) throws SQLException {
        if (Movement.amount(event) < 0) {
            try (PreparedStatement note = transaction.prepareStatement(NOTE)) {
                note.setString(1, event.aggregateId());
                note.setLong(2, event.eventVersion());
                note.executeUpdate();
            }
        }
    }
}
