package dev.spream.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.StorageException;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.MetadataSetup;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A stream goes from Apache Beam to spream and back, while its partitions split and merge. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("serversAndDialects")
@Timeout(300)
class BeamHandOverIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String TABLE = "BeamMetadata";

    private final AccountStream stream;

    BeamHandOverIT(SpannerServer server, Dialect dialect) {
        this.stream = new AccountStream(server, dialect);
    }

    static Stream<Arguments> serversAndDialects() {
        return Servers.all()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)));
    }

    @AfterEach
    void close() {
        stream.close();
    }

    @Test
    void spream_reads_on_where_beam_was_killed() throws Exception {
        Set<String> byBeam = readWithBeam(stream.source().serverTime());
        stream.write(50);

        assertThatThrownBy(() -> SpannerPartitionTables.create(stream.connection(), TABLE))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("may still be running");
        BeamRecord record = BeamRecord.of(stream, TABLE);
        assertThat(SpannerPartitionTables.create(stream.connection(), TABLE, true))
                .isEqualTo(new MetadataSetup(MetadataSetup.Outcome.ADOPTED, record.size()));

        PartitionStorage storage = stream.storage(TABLE);
        Deliveries bySpream = readWithSpream(storage, byBeam);
        Set<String> delivered = new HashSet<>(byBeam);
        delivered.addAll(bySpream.ids());
        System.out.printf(
                "%s: %d changes, %d by Beam, then %d by spream, %d of them again; %s%n",
                stream.label(),
                stream.written().size(),
                byBeam.size(),
                bySpream.ids().size(),
                byBeam.size() + bySpream.ids().size() - delivered.size(),
                record.summary());
        assertThat(delivered).containsAll(stream.written());
        var report = LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs());
        assertThat(report.findings()).isEmpty();
    }

    /**
     * Kills Beam while it follows splits and merges, but when it has printed every change: watermarks are stored when its
     * runner has taken changes over, and what this runner holds in memory dies with it. Leaves the table behind, which Beam
     * would drop at its end.
     */
    private Set<String> readWithBeam(Instant start) throws Exception {
        try (BeamProcess beam = BeamProcess.start(stream, TABLE, start)) {
            stream.write(200);
            beam.deliveries().awaitCount(1, TIMEOUT);
            stream.write(200);
            beam.deliveries().awaitAll(stream.written(), TIMEOUT);
            assertThat(beam.isAlive()).as("Beam runs on, see %s", beam.log()).isTrue();
            assertThat(beam.deliveries().missing(stream.written()))
                    .as("what Beam has not delivered")
                    .isEmpty();
            beam.kill();
            return beam.deliveries().ids();
        }
    }

    private Deliveries readWithSpream(PartitionStorage storage, Set<String> byBeam) throws Exception {
        try (SpreamReader spream = SpreamReader.resume(stream, storage)) {
            stream.write(50);
            Set<String> missing = new HashSet<>(stream.written());
            missing.removeAll(byBeam);
            spream.deliveries().awaitAll(missing, TIMEOUT);
            spream.stop();
            return spream.deliveries();
        }
    }
}
