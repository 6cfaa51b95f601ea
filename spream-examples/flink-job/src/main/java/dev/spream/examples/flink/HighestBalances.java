package dev.spream.examples.flink;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.flink.ChangeDeserializationSchema;
import dev.spream.flink.FlinkChangeStreamSource;
import dev.spream.flink.SpannerStream;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ParameterTool;

/**
 * Prints the highest balance that each account has had, on the standard output of the task managers. Arguments: {@code
 * --database projects/<project>/instances/<instance>/databases/<database>} and {@code --stream <change stream>}, and {@code
 * --emulator-host host:port} for an emulator.
 */
public final class HighestBalances {
    private HighestBalances() {}

    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        SpannerStream stream = SpannerStream.of(parameters.getRequired("database"), parameters.getRequired("stream"));
        if (parameters.has("emulator-host")) {
            stream = stream.emulatorHost(parameters.getRequired("emulator-host"));
        }
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        FlinkChangeStreamSource<Tuple2<String, Long>> source = FlinkChangeStreamSource.builder(stream, new Balances())
                .snapshot() // the rows first; or startAt(timestamp)
                .build();
        source.addTo(environment, "accounts")
                .uid("accounts")
                .keyBy(balance -> balance.f0)
                .maxBy(1)
                .uid("highest balances")
                .print();
        environment.execute("highest balances");
    }

    /** Emits the balance of each changed account. */
    static final class Balances implements ChangeDeserializationSchema<Tuple2<String, Long>> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<Tuple2<String, Long>> out) {
            for (Mod mod : change.mods()) {
                String account = mod.keys().string("AccountId").orElseThrow();
                mod.newValues().int64("Balance").ifPresent(balance -> out.collect(Tuple2.of(account, balance)));
            }
        }

        @Override
        public TypeInformation<Tuple2<String, Long>> getProducedType() {
            return Types.TUPLE(Types.STRING, Types.LONG);
        }
    }
}
