package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.SpannerErrors;
import dev.spream.storage.spanner.client.TimedCall;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Queries a database for its change streams and its clock. Each query has a time limit, because the client alone would
 * retry an unreachable server without a limit.
 *
 * <p>Safe for use by many threads.
 */
public final class StreamCatalog {
    private final DatabaseClient client;
    private final Duration timeout;
    private volatile @Nullable Dialect dialect;

    public StreamCatalog(DatabaseClient client, Duration timeout) {
        this.client = client;
        this.timeout = timeout;
    }

    public Dialect dialect() {
        Dialect known = dialect;
        if (known == null) {
            known = ask("reading the database's dialect", client::getDialect);
            dialect = known;
        }
        return known;
    }

    public Instant serverTime() {
        return ask("reading the server's time", () -> Timestamps.current(client.singleUse()));
    }

    /** Returns the read timestamp of a strong read now. */
    public Instant readTimestamp() {
        return ask("reading the database's read timestamp", () -> TableSnapshots.readTimestamp(client));
    }

    public PartitionMode partitionMode(String stream) {
        Dialect dialect = dialect();
        requireStream(stream);
        return option(dialect, stream, "partition_mode")
                .map(name -> knownMode(stream, name))
                .orElse(PartitionMode.IMMUTABLE_KEY_RANGE);
    }

    private static PartitionMode knownMode(String stream, String name) {
        try {
            return PartitionMode.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new SourceException(
                    SourceException.Kind.FATAL,
                    "change stream %s has partition mode %s, which this version of spream does not support"
                            .formatted(stream, name),
                    e);
        }
    }

    /** Returns the retention period; empty if the stream declares none, or one in an unknown form. */
    public Optional<Duration> retention(String stream) {
        Optional<String> declared = option(dialect(), stream, "retention_period");
        if (declared.isEmpty()) {
            requireStream(stream);
        }
        return declared.flatMap(RetentionPeriod::parse);
    }

    private Optional<String> option(Dialect dialect, String stream, String name) {
        boolean google = dialect == Dialect.GOOGLE_STANDARD_SQL;
        Statement query = Statement.newBuilder(("select option_value from information_schema.change_stream_options"
                                + " where option_name = '%s' and change_stream_name = %s")
                        .formatted(name, google ? "@changeStreamName" : "$1"))
                .bind(google ? "changeStreamName" : "p1")
                .to(stream)
                .build();
        return ask("reading the %s of change stream %s".formatted(name.replace('_', ' '), stream), () -> strings(query))
                .stream()
                .findFirst();
    }

    private void requireStream(String stream) {
        List<String> names = ask("finding change stream " + stream, () -> {
            return strings(Statement.of(
                    "select change_stream_name from information_schema.change_streams order by change_stream_name"));
        });
        if (!names.contains(stream)) {
            throw new SourceException(SourceException.Kind.NOT_FOUND, notFound(stream, names), null);
        }
    }

    private static String notFound(String stream, List<String> names) {
        String message = "change stream %s not found: ".formatted(stream);
        if (names.isEmpty()) {
            return message + "the database has no change stream that this user may read";
        }
        return names.stream()
                .filter(name -> name.equalsIgnoreCase(stream))
                .findFirst()
                .map(name -> message + "did you mean %s? Names are case-sensitive".formatted(name))
                .orElseGet(() -> message + "the database has " + String.join(", ", names));
    }

    private List<String> strings(Statement query) {
        List<String> strings = new ArrayList<>();
        try (ResultSet rows = client.singleUse().executeQuery(query)) {
            while (rows.next()) {
                strings.add(rows.getString(0));
            }
        }
        return strings;
    }

    <T> T ask(String what, Callable<T> question) {
        TimedCall<T> call = new TimedCall<>(question);
        try {
            return call.answer(timeout);
        } catch (ExecutionException e) {
            throw SpannerErrors.sourceException(what, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new SourceException(
                    SourceException.Kind.TRANSIENT,
                    "%s failed: no answer within %s: %s"
                            .formatted(what, DurationText.of(timeout), call.silenceReason()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SourceException(SourceException.Kind.CANCELLED, what + " was interrupted", e);
        }
    }
}
