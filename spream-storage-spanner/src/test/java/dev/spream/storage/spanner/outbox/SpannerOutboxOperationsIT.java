package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("proof")
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.outbox.OutboxTestDatabase#all")
final class SpannerOutboxOperationsIT extends OutboxOperationsContract<TransactionContext> {
    private final OutboxTestDatabase database;

    SpannerOutboxOperationsIT(SpannerServer server, Dialect dialect) {
        this.database = OutboxTestDatabase.of(server, dialect);
    }

    @Override
    protected OutboxOperationsFixture<TransactionContext> createFixture() {
        return new SpannerOutboxFixture(database);
    }
}
