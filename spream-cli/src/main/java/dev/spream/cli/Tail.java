package dev.spream.cli;

import com.google.cloud.spanner.Options.RpcPriority;
import dev.spream.api.StreamTimes;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.RunResult;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.DatabaseName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.ExitCode;

/** Reads a change stream and prints its changes until its end, its limit, a signal or a failure. */
final class Tail {
    static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

    private final Settings settings;
    private final Output output;
    private final Operations<HttpEndpoints> operations;
    private final long startNanos = System.nanoTime();
    private final PartitionTally tally = new PartitionTally();
    private final ShareTally shares = new ShareTally();

    Tail(Settings settings, Output output, Operations<HttpEndpoints> operations) {
        this.settings = settings;
        this.output = output;
        this.operations = operations;
    }

    /** What to read, and how. Checked by {@link TailCommand}. */
    record Settings(
            DatabaseName database,
            String stream,
            StorageChoice storage,
            StreamTimes times,
            OptionalLong limit,
            Duration heartbeatInterval,
            int maxInflight,
            Optional<Ordering> ordering,
            RpcPriority priority,
            Optional<String> role,
            Optional<String> requestTag,
            Duration connectTimeout,
            Optional<WorkerId> worker,
            Duration leaseTime,
            Optional<String> emulatorHost) {}

    /** Runs until the end, and returns the exit code. */
    int run() throws Exception {
        try (OpenPlugin<ChangeStreamSource> reading = source();
                OpenStorage open = PartitionStorages.open(settings.storage(), settings.stream());
                Subscriber subscriber = Subscriber.builder(reading.product(), open.storage())
                        .options(settings.times().resolve(options(), open.storage(), Instant.now()))
                        .build();
                Draining draining = Draining.of(() -> drain(subscriber), subscriber::close)) {
            long limit = settings.limit().orElse(Long.MAX_VALUE);
            try (LimitedLines lines = output.start(limit, draining::limitReached)) {
                return print(subscriber, lines, draining);
            }
        }
    }

    private boolean drain(Subscriber subscriber) {
        operations.draining();
        return subscriber.shutdown(DRAIN_TIMEOUT);
    }

    private int print(Subscriber subscriber, LimitedLines lines, Draining draining) throws Exception {
        try {
            RunResult result = subscriber.run(Tracing.around(lines, settings.stream()));
            lines.flush();
            output.finish(summary(lines.written(), draining.ending(result)));
            return draining.exitCode(result);
        } catch (Exception e) {
            if (lines.readerGone()) {
                return ExitCode.OK;
            }
            if (lines.written() > 0) {
                output.finish(summary(lines.written(), "a failure"));
            }
            throw e;
        }
    }

    private String summary(long records, String ending) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return TimedLine.of(String.format(
                Locale.ROOT,
                "tail: %d records in %.1f s; %s%s; ended by %s",
                records,
                seconds,
                tally.counts(),
                settings.storage().isShared() ? ", " + shares : "",
                ending));
    }

    private OpenPlugin<ChangeStreamSource> source() {
        Map<String, String> keys = new HashMap<>();
        keys.put("database", settings.database().toString());
        keys.put("stream", settings.stream());
        keys.put("priority", settings.priority().name().toLowerCase(Locale.ROOT));
        keys.put("connect-timeout", DurationArgument.format(settings.connectTimeout()));
        settings.role().ifPresent(role -> keys.put("role", role));
        settings.requestTag().ifPresent(tag -> keys.put("request-tag", tag));
        settings.emulatorHost().ifPresent(host -> keys.put("emulator-host", host));
        return FlagPlugins.open(ChangeStreamSourceProvider.class, "spanner", keys, settings.stream());
    }

    private SubscriberOptions options() {
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .heartbeatInterval(settings.heartbeatInterval())
                .maxInflight(settings.maxInflight())
                .listener(output.progress())
                .leaseTime(settings.leaseTime())
                .listener(tally)
                .listener(new FutureStart(line -> output.progress().say("tail: " + line), InstantSource.system()))
                .listener(shares)
                .listener(new Outage(line -> output.progress().say("tail: " + line), InstantSource.system()));
        operations.endpoints().ifPresent(shown -> shown.listeners().forEach(options::listener));
        settings.ordering().ifPresent(options::ordering);
        settings.worker().ifPresent(options::worker);
        return options.build();
    }
}
