package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.consume.Ordering;
import dev.spream.core.source.ChangeStreamSource;
import java.io.Serial;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.UserCodeClassLoader;
import org.jspecify.annotations.Nullable;

/**
 * A Spanner change stream as a source of Apache Flink. Each partition is a split; each change is emitted once to the state of
 * the job, with its commit timestamp as event time.
 *
 * <p>Downstream of {@code keyBy} with the primary key, the changes of a key arrive in commit order, also when partitions
 * split, merge, or pass key ranges to each other: a partition is read after a completed checkpoint that holds everything
 * before it, or at once by the subtask that has emitted all of that. This needs checkpoints, and aligned ones: an unaligned
 * checkpoint overtakes changes that are not processed. {@link Ordering#NONE} does without.
 *
 * <p>{@link #addTo} adds it to a job; {@code fromSource}, which does not let a source see how the job takes checkpoints,
 * refuses none. The source emits watermarks itself, and takes {@link WatermarkStrategy#noWatermarks}, with an alignment if one
 * is wanted. They follow the low watermark of all partitions, those included that no subtask reads yet, so no change is late;
 * and they advance while the stream is idle, by its heartbeats.
 *
 * <p>Immutable, and serializable with the factory and the schema that it is given.
 *
 * @param <T> the type of the elements
 */
