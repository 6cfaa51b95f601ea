package dev.spream.cli.subscription;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.cli.service.Operations;
import dev.spream.cli.service.StopSignals;
import dev.spream.cli.service.Tracing;
import dev.spream.cli.subscription.DemoCheck.BalanceChange;
import dev.spream.cli.subscription.DemoCheck.Delivered;
import dev.spream.cli.subscription.DemoCheck.Promise;
import dev.spream.cli.subscription.DemoCheck.Verdict;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiPredicate;
import java.util.function.Function;
import picocli.CommandLine.ExitCode;

/**
 * Writes transfers between accounts to a database while its partitions split, merge and move, reads the change stream
 * like {@code tail}, and finally compares the commits with the deliveries.
 */
final class Demo {
    private static final PartitionChurn CHURN = PartitionChurn.every(Duration.ofMillis(400));
    private static final FaultRates FAULTS =
            FaultRates.share(0.6).with(Fault.Kind.STALL, 0.03).withinRows(10);
    // Short, so that a stalled stream is noticed within a second.
    private static final Duration HEARTBEAT = Duration.ofMillis(200);
    private static final Duration WATERMARK = Duration.ofMillis(100);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration UNCOUNTED_INTERVAL = Duration.ofMillis(10);

    private final Settings settings;
    private final Output output;
    private final Operations<HttpEndpoints> operations;
    private final TransferWorkload workload;
    private final PartitionTally tally = new PartitionTally();
    private final RunTally run = new RunTally();
    private final CatchUp catchUp = new CatchUp();

    Demo(Settings settings, Output output, Operations<HttpEndpoints> operations) {
        this.settings = settings;
        this.output = output;
        this.operations = operations;
        this.workload = new TransferWorkload(settings.seed());
    }

    /** The settings of a demo, validated by {@link TailCommand}. */
    record Settings(
            DemoArguments.DialectName dialect,
            PartitionMode mode,
            long seed,
            Optional<Integer> transactions,
            Duration duration,
            int maxInflight,
            Optional<Ordering> ordering,
            TransactionMode transactionMode,
            boolean faults,
            Optional<String> emulatorHost) {

        /** Returns the interval between transactions. */
        Duration interval() {
            return transactions.map(duration::dividedBy).orElse(UNCOUNTED_INTERVAL);
        }

        /** Returns the time limit for writing; a given number of transactions is always completed. */
        Duration timeLimit() {
            return transactions.isPresent() ? Duration.ofDays(1) : duration;
        }
    }

    /**
     * The server of the demo.
     *
     * @param orderJudged whether the order of one key's changes is judged over two partitions
     * @param partitions returns the numbers of splits, merges and moves for a database name
     * @param faults returns the numbers of injected faults for a database name
     */
    private record Server(
            String emulatorHost,
            BiPredicate<String, String> orderJudged,
            Function<String, PartitionTally.Counts> partitions,
            Function<String, FaultControl.Counts> faults) {}

    /** Runs the demo and returns the exit code: a failure if commits and deliveries differ. */
    int run() throws Exception {
        if (settings.emulatorHost().isPresent()) {
            // Google's emulator has no key ranges: the changes of one key come from unrelated partitions.
            return run(new Server(
                    settings.emulatorHost().get(),
                    tally::related,
                    name -> tally.counts(),
                    name -> new FaultControl.Counts(Map.of())));
        }
        try (SpannerEmulator emulator = emulator(settings)) {
            return run(new Server(
                    emulator.emulatorHost(),
                    (earlier, later) -> true,
                    name -> partitions(emulator, name),
                    name -> emulator.faults(name, DemoDatabase.STREAM).counts()));
        }
    }

    /** Starts the embedded emulator; the caller closes it. */
    static SpannerEmulator emulator(Settings settings) {
        return SpannerEmulator.builder()
                .seed(settings.seed())
                .churn(CHURN)
                .faults(settings.faults() ? FAULTS : FaultRates.none())
                .start();
    }

    /** Returns the counts; those of living partitions' key ranges are known to the emulator only. */
    private PartitionTally.Counts partitions(SpannerEmulator emulator, String database) {
        return settings.mode() == PartitionMode.IMMUTABLE_KEY_RANGE
                ? tally.counts()
                : tally.counts(
                        emulator.partitions(database, DemoDatabase.STREAM).counts());
    }

