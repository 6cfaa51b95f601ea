package dev.spream.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.BeamExport;
import dev.spream.storage.spanner.BeamTable;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Apache Beam continues from a table that spream wrote for it, while partitions split and merge. */
@ParameterizedClass(name = "{0}")
@MethodSource("dev.spream.interop.Servers#all")
@Timeout(300)
class BeamTakesBackIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String TABLE = "Metadata";

    private final AccountStream stream;

    BeamTakesBackIT(SpannerServer server) {
        this.stream = new AccountStream(server, Dialect.GOOGLE_STANDARD_SQL);
    }

    @AfterEach
    void close() {
        stream.close();
    }

    @Test
    void beam_reads_on_where_spream_was_stopped() throws Exception {
        SpannerPartitionTables.create(stream.connection(), TABLE);
        PartitionStorage storage = stream.storage(TABLE);
        Set<String> bySpream = readWithSpream(storage);
        stream.write(50);

        BeamTable table = BeamExport.write(storage, stream.connection(), "ForBeam");
        Deliveries byBeam = readWithBeam(table, bySpream);

        Set<String> left = new TreeSet<>(byBeam.missing(stream.written()));
        left.removeAll(bySpream);
        System.out.printf(
                "%s: %d changes, %d by spream, then %d by Beam from %s%n",
                stream.label(),
                stream.written().size(),
                bySpream.size(),
                byBeam.ids().size(),
                table);
        assertThat(left).as("changes that were not delivered").isEmpty();
    }

    /** Stops in the middle of reading. */
    private Set<String> readWithSpream(PartitionStorage storage) throws Exception {
        try (SpreamReader spream =
                SpreamReader.start(stream, storage, stream.source().serverTime())) {
            stream.write(200);
            spream.deliveries().awaitCount(100, TIMEOUT);
            stream.write(20);
            spream.stop();
            return spream.deliveries().ids();
        }
    }

    private Deliveries readWithBeam(BeamTable table, Set<String> bySpream) throws Exception {
        try (BeamProcess beam = BeamProcess.start(stream, table.name(), table.startAt())) {
            stream.write(50);
            Set<String> missing = new TreeSet<>(stream.written());
            missing.removeAll(bySpream);
            beam.deliveries().awaitAll(missing, TIMEOUT);
            assertThat(beam.isAlive()).as("Beam runs on, see %s", beam.log()).isTrue();
            beam.kill();
            return beam.deliveries();
        }
    }
}
