package dev.spream.flink.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.flink.ChangeDeserializationSchema;
import dev.spream.flink.FlinkChangeStreamSource;
import dev.spream.flink.SpannerStream;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job of the guide: the highest balance that each account has had. */
class HighestBalancesIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/bank";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, Long> HIGHEST = new ConcurrentHashMap<>(); // static, since a cluster copies sinks

    @TempDir
    Path directory;

    /** Emits the balance of each changed account. */
    static final class Balances implements ChangeDeserializationSchema<Tuple2<String, Long>> {
        @Override
        public void deserialize(DataChangeRecord change, Collector<Tuple2<String, Long>> out) {
            for (Mod mod : change.mods()) {
                String account = mod.keys().string("AccountId").orElseThrow();
                mod.newValues().int64("Balance").ifPresent(balance -> out.collect(Tuple2.of(account, balance)));
            }
        }

        @Override
        public TypeInformation<Tuple2<String, Long>> getProducedType() {
            return Types.TUPLE(Types.STRING, Types.LONG);
        }
    }

    private static JobClient run(Configuration configuration, SpannerStream stream, Sink<Tuple2<String, Long>> sink)
            throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.enableCheckpointing(1_000);
        FlinkChangeStreamSource<Tuple2<String, Long>> source = FlinkChangeStreamSource.builder(stream, new Balances())
                .snapshot() // the rows first; or startAt(timestamp)
                .build();
        source.addTo(environment, "accounts")
                .uid("accounts")
                .keyBy(balance -> balance.f0)
                .maxBy(1)
                .uid("highest balances")
                .sinkTo(sink);
        return environment.executeAsync("highest balances");
    }

    @Test
    void the_job_of_the_guide_has_the_rows_and_follows_their_changes() throws Exception {
        try (SpannerEmulator emulator = emulator();
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open()) {
            connection.client().write(List.of(balance("a", 5), balance("b", 1)));
            SpannerStream stream = SpannerStream.of(DATABASE, "AccountsStream").emulatorHost(emulator.emulatorHost());
            Configuration configuration = new Configuration();
            configuration.setString("rest.bind-port", "0");
            configuration.setString(
                    "execution.checkpointing.dir", directory.toUri().toString());
            JobClient job = run(configuration, stream, context -> new Highest());
            await(Map.of("a", 5L, "b", 1L));
            connection.client().write(List.of(balance("a", 2), balance("b", 3)));
            await(Map.of("a", 5L, "b", 3L));
            job.cancel().get();
        }
    }

    private static SpannerEmulator emulator() {
        SpannerEmulator emulator = SpannerEmulator.builder().start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (AccountId STRING(36) NOT NULL, Balance INT64) PRIMARY KEY (AccountId)",
                "CREATE CHANGE STREAM AccountsStream FOR Accounts");
        return emulator;
    }

    private static Mutation balance(String account, long balance) {
        return Mutation.newInsertOrUpdateBuilder("Accounts")
                .set("AccountId")
                .to(account)
                .set("Balance")
                .to(balance)
                .build();
    }

    private static void await(Map<String, Long> expected) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!HIGHEST.equals(expected)) {
            assertThat(System.nanoTime()).as("%s becomes %s", HIGHEST, expected).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static final class Highest implements SinkWriter<Tuple2<String, Long>> {
        @Override
        public void write(Tuple2<String, Long> highest, Context context) {
            HIGHEST.put(highest.f0, highest.f1);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
