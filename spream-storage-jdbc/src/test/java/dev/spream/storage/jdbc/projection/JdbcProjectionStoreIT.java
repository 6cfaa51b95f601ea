package dev.spream.storage.jdbc.projection;

import dev.spream.testkit.projection.ProjectionStoreContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.sql.Connection;

final class JdbcProjectionStoreIT extends ProjectionStoreContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
