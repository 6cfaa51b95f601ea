package dev.spream.storage.jdbc.projection;

import dev.spream.testkit.projection.ProjectionRebuildsContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;

@Tag("proof")
final class JdbcProjectionRebuildsIT extends ProjectionRebuildsContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
