package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ProjectionRebuildsContract;
import dev.spream.projection.ProjectionStoreFixture;
import java.sql.Connection;

final class JdbcProjectionRebuildsIT extends ProjectionRebuildsContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
