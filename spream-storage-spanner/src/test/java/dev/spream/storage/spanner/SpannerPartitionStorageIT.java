package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of partition storages, in Spanner. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
final class SpannerPartitionStorageIT extends PartitionStorageContract {
    private final MetadataDatabase database;

    SpannerPartitionStorageIT(SpannerServer server, Dialect dialect) {
        this.database = MetadataDatabase.of(server, dialect);
    }

    @Override
    protected PartitionStorageFixture createFixture() {
        return new SpannerStorageFixture(database);
    }
}
