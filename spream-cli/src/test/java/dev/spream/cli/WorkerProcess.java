package dev.spream.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.servers.JavaCommand;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A worker in a process of its own, to be killed: reads the stream of a {@link CounterWorkload} and writes what it consumes
 * into a {@link DeliveryLedger}. It ends on SIGTERM, by draining.
 */
final class WorkerProcess {
    static final Duration LEASE = Duration.ofSeconds(2);

    /** The time that a few deliveries take, so that destinations wait for their sources. */
    private static final Duration SLOW = Duration.ofMillis(300);

    private static final int SLOW_ONE_IN = 50;

    static final String METADATA_TABLE = "CountersPartitions";
    static final String SUBSCRIPTION = "counters";

    private WorkerProcess() {}

    /** Starts a worker of that name, with the rest of the arguments of {@link #main}. */
    static List<String> command(String name, String... arguments) {
        String classPath = SpreamProcess.classPath()
                + File.pathSeparator
                + Path.of("target", "test-classes").toAbsolutePath();
        List<String> options = new ArrayList<>(ClassArchive.options());
        options.add("-Xmx256m");
        options.add("-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"));
        List<String> command = JavaCommand.of(classPath, WorkerProcess.class, options.toArray(String[]::new));
        command.add(name);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Name, emulator, database, URL of the ledger's database, {@code jdbc} or {@code spanner}, start. */
    public static void main(String[] arguments) throws Exception {
        WorkerId worker = new WorkerId(arguments[0]);
        DatabaseName database = DatabaseName.parse(arguments[2]);
        Instant start = Instant.parse(arguments[5]);
        try (HikariDataSource pool = DeliveryLedger.pool(arguments[3]);
                SpannerConnection connection = SpannerConnection.builder(database)
                        .emulatorHost(arguments[1])
                        .open();
                SpannerChangeStreamSource source =
                        connection.source(CounterWorkload.STREAM).build();
                PartitionStorage storage = arguments[4].equals("jdbc")
                        ? JdbcPartitionStorage.create(pool, SUBSCRIPTION)
                        : SpannerPartitionStorage.open(connection, METADATA_TABLE)) {
            DeliveryLedger ledger = new DeliveryLedger(pool);

            Subscriber subscriber = Subscriber.builder(source, storage)
                    .options(options(worker, start, ledger).build())
                    .build();
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> subscriber.shutdown(Duration.ofSeconds(20))));
            Consumer consumer = (change, delivery) -> {
                if (ThreadLocalRandom.current().nextInt(SLOW_ONE_IN) == 0) {
                    Thread.sleep(SLOW);
                }
                ledger.delivered(worker, delivery, CounterWorkload.countersOf(change), Instant.now());
            };
            subscriber.run(consumer);
        }
    }

    private static SubscriberOptions.Builder options(WorkerId worker, Instant start, DeliveryLedger ledger) {
        return SubscriberOptions.builder()
                .worker(worker)
                .startAt(start)
                .heartbeatInterval(Duration.ofMillis(200))
                .maxInflight(8)
                .leaseTime(LEASE)
                .watermarkInterval(Duration.ofMillis(200))
                .partitionDiscoveryInterval(Duration.ofMillis(200))
                .finishedRetention(Duration.ofSeconds(5))
                .listener(new SubscriptionListener() {
                    @Override
                    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
                        ledger.acquired(worker, partition, epoch);
                    }
                });
    }
}
