package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class MetadataReadsIT {
    /** More than the server keeps for readers that pause. */
    private static final int MANY = 200;

    private final MetadataDatabase database = MetadataDatabase.of(SpannerServers.ours(), Dialect.GOOGLE_STANDARD_SQL);

    @Test
    void a_read_whose_transaction_the_server_dropped_is_repeated_in_a_new_one() {
        MetadataTables tables = new MetadataTables("Unused", database.dialect());
        MetadataReads reads =
                new MetadataReads(database.client(), tables, new DatabaseCalls("Unused", Duration.ofMinutes(1)));
        AtomicInteger attempts = new AtomicInteger();
        String read = reads.atOneMoment("reading", (snapshot, readAt) -> {
            if (attempts.incrementAndGet() == 1) {
                outlast(snapshot);
            }
            return one(snapshot);
        });
        assertThat(read).isEqualTo("1");
        assertThat(attempts).hasValue(2);
    }

    /** Begins other transactions until the server has forgotten this one, which shows in its error. */
    private void outlast(ReadContext snapshot) {
        for (int round = 0; round < MANY; round++) {
            for (int i = 0; i < MANY; i++) {
                try (ReadOnlyTransaction other =
                        database.otherConnection().client().readOnlyTransaction()) {
                    one(other);
                }
            }
            try {
                one(snapshot);
            } catch (SpannerException e) {
                assertThat(e.getErrorCode()).isIn(ErrorCode.NOT_FOUND, ErrorCode.FAILED_PRECONDITION);
                throw e;
            }
        }
    }

    private static String one(ReadContext context) {
        try (var rows = context.executeQuery(Statement.of("SELECT '1'"))) {
            rows.next();
            return rows.getString(0);
        }
    }
}
