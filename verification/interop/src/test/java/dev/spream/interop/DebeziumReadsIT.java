package dev.spream.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.SpannerServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Debezium's connector reads every change of our emulator, and of ours over Google's, while partitions churn. */
@Timeout(600)
class DebeziumReadsIT {
    private static final int CHANGES = 2_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    Path folder;

    static Stream<Arguments> databases() {
        return Servers.ours()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("databases")
    void every_change_comes(SpannerServer server, Dialect dialect) throws Exception {
        try (AccountStream accounts = new AccountStream(server, dialect)) {
            Instant start = accounts.source().serverTime();
            DatabaseId database = DatabaseId.of(
                    accounts.database().project(),
                    accounts.database().instance(),
                    accounts.database().database());
            try (DebeziumProcess debezium =
                    DebeziumProcess.start(server.emulatorHost(), database, AccountStream.NAME, start, folder)) {
                accounts.write(CHANGES);
                Set<String> read = new HashSet<>();
                while (read.size() < CHANGES) {
                    read.add(id(debezium.next(TIMEOUT)));
                }
                assertThat(read).isEqualTo(accounts.written());
            }
        }
    }

    private static String id(DebeziumProcess.Message message) {
        JsonObject key = JsonObject.of(message.key());
        return key.object("payload").orElse(key).string("Id").orElseThrow();
    }
}
