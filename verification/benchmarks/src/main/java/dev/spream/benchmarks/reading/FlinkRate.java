package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.core.consume.Ordering;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.flink.ChangeDeserializationSchema;
import dev.spream.flink.FlinkChangeStreamSource;
import dev.spream.flink.SpannerStream;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.Serial;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * The Flink source with one subtask and with two, compared with a subscriber in one process, on the same rows from a server
 * with little cost. The jobs run on a cluster of two task managers in this JVM, with a checkpoint each second; the time of a
 * job includes its start. Ends with CPU profiles.
 */
public final class FlinkRate {
    private static final int ROWS = Integer.getInteger("rows", 400_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 7);
    private static final int PARTITIONS = Integer.getInteger("partitions", 16);
    private static final String DATABASE = "projects/replay/instances/replay/databases/replay";

    private static final LongAdder ARRIVED = new LongAdder(); // static, since a cluster copies sinks

    private FlinkRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        MiniCluster cluster = cluster();
        try (ChildJvm server = ChildJvm.start(ReplayServer.class, List.of("-Xmx1500m"), Integer.toString(ROWS))) {
            cluster.start();
            compare(cluster, server.nextLine());
        } finally {
            cluster.closeAsync().join();
        }
    }

    private static void compare(MiniCluster cluster, String host) throws Exception {
        String stream = ReplayServer.streamName(PARTITIONS);
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(host)
                .open()) {
            new Comparison("Flink, partitions: " + PARTITIONS, ROWS)
                    .add(
                            "spream, maxInflight 64, by key",
                            () -> EndToEnd.subscribe(connection, stream, 64, Ordering.KEY))
                    .add("spream in Flink, parallelism 1", () -> run(cluster, host, 1, false))
                    .add("spream in Flink, parallelism 2", () -> run(cluster, host, 2, false))
                    .add("spream in Flink, parallelism 2, keyBy", () -> run(cluster, host, 2, true))
                    .run(WARM_UPS, TURNS);
        }
        CpuProfile.print("Flink, parallelism 1", () -> run(cluster, host, 1, false));
        CpuProfile.print("Flink, parallelism 2, keyBy", () -> run(cluster, host, 2, true));
    }

    private static MiniCluster cluster() {
        Configuration configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        return new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(1)
                .build());
    }

    /** Runs a job that reads the stream to its end, and returns the number of its elements. */
    private static long run(MiniCluster cluster, String host, int parallelism, boolean keyed) throws Exception {
        ARRIVED.reset();
        FlinkChangeStreamSource<String> source = FlinkChangeStreamSource.builder(
                        SpannerStream.of(DATABASE, ReplayServer.streamName(PARTITIONS))
                                .emulatorHost(host),
                        new OrderIds())
                .startAt(ReplayedRows.START)
                .endAt(ReplayedRows.END)
                .build();
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        environment.setParallelism(parallelism);
        environment.enableCheckpointing(1_000);
        DataStream<String> orders = environment.fromSource(source, WatermarkStrategy.noWatermarks(), "orders");
        (keyed ? orders.keyBy(order -> order) : orders).sinkTo(new Count());
        JobGraph job = environment.getStreamGraph().getJobGraph();
        cluster.submitJob(job).get();
        cluster.requestJobResult(job.getJobID()).get().toJobExecutionResult(FlinkRate.class.getClassLoader());
        return ARRIVED.sum();
    }

    /** The key of each changed row. */
    private static final class OrderIds implements ChangeDeserializationSchema<String> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<String> out) {
            change.mods()
                    .forEach(mod -> out.collect(mod.keys().string("OrderId").orElseThrow()));
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }

    /** Counts what arrives. */
    private static final class Count implements Sink<String>, SinkWriter<String> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public SinkWriter<String> createWriter(WriterInitContext context) {
            return this;
        }

        @Override
        public void write(String order, Context context) {
            ARRIVED.increment();
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
