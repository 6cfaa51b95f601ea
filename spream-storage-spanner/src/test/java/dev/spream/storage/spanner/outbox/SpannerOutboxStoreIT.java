package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.outbox.OutboxFixture;
import dev.spream.testkit.outbox.OutboxStoreContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.outbox.OutboxTestDatabase#all")
final class SpannerOutboxStoreIT extends OutboxStoreContract<TransactionContext> {
    private final OutboxTestDatabase database;

    SpannerOutboxStoreIT(SpannerServer server, Dialect dialect) {
        this.database = OutboxTestDatabase.of(server, dialect);
    }

    @Override
    protected OutboxFixture<TransactionContext> createFixture() {
        return new SpannerOutboxFixture(database);
    }
}
