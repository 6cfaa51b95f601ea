package dev.spream.interop.beam;

import com.google.cloud.Timestamp;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.gcp.spanner.SpannerConfig;
import org.apache.beam.sdk.io.gcp.spanner.SpannerIO;
import org.apache.beam.sdk.io.gcp.spanner.SpannerIO.ReadChangeStream;
import org.apache.beam.sdk.io.gcp.spanner.changestreams.model.DataChangeRecord;
import org.apache.beam.sdk.io.gcp.spanner.changestreams.model.Mod;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.options.ValueProvider.StaticValueProvider;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.jspecify.annotations.Nullable;

/**
 * Reads a change stream of an emulator with {@code SpannerIO.readChangeStream} on Beam's direct runner, and prints the
 * keys of each change, a line each, or notes them in a file. At the end timestamp it ends and drops the metadata table; without an end, it runs
 * until it is killed, and the table stays.
 *
 * <p>Arguments are {@code name=value}: {@code host}, {@code project}, {@code instance}, {@code database}, {@code
 * stream}, {@code table}, {@code start}, and optionally {@code end} and {@code receipts}, the file of {@link Receipts} of
 * rows whose key is a number, {@code Id}. Beam does not read the emulator's environment
 * variable.
 */
public final class BeamPipeline {
    private BeamPipeline() {}

    public static void main(String[] args) {
        Map<String, String> settings = Arrays.stream(args)
                .map(arg -> arg.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        // A thread for each partition: by default there are three, and each waits in a query.
        Pipeline pipeline = Pipeline.create(
                PipelineOptionsFactory.fromArgs("--targetParallelism=16").create());
        pipeline.apply("Read", source(settings)).apply("Deliver", ParDo.of(delivery(settings)));
        System.err.println("the pipeline ended: " + pipeline.run().waitUntilFinish());
        // Clients that Beam has opened and not closed would keep the process alive.
        Runtime.getRuntime().halt(0);
    }

    private static ReadChangeStream source(Map<String, String> settings) {
        SpannerConfig database = SpannerConfig.create()
                .withEmulatorHost(StaticValueProvider.of(setting(settings, "host")))
                .withProjectId(setting(settings, "project"))
                .withInstanceId(setting(settings, "instance"))
                .withDatabaseId(setting(settings, "database"));
        ReadChangeStream source = SpannerIO.readChangeStream()
                .withSpannerConfig(database)
                .withChangeStreamName(setting(settings, "stream"))
                .withMetadataInstance(setting(settings, "instance"))
                .withMetadataDatabase(setting(settings, "database"))
                .withMetadataTable(setting(settings, "table"))
                .withInclusiveStartAt(Timestamp.parseTimestamp(setting(settings, "start")));
        String end = settings.get("end");
        return end == null ? source : source.withInclusiveEndAt(Timestamp.parseTimestamp(end));
    }

    private static DoFn<DataChangeRecord, Void> delivery(Map<String, String> settings) {
        String receipts = settings.get("receipts");
        return receipts == null ? new PrintKeys() : new NoteKeys(receipts);
    }

    private static String setting(Map<String, String> settings, String name) {
        String value = settings.get(name);
        if (value == null) {
            throw new IllegalArgumentException("missing argument %s=...".formatted(name));
        }
        return value;
    }

    /** The target of changes: a printed line is delivered to the process that reads this output. */
    private static final class PrintKeys extends DoFn<DataChangeRecord, Void> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void print(@Element DataChangeRecord change) {
            PrintStream out = System.out;
            for (Mod mod : change.getMods()) {
                out.println(mod.getKeysJson());
            }
            out.flush();
        }
    }

    /** The target of changes whose times are measured. */
    private static final class NoteKeys extends DoFn<DataChangeRecord, Void> {
        private static final long serialVersionUID = 1;

        private final String file;
        private transient @Nullable Receipts receipts;

        NoteKeys(String file) {
            this.file = file;
        }

        @ProcessElement
        public void note(@Element DataChangeRecord change) throws IOException {
            Receipts open = receipts == null ? new Receipts(Path.of(file)) : receipts;
            receipts = open;
            for (Mod mod : change.getMods()) {
                String keys = mod.getKeysJson();
                open.consumed(Long.parseLong(keys, keys.indexOf(':') + 2, keys.length() - 2, 10));
            }
        }
    }
}