public final class FlinkChangeStreamSource<T>
        implements Source<T, PartitionSplit, EnumeratorState>, ResultTypeQueryable<T> {
    @Serial
    private static final long serialVersionUID = 1;

    private final ChangeStreamSourceFactory factory;
    private final ChangeDeserializationSchema<T> schema;
    private final ReadOptions options;

    private FlinkChangeStreamSource(
            ChangeStreamSourceFactory factory, ChangeDeserializationSchema<T> schema, ReadOptions options) {
        this.factory = factory;
        this.schema = schema;
        this.options = options;
    }

    /**
     * Returns a builder.
     *
     * @param factory opens the change stream, on each machine
     * @param schema turns changes into elements
     */
    public static <T> Builder<T> builder(ChangeStreamSourceFactory factory, ChangeDeserializationSchema<T> schema) {
        return new Builder<>(factory, schema);
    }

    /**
     * Adds the source to a job, with its own watermarks, and refuses a job that would not keep the order of changes, by its
     * settings at this moment. Give the result a {@code uid}.
     *
     * @throws IllegalArgumentException if the source has an order, and the job runs in batch mode, or has no checkpoints,
     *     unaligned ones, or those of the mode {@code AT_LEAST_ONCE}
     */
    public DataStreamSource<T> addTo(StreamExecutionEnvironment environment, String name) {
        return addTo(environment, name, WatermarkStrategy.noWatermarks());
    }

    /**
     * Adds the source like {@link #addTo(StreamExecutionEnvironment, String)}, with an alignment of watermarks.
     *
     * @param alignment {@link WatermarkStrategy#noWatermarks} with an alignment
     */
    public DataStreamSource<T> addTo(
            StreamExecutionEnvironment environment, String name, WatermarkStrategy<T> alignment) {
        if (!options.ordered()) {
            return environment.fromSource(this, alignment, name);
        }
        JobRequirements.of(environment).requireOrder(name, getBoundedness());
        Duration interval = Duration.ofMillis(environment.getCheckpointConfig().getCheckpointInterval());
        return environment.fromSource(
                new FlinkChangeStreamSource<>(factory, schema, options.withCheckpointInterval(interval)),
                alignment,
                name);
    }

    @Override
    public Boundedness getBoundedness() {
        return options.endTimestamp().isPresent() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<PartitionSplit, EnumeratorState> createEnumerator(
            SplitEnumeratorContext<PartitionSplit> context) {
        return enumerator(context, null);
    }

    @Override
    public SplitEnumerator<PartitionSplit, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<PartitionSplit> context, EnumeratorState checkpoint) {
        return enumerator(context, checkpoint);
    }

    private PartitionEnumerator enumerator(
            SplitEnumeratorContext<PartitionSplit> context, @Nullable EnumeratorState checkpoint) {
        ChangeStreamSource source = factory.open();
        try {
            return new PartitionEnumerator(context, source, options, Clock.systemUTC(), checkpoint);
        } catch (RuntimeException e) {
            source.close();
            throw e;
        }
    }

    @Override
    public SourceReader<T, PartitionSplit> createReader(SourceReaderContext context) throws Exception {
        schema.open(new DeserializationSchema.InitializationContext() {
            @Override
            public MetricGroup getMetricGroup() {
                return context.metricGroup().addGroup("deserializer");
            }

            @Override
            public UserCodeClassLoader getUserCodeClassLoader() {
                return context.getUserCodeClassLoader();
            }
        });
        return new PartitionSourceReader<>(context, factory.open(), options, schema);
    }

    @Override
    public SimpleVersionedSerializer<PartitionSplit> getSplitSerializer() {
        return new PartitionSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return new EnumeratorStateSerializer();
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return schema.getProducedType();
    }

    /**
     * Collects the options of a source.
     *
     * @param <T> the type of the elements
     */
    public static final class Builder<T> {
        private static final Duration MIN_HEARTBEAT = Duration.ofMillis(100);
        private static final Duration MAX_HEARTBEAT = Duration.ofMinutes(5);
        private static final Duration MAX_REPORT_INTERVAL = Duration.ofMinutes(1);

        private final ChangeStreamSourceFactory factory;
        private final ChangeDeserializationSchema<T> schema;
        private Optional<Instant> start = Optional.empty();
        private Optional<Instant> end = Optional.empty();
        private boolean snapshot;
        private @Nullable StoredSubscription stored;
        private Ordering ordering = Ordering.KEY;
        private Duration heartbeatInterval = Duration.ofSeconds(1);
        private Duration reportInterval = Duration.ofMillis(200);
        private int missedHeartbeats = 5;
        private long maxBufferedBytes = 64L << 20;
        private @Nullable Duration turn;

        private Builder(ChangeStreamSourceFactory factory, ChangeDeserializationSchema<T> schema) {
            this.factory = requireNonNull(factory, "factory");
            this.schema = requireNonNull(schema, "schema");
        }

        /**
         * Sets the first commit timestamp to read, inclusive; by default the server's time when the job begins. That time is
         * kept from the first completed checkpoint on: a job that fails before begins again, at a later time. So set it in
         * production.
         */
        public Builder<T> startAt(Instant timestamp) {
            start = Optional.of(timestamp);
            return this;
        }

        /** Sets the last commit timestamp to read, inclusive: the job ends after it; by default it does not end. */
        public Builder<T> endAt(Instant timestamp) {
            end = Optional.of(timestamp);
            return this;
        }

        /** Begins with the rows of the watched tables, as inserts; the changes from then on follow. */
        public Builder<T> snapshot() {
            snapshot = true;
            return this;
        }

        /**
         * Begins where a stored subscription stands, which no worker reads any more: a new job reads what is not settled
         * there. The end has to be that of the subscription. The storage is not changed; {@link JobSavepoint} stores the
         * progress of the job there.
         */
        public Builder<T> startFrom(StoredSubscription subscription) {
            stored = requireNonNull(subscription, "subscription");
            return this;
        }

        /**
         * Sets the order of the changes: {@link Ordering#KEY}, or {@link Ordering#NONE}, with which partitions start without
         * waiting for a checkpoint.
         *
         * @throws IllegalArgumentException for another ordering
         */
        public Builder<T> ordering(Ordering order) {
            if (order == Ordering.PARTITION) {
                throw new IllegalArgumentException("ordering is PARTITION, must be KEY or NONE");
            }
            ordering = order;
            return this;
        }

        /** Sets the interval of heartbeats of idle partitions, from 100 ms to 5 min; by default a second. */
        public Builder<T> heartbeatInterval(Duration interval) {
            if (interval.compareTo(MIN_HEARTBEAT) < 0 || interval.compareTo(MAX_HEARTBEAT) > 0) {
                throw new IllegalArgumentException(
                        "heartbeatInterval is %s, must be from 100 ms to 5 min".formatted(DurationText.of(interval)));
            }
            heartbeatInterval = interval;
            return this;
        }

        /** Sets how many heartbeat intervals a stream may return nothing before it is queried again; by default 5. */
        public Builder<T> missedHeartbeats(int count) {
            missedHeartbeats = requireAtLeast("missedHeartbeats", count, 1);
            return this;
        }

        /**
         * Sets the interval at which subtasks report their progress for the watermark, from 1 ms to a minute; by default
         * 200 ms.
         */
        public Builder<T> reportInterval(Duration interval) {
            if (interval.toMillis() < 1 || interval.compareTo(MAX_REPORT_INTERVAL) > 0) {
                throw new IllegalArgumentException(
                        "reportInterval is %s, must be from 1 ms to 1 min".formatted(DurationText.of(interval)));
            }
            reportInterval = interval;
            return this;
        }

        /** Sets the bytes of a subtask for changes that are read and not emitted; by default 64 MiB. */
        public Builder<T> maxBufferedBytes(long bytes) {
            if (bytes < 1 << 20) {
                throw new IllegalArgumentException("maxBufferedBytes is %d, must be 1 MiB or more".formatted(bytes));
            }
            maxBufferedBytes = bytes;
            return this;
        }

        /** Sets after which time partitions take turns if there are more than subtasks have room for. */
        Builder<T> turn(Duration time) {
            turn = time;
            return this;
        }

        private static int requireAtLeast(String name, int value, int least) {
            if (value < least) {
                throw new IllegalArgumentException("%s is %d, must be %d or more".formatted(name, value, least));
            }
            return value;
        }

        /**
         * Returns a source with these options.
         *
         * @throws IllegalArgumentException if the end is before the start, or there are several beginnings
         */
        public FlinkChangeStreamSource<T> build() {
            if (start.isPresent() && end.filter(start.get()::isAfter).isPresent()) {
                throw new IllegalArgumentException(
                        "the end, %s, is before the start, %s".formatted(end.get(), start.get()));
            }
            if (snapshot && start.isPresent()) {
                throw new IllegalArgumentException(
                        "a snapshot begins at its own time, and a start is given: leave out one of them");
            }
            if (stored != null && (snapshot || start.isPresent())) {
                throw new IllegalArgumentException(
                        "a stored subscription has its own beginning, and a start or a snapshot is given: leave out one of them");
            }
            ReadOptions options = new ReadOptions(
                    start,
                    end,
                    snapshot,
                    ordering,
                    heartbeatInterval,
                    reportInterval,
                    missedHeartbeats,
                    maxBufferedBytes);
            options = stored == null ? options : options.startFrom(stored);
            return new FlinkChangeStreamSource<>(factory, schema, turn == null ? options : options.withTurn(turn));
        }
    }
}
