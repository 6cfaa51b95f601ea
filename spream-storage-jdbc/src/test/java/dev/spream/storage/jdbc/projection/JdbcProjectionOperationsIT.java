package dev.spream.storage.jdbc.projection;

import dev.spream.testkit.projection.ProjectionOperationsContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.sql.Connection;

final class JdbcProjectionOperationsIT extends ProjectionOperationsContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
