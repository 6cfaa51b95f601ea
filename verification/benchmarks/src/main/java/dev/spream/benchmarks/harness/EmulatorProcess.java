package dev.spream.benchmarks.harness;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;

/**
 * The emulator as a program, with a database that has a table {@code Accounts} and a change stream {@code Changes} of it.
 * Arguments: the number of partitions at the beginning, and in milliseconds how often they change, if they do. Prints its
 * address.
 */
public final class EmulatorProcess {
    public static final String DATABASE = "projects/benchmark/instances/benchmark/databases/benchmark";
    public static final String STREAM = "Changes";

    private EmulatorProcess() {}

    public static void main(String[] args) throws IOException {
        ClientLogging.silence();
        Duration churn = Duration.ofMillis(args.length == 1 ? 0 : Long.parseLong(args[1]));
        try (SpannerEmulator emulator = start(Integer.parseInt(args[0]), churn)) {
            System.out.println(emulator.emulatorHost());
            ChildJvm.awaitParent();
        }
    }

    /** Starts the emulator with that many partitions, which change by themselves that often; never if it is zero. */
    public static SpannerEmulator start(int partitions, Duration churn) throws IOException {
        SpannerEmulator emulator =
                SpannerEmulator.builder().churn(PartitionChurn.every(churn)).start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (Id INT64 NOT NULL, Owner STRING(MAX)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM " + STREAM + " FOR Accounts");
        split(emulator.partitions(DATABASE, STREAM), partitions);
        return emulator;
    }

    private static void split(PartitionControl partitions, int count) {
        for (int live = partitions.live().size(); live < count; live++) {
            PartitionView widest = partitions.live().stream()
                    .max(Comparator.comparingLong(
                            view -> view.range().to() - view.range().from()))
                    .orElseThrow();
            partitions.split(widest.token());
        }
    }
}
