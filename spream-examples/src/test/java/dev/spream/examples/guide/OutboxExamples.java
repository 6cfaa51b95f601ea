package dev.spream.examples.guide;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.TypedSender;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.OutboxDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Examples of the outbox in programs that have transactions of their own; see docs/outbox.md. */
final class OutboxExamples {
    private OutboxExamples() {}

    static void ownTransaction(DataSource database, JdbcOutbox outbox, OutboxMessage message) throws SQLException {
        try (Connection connection = database.getConnection();
                OutboxTransaction messages = outbox.begin(connection)) {
            connection.setAutoCommit(false);
            messages.enqueue(message);
            messages.requireCommittable();
            connection.commit();
            messages.committed();
        }
    }

    static void wrapped(DataSource pool, JdbcOutbox outbox, OutboxMessage message) throws SQLException {
        DataSource database = OutboxDataSource.over(pool);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            outbox.enqueue(connection, message);
            connection.commit(); // sends it
        }
    }

    record Letter(String to, String text) {}

    static TypeRegistry types() {
        return TypeRegistry.builder(JacksonSerializer.create())
                .type("Letter", Letter.class)
                .build();
    }

    static void typed(OutboxTransaction messages, TypeRegistry types) {
        messages.enqueue(OutboxMessage.typed(types, "letter-1", new Letter("ann@example.com", "Hello"))
                .destination("mail")
                .build());
    }

    static OutboxSender sender(TypeRegistry types, TypedSender<Letter> mailer) {
        return TypedSender.sender(types, Letter.class, mailer);
    }
}
