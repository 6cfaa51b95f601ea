package dev.spream.cli;

import com.google.cloud.spanner.Options.RpcPriority;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.RunResult;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.ExitCode;

/** Reads a change stream and prints its changes until its end, its limit, a signal or a failure. */
final class Tail {
    static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

    private final Settings settings;
    private final Output output;
    private final long startNanos = System.nanoTime();
    private final PartitionTally tally = new PartitionTally();
    private final ShareTally shares = new ShareTally();

    Tail(Settings settings, Output output) {
        this.settings = settings;
        this.output = output;
    }

    /** What to read, and how. Checked by {@link TailCommand}. */
    record Settings(
            DatabaseName database,
            String stream,
            StorageChoice storage,
            TailTimes times,
            OptionalLong limit,
            Duration heartbeatInterval,
            int maxInflight,
            Optional<Ordering> ordering,
            RpcPriority priority,
            Optional<String> role,
            Optional<String> requestTag,
            Optional<WorkerId> worker,
            Duration leaseTime,
            Optional<String> emulatorHost) {}

    /** Runs until the end, and returns the exit code. */
    int run() throws Exception {
        try (SpannerConnection connection = connect();
                SpannerChangeStreamSource source = source(connection);
                OpenStorage open = PartitionStorages.open(
                        settings.storage(), line -> output.progress().say("tail: " + line));
                Subscriber subscriber = Subscriber.builder(source, open.storage())
                        .options(
                                options(settings.times().resolve(open.storage(), source, settings.heartbeatInterval())))
                        .build();
                Draining draining = Draining.of(subscriber)) {
            long limit = settings.limit().orElse(Long.MAX_VALUE);
            try (JsonLines lines = output.start(limit, draining::limitReached)) {
                return print(subscriber, lines, draining);
            }
        }
    }

    private int print(Subscriber subscriber, JsonLines lines, Draining draining) throws Exception {
        try {
            RunResult result = subscriber.run(lines);
            lines.flush();
            output.finish(summary(lines.written(), ending(result, draining)));
            boolean interrupted = result == RunResult.CLOSED && !draining.limited();
            return interrupted || draining.cutShort() ? ExitCode.SOFTWARE : ExitCode.OK;
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

    private static String ending(RunResult result, Draining draining) {
        if (draining.limited()) {
            return "the limit";
        }
        return switch (result) {
            case COMPLETED -> "the end timestamp";
            case SHUT_DOWN -> draining.cutShort() ? "a signal, with work unfinished" : "a signal";
            case CLOSED -> "a second signal, with work interrupted";
        };
    }

    private String summary(long records, String ending) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return String.format(
                Locale.ROOT,
                "tail: %d records in %.1f s; %s%s; ended by %s",
                records,
                seconds,
                tally.counts(),
                settings.storage().isShared() ? ", " + shares : "",
                ending);
    }

    private SpannerConnection connect() {
        SpannerConnection.Builder connection = SpannerConnection.builder(settings.database());
        settings.emulatorHost().ifPresent(connection::emulatorHost);
        settings.role().ifPresent(connection::databaseRole);
        return connection.open();
    }

    private SpannerChangeStreamSource source(SpannerConnection connection) {
        SpannerChangeStreamSource.Builder source =
                connection.source(settings.stream()).priority(settings.priority());
        settings.requestTag().ifPresent(source::requestTag);
        return source.build();
    }

    private SubscriberOptions options(TailTimes.Range range) {
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .heartbeatInterval(settings.heartbeatInterval())
                .maxInflight(settings.maxInflight())
                .listener(output.progress())
                .leaseTime(settings.leaseTime())
                .listener(tally)
                .listener(shares)
                .listener(new Outage(output.progress()::say, InstantSource.system()));
        settings.ordering().ifPresent(options::ordering);
        settings.worker().ifPresent(options::worker);
        range.start().ifPresent(options::startAt);
        range.end().ifPresent(options::endAt);
        return options.build();
    }
}
