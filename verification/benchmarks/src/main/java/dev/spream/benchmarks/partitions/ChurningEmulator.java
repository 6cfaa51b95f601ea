package dev.spream.benchmarks.partitions;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * The database of {@link EmulatorProcess} as a program, with changes at a steady rate and partitions that split, merge
 * and move at a steady rate, while their number stays near that of the argument. Prints its address.
 */
final class ChurningEmulator {
    private static final int CHANGES_PER_SECOND = Integer.getInteger("long.changes", 100);
    private static final int DIVISIONS_PER_SECOND = Integer.getInteger("long.divisions", 4);
    private static final int KEYS = 10_000;

    private ChurningEmulator() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        int partitions = Integer.parseInt(args[0]);
        try (SpannerEmulator emulator = EmulatorProcess.start(partitions, Duration.ZERO);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open()) {
            PartitionControl control = emulator.partitions(EmulatorProcess.DATABASE, EmulatorProcess.STREAM);
            atRate(DIVISIONS_PER_SECOND, number -> divide(control, partitions, number));
            atRate(CHANGES_PER_SECOND, number -> write(connection.client(), number));
            System.out.println(emulator.emulatorHost());
            ChildJvm.awaitParent();
        }
    }

    private static void atRate(int perSecond, Parallel.PacedWork work) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Parallel.paced(1, Integer.MAX_VALUE, perSecond, work);
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
    }

    /** Splits the oldest partition, merges it with a neighbour or moves it, so that all live for about as long. */
    private static void divide(PartitionControl control, int partitions, int number) {
        List<PartitionView> live = control.live();
        PartitionView oldest =
                live.stream().min(Comparator.comparing(PartitionView::start)).orElseThrow();
        int place = live.indexOf(oldest);
        boolean splittable = oldest.range().to() - oldest.range().from() > 1;
        if (live.size() > partitions) {
            control.merge(oldest.token(), live.get(place == 0 ? 1 : place - 1).token());
        } else if (number % 5 == 0 || !splittable) {
            control.move(oldest.token());
        } else {
            control.split(oldest.token());
        }
    }

    private static void write(DatabaseClient client, int number) {
        client.write(List.of(Mutation.newInsertOrUpdateBuilder("Accounts")
                .set("Id")
                .to(number % KEYS)
                .set("Owner")
                .to("owner of version " + number)
                .build()));
    }
}
