package dev.spream.examples.guide;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.TypedProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.TypedEvents;
import dev.spream.serializer.jackson.JacksonSerializer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** A line of text for every event of an account; see docs/projections.md. */
final class AccountHistory implements TypedProjection<Connection, AccountEvent>, RebuildableProjection<Connection> {
    static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type("MoneyDeposited", AccountEvent.Deposited.class, data -> data.putIfAbsent("currency", "EUR"))
            .type("MoneyWithdrawn", AccountEvent.Withdrawn.class)
            .formerName("MoneyTakenOut", AccountEvent.Withdrawn.class)
            .build();

    static final TypedEvents<AccountEvent> EVENTS = TypedEvents.of(AccountEvent.class, TYPES);

    @Override
    public String name() {
        return "account_history";
    }

    @Override
    public TypedEvents<AccountEvent> events() {
        return EVENTS;
    }

    @Override
    public void apply(Connection transaction, AccountEvent event, EventEnvelope envelope) throws SQLException {
        String line =
                switch (event) {
                    case AccountEvent.Deposited(long cents, String currency) -> "+" + cents + " " + currency;
                    case AccountEvent.Withdrawn(long cents) -> "-" + cents;
                };
        try (PreparedStatement insert = transaction.prepareStatement("INSERT INTO account_history VALUES (?, ?, ?)")) {
            insert.setString(1, envelope.aggregateId());
            insert.setLong(2, envelope.eventVersion());
            insert.setString(3, line);
            insert.executeUpdate();
        }
    }

    @Override
    public Set<String> tables() {
        return Set.of("account_history");
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute("CREATE TABLE account_history (account text, number bigint, line text)");
        }
    }
}
