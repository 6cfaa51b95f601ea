package dev.spream.benchmarks.harness;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.io.IOException;
import java.util.Comparator;

/**
 * The emulator as a program, with a database that has a table {@code Accounts} and a change stream {@code Changes} with
 * the number of partitions in the argument. Prints its address.
 */
public final class EmulatorProcess {
    public static final String DATABASE = "projects/benchmark/instances/benchmark/databases/benchmark";
    public static final String STREAM = "Changes";

    private EmulatorProcess() {}

    public static void main(String[] args) throws IOException {
        try (SpannerEmulator emulator = start(Integer.parseInt(args[0]))) {
            System.out.println(emulator.emulatorHost());
            ChildJvm.awaitParent();
        }
    }

    /** Starts the emulator with that many partitions. */
    public static SpannerEmulator start(int partitions) throws IOException {
        SpannerEmulator emulator = SpannerEmulator.start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (Id INT64 NOT NULL, Owner STRING(MAX)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM " + STREAM + " FOR ALL");
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
