package dev.spream.benchmarks.reading;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.servers.GoogleEmulator;
import dev.spream.servers.SpannerServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * The rate at which the emulator returns the changes of transactions, compared with Google's emulator if it is
 * installed: the same transactions, the same plain loop, each server in a process of its own.
 */
public final class EmulatorReads {
    private static final int TRANSACTIONS = Integer.getInteger("transactions", 3_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final String TABLE =
            "CREATE TABLE Orders (OrderId INT64 NOT NULL, Customer STRING(MAX), Note STRING(MAX)) PRIMARY KEY (OrderId)";
    private static final String STREAM = "CREATE CHANGE STREAM Changes FOR ALL";

    private EmulatorReads() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        Optional<Path> program = GoogleEmulator.find();
        try (ChildJvm ours = ChildJvm.start(EmulatorProcess.class, List.of("-Xmx2g"), "1");
                Servers servers = new Servers()) {
            Comparison comparison = new Comparison("change stream of an emulator, a row a transaction", TRANSACTIONS);
            if (program.isPresent()) {
                String host = servers.startGoogles(program.get());
                comparison.add("Google's emulator", servers.filled(new SpannerServer("Google's emulator", host)));
            } else {
                System.out.println("Google's emulator was not found (emulator_main or gcloud on the PATH)");
            }
            comparison.add(
                    "spream's emulator", servers.filled(new SpannerServer("spream's emulator", ours.nextLine())));
            comparison.run(WARM_UPS, TURNS);
        }
    }

    /** The servers' clients, and Google's emulator. Confined to one thread. */
    private static final class Servers implements AutoCloseable {
        private final List<Runnable> closing = new ArrayList<>();

        String startGoogles(Path program) throws IOException, InterruptedException {
            GoogleEmulator google = GoogleEmulator.startWithoutChurn(program);
            closing.add(google::close);
            return google.host();
        }

        /** Commits the transactions; returns a task that reads their changes. */
        Callable<Long> filled(SpannerServer server) {
            DatabaseId id = server.createDatabase(Dialect.GOOGLE_STANDARD_SQL, List.of(TABLE, STREAM));
            Spanner spanner = server.client();
            closing.addFirst(spanner::close);
            DatabaseClient client = spanner.getDatabaseClient(id);
            long startedAt = System.nanoTime();
            Instant first = commit(client, 0);
            Instant last = first;
            for (int i = 1; i < TRANSACTIONS; i++) {
                last = commit(client, i);
            }
            double seconds = (System.nanoTime() - startedAt) / 1e9;
            System.out.printf("%s: %,.0f commits/s by one writer%n", server, TRANSACTIONS / seconds);
            Instant end = last;
            BareLoop loop = new BareLoop(client, "Changes", BareLoop.spreamsOptions());
            return () -> loop.run(first, end);
        }

        private static Instant commit(DatabaseClient client, long order) {
            Timestamp timestamp = client.write(List.of(Mutation.newInsertBuilder("Orders")
                    .set("OrderId")
                    .to(order)
                    .set("Customer")
                    .to("Ada Lovelace, 12 St James's Square, London")
                    .set("Note")
                    .to("to be left with the neighbours when nobody opens the door")
                    .build()));
            return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
        }

        @Override
        public void close() {
            closing.forEach(Runnable::run);
        }
    }
}
