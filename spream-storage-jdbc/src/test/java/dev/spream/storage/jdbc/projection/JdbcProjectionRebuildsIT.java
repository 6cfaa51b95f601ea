package dev.spream.storage.jdbc.projection;

import dev.spream.testkit.projection.ProjectionRebuildsContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.sql.Connection;

final class JdbcProjectionRebuildsIT extends ProjectionRebuildsContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
