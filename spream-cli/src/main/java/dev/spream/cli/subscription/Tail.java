package dev.spream.cli.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.api.StreamTimes;
import dev.spream.api.buffer.DiskChangeBuffer;
import dev.spream.api.filter.ChangeFilter;
import dev.spream.api.filter.FilteredConsumer;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.cli.output.TimedLine;
import dev.spream.cli.service.Operations;
import dev.spream.cli.service.Tracing;
import dev.spream.cli.storage.FlagPlugins;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.cli.storage.StorageChoice;
import dev.spream.core.consume.Consumer;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** Prints the changes of a change stream until its end, its limit, a signal or a failure. */
final class Tail {
    static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

    private final Settings settings;
    private final Output output;
    private final Operations<HttpEndpoints> operations;
    private final long startNanos = System.nanoTime();
    private final PartitionTally tally = new PartitionTally();
    private final RunTally run = new RunTally();
    private volatile @Nullable Draining draining; // set before the run
    private @Nullable FilteredConsumer filter;

    Tail(Settings settings, Output output, Operations<HttpEndpoints> operations) {
        this.settings = settings;
        this.output = output;
        this.operations = operations;
    }

    /**
     * The settings of a tail, validated by {@link TailCommand}.
     *
     * @param source the keys of the source
     * @param filter the changes to print
     * @param limit the maximum number of records
     */
    record Settings(
            String stream,
            Map<String, String> source,
            StorageChoice storage,
            StreamTimes times,
            ChangeFilter filter,
            long limit,
            SubscriberOptions.Builder options) {}

    int run() throws Exception {
        try (OpenPlugin<ChangeStreamSource> reading = FlagPlugins.open(
                        ChangeStreamSourceProvider.class, "spanner", settings.source(), settings.stream());
                OpenStorage open = settings.storage().open(settings.stream());
                LimitedOutput lines = output.start(settings.limit(), this::limitReached);
                Subscriber subscriber = Subscriber.builder(output.printing(reading.product(), lines), open.storage())
                        .options(settings.times().resolve(options(), open.storage(), Instant.now()))
                        .build();
                Draining signals = new Draining(() -> drain(subscriber), subscriber::close)) {
            draining = signals;
            return print(subscriber, lines, signals);
        }
    }

    private void limitReached() {
        requireNonNull(draining).limitReached();
    }

    private boolean drain(Subscriber subscriber) {
        operations.draining();
        return subscriber.shutdown(DRAIN_TIMEOUT);
    }

    private int print(Subscriber subscriber, LimitedOutput lines, Draining draining) throws Exception {
        try {
            CompletionReason result = subscriber.run(filtered(Tracing.around(lines, settings.stream())));
            lines.flush();
            output.finish(summary(lines.written(), draining.ending(result)));
            return draining.exitCode(result);
        } catch (Exception e) {
            if (lines.isReaderClosed()) {
                return ExitCode.OK;
            }
            if (lines.written() > 0) {
                output.finish(summary(lines.written(), "a failure"));
            }
            throw e;
        }
    }

    private Consumer filtered(Consumer consumer) {
        if (settings.filter().isPassingAll()) {
            return consumer;
        }
        FilteredConsumer before = settings.filter().before(consumer);
        filter = before;
        return before;
    }

    private String summary(long records, String ending) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return TimedLine.of(String.format(
                Locale.ROOT,
                "tail: %d records%s in %.1f s; %s%s; ended by %s",
                records,
                filter == null ? "" : ", %d filtered out,".formatted(filter.filtered()),
                seconds,
                tally.counts(),
                settings.storage().isShared() ? ", " + run.shares() : "",
                ending));
    }

    private SubscriberOptions options() {
        SubscriberOptions.Builder options = settings.options()
                .transactionBuffer(DiskChangeBuffer::inTemporaryFolder)
                .listener(output.progress())
                .listener(tally)
                .listener(new FutureStart(
                        line -> output.progress().line().printLine("tail: " + line), InstantSource.system()))
                .listener(run)
                .listener(new ConnectivityWarning(
                        line -> output.progress().line().printLine("tail: " + line), InstantSource.system()));
        operations.endpoints().ifPresent(shown -> shown.listeners().forEach(options::listener));
        return options.build();
    }
}
