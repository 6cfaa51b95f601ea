package dev.spream.flink.table;

import dev.spream.core.consume.Ordering;
import dev.spream.flink.FlinkChangeStreamSource;
import dev.spream.flink.SpannerStream;
import dev.spream.flink.SpannerSubscription;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** A watched table as the source of a query. */
final class ChangeStreamTableSource implements ScanTableSource, SupportsReadingMetadata, SupportsSourceWatermark {

    /**
     * The declaration of a table.
     *
     * @param name its name in Flink
     * @param stream the change stream
     * @param table its name in Spanner
     * @param columns its columns that are no metadata
     * @param oldValues whether the stream captures old values
     * @param oldRows whether rows before their change are emitted
     * @param startTimestamp the first commit timestamp to read
     * @param subscription the stored subscription where reading begins
     * @param endTimestamp the last commit timestamp to read
     * @param snapshot whether the rows of the table come first
     * @param heartbeatInterval the interval of heartbeats of idle partitions
     * @param ordering the order of the changes
     */
    record Declaration(
            String name,
            SpannerStream stream,
            String table,
            List<TableColumn> columns,
            boolean oldValues,
            boolean oldRows,
            Optional<Instant> startTimestamp,
            Optional<SpannerSubscription> subscription,
            Optional<Instant> endTimestamp,
            boolean snapshot,
            Duration heartbeatInterval,
            Ordering ordering) {

        /** @throws IllegalArgumentException if the options contradict each other */
        FlinkChangeStreamSource<RowData> source(List<ReadableMetadata> metadata, TypeInformation<RowData> type) {
            FlinkChangeStreamSource.Builder<RowData> builder = FlinkChangeStreamSource.builder(
                            stream, new RowDataDeserializationSchema(table, columns, metadata, oldRows, type))
                    .heartbeatInterval(heartbeatInterval)
                    .ordering(ordering);
            startTimestamp.ifPresent(builder::startAt);
            subscription.ifPresent(builder::startFrom);
            endTimestamp.ifPresent(builder::endAt);
            if (snapshot) {
                builder.snapshot();
            }
            return builder.build();
        }
    }

    private final Declaration declaration;
    private DataType producedType;
    private List<ReadableMetadata> metadata;

    ChangeStreamTableSource(Declaration declaration, DataType producedType, List<ReadableMetadata> metadata) {
        this.declaration = declaration;
        this.producedType = producedType;
        this.metadata = List.copyOf(metadata);
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return declaration.oldRows() ? ChangelogMode.all() : ChangelogMode.upsert(!declaration.oldValues());
    }

    @Override
    public Map<String, DataType> listReadableMetadata() {
        return ReadableMetadata.types();
    }

    @Override
    public void applyReadableMetadata(List<String> keys, DataType type) {
        metadata = keys.stream().map(ReadableMetadata::of).toList();
        producedType = type;
    }

    @Override
    public void applySourceWatermark() {
        // The source always emits its watermarks.
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        TypeInformation<RowData> type = context.createTypeInformation(producedType);
        try {
            return new Provider(declaration, declaration.source(metadata, type));
        } catch (IllegalArgumentException e) {
            throw new ValidationException("table %s: %s".formatted(declaration.name(), e.getMessage()), e);
        }
    }

    @Override
    public DynamicTableSource copy() {
        return new ChangeStreamTableSource(declaration, producedType, metadata);
    }

    @Override
    public String asSummaryString() {
        return "change stream of " + declaration.table();
    }

    /** Adds the source to a job, if the checkpoints of the job are those that the order of changes needs. */
    private record Provider(Declaration declaration, FlinkChangeStreamSource<RowData> source)
            implements DataStreamScanProvider {

        @Override
        public boolean isBounded() {
            return declaration.endTimestamp().isPresent();
        }

        @Override
        public DataStream<RowData> produceDataStream(ProviderContext context, StreamExecutionEnvironment environment) {
            DataStreamSource<RowData> changes;
            try {
                changes = source.addTo(environment, declaration.name());
            } catch (IllegalArgumentException e) {
                throw new ValidationException(e.getMessage(), e);
            }
            context.generateUid("changes").ifPresent(changes::uid);
            return changes;
        }
    }
}