    private int run(Server server) throws Exception {
        System.err.printf(
                "demo: seed %d, %s, server %s%n",
                settings.seed(), settings.dialect(), settings.emulatorHost().orElse("embedded"));
        try (DemoDatabase database = DemoDatabase.create(
                        server.emulatorHost(), settings.dialect().dialect(), settings.mode(), workload);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                        .emulatorHost(server.emulatorHost())
                        .open();
                SpannerChangeStreamSource source =
                        SpannerChangeStreamSource.open(connection.client(), DemoDatabase.STREAM);
                LimitedOutput lines = output.start(Long.MAX_VALUE, () -> {});
                Subscriber subscriber = Subscriber.builder(
                                output.printing(source, lines), new InMemoryPartitionStorage())
                        .options(options().startAt(database.serverTime()).build())
                        .build();
                StopSignals signals = StopSignals.install(workload::stop, subscriber::close)) {
            return run(server, database, subscriber, signals, lines);
        } finally {
            output.progress().line().end();
        }
    }

    private int run(
            Server server, DemoDatabase database, Subscriber subscriber, StopSignals signals, LimitedOutput lines)
            throws Exception {
        // With ordering PARTITION no change overtakes a slow one, so all would wait for it.
        DemoConsumer consumer = new DemoConsumer(lines, ordering() != Ordering.PARTITION);
        try {
            FutureTask<CompletionReason> reading =
                    new FutureTask<>(() -> read(subscriber, Tracing.around(consumer, DemoDatabase.STREAM)));
            Thread.ofVirtual().name("spream-demo-reader").start(reading);
            workload.run(
                    database.client(),
                    settings.transactions().orElse(Integer.MAX_VALUE),
                    settings.interval(),
                    settings.timeLimit());
            if (signals.received()) {
                System.err.println("demo: stopped by a signal; checking the commits so far");
            }
            boolean caughtUp = catchUp.await(lastCommit(), TIMEOUT);
            operations.draining();
            subscriber.shutdown(Tail.DRAIN_TIMEOUT);
            CompletionReason result = result(reading);
            lines.flush();
            if (result == CompletionReason.CLOSED) {
                throw new CommandFailure("the demo was interrupted before its check");
            }
            return judge(server, database, consumer.delivered(), caughtUp);
        } catch (SpreamException | IOException e) {
            if (lines.isReaderClosed()) {
                return ExitCode.OK;
            }
            throw e;
        }
    }

    private CompletionReason read(Subscriber subscriber, Consumer consumer) {
        try {
            return subscriber.run(consumer);
        } finally {
            workload.stop();
            catchUp.stop();
        }
    }

    private int judge(Server server, DemoDatabase database, List<Delivered> delivered, boolean caughtUp) {
        // Only a broken stream justifies duplicates.
        boolean ordered = ordering() != Ordering.NONE;
        Promise promise = new Promise(ordered, !settings.faults());
        Verdict verdict = DemoCheck.judge(workload.committed(), delivered, server.orderJudged());
        String broken = settings.faults()
                ? "; faults injected %s; %s".formatted(server.faults().apply(database.name()), run.faults())
                : "";
        String late = caughtUp
                ? ""
                : " (the reader had not passed the last commit after %s)".formatted(DurationArgument.format(TIMEOUT));
        output.finish("demo: committed %d mods in %d transactions; %s%s; %s%s"
                .formatted(
                        verdict.committed(),
                        workload.transactions(),
                        server.partitions().apply(database.name()),
                        broken,
                        verdict.text(promise),
                        late));
        return verdict.passed(promise) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private Ordering ordering() {
        return options().build().effectiveOrdering();
    }

    private Instant lastCommit() {
        List<BalanceChange> committed = workload.committed();
        return committed.isEmpty() ? Instant.MIN : committed.getLast().commitTimestamp();
    }

    private SubscriberOptions.Builder options() {
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .heartbeatInterval(HEARTBEAT)
                .watermarkInterval(WATERMARK)
                .maxInflight(settings.maxInflight())
                .transactionMode(settings.transactionMode())
                .listener(output.progress())
                .listener(tally)
                .listener(run)
                .listener(catchUp);
        operations.endpoints().ifPresent(shown -> shown.listeners().forEach(options::listener));
        settings.ordering().ifPresent(options::ordering);
        return options;
    }

    private static CompletionReason result(FutureTask<CompletionReason> reading) throws Exception {
        try {
            return reading.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
