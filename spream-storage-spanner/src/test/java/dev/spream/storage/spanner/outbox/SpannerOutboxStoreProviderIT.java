package dev.spream.storage.spanner.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.SpreamException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of an outbox that is opened by its configuration. */
final class SpannerOutboxStoreProviderIT {
    private final SpannerServer server = SpannerServers.ours();

    @Test
    void configuration_opens_an_outbox_with_its_ledger_and_operations() {
        String database = server.createDatabase(Dialect.POSTGRESQL, List.of()).getName();
        assertThatThrownBy(() -> stats(database, Map.of()))
                .isInstanceOf(SpreamException.class)
                .hasMessageContaining("the tables were created");

        try (ConfiguredOutbox configured = open(database, Map.of("outbox.spanner.create-table", "true"))) {
            Outbox<TransactionContext> outbox = configured.outbox(TransactionContext.class);
            OutboxTestDatabase.connect(
                    server,
                    database,
                    connection -> assertThat(connection
                                    .client()
                                    .readWriteTransaction()
                                    .<EnqueueResult>run(
                                            transaction -> outbox.enqueue(transaction, OutboxMessage.of("a", "1"))))
                            .isInstanceOf(EnqueueResult.Enqueued.class));
            assertThat(configured.ledger().find("a")).isPresent();
        }
        assertThat(stats(database, Map.of()).get(OutboxStatus.PENDING)).isEqualTo(1);
    }

    private Map<OutboxStatus, Long> stats(String database, Map<String, String> settings) {
        try (ConfiguredOutbox configured = open(database, settings)) {
            return configured.operations().stats().entries();
        }
    }

    private ConfiguredOutbox open(String database, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("outbox", "spanner");
        all.put("outbox.spanner.database", database);
        all.put("outbox.spanner.emulator-host", server.emulatorHost());
        all.put("outbox.spanner.table", "Messages");
        return ConfiguredOutbox.open(SpreamConfig.of(all));
    }
}
