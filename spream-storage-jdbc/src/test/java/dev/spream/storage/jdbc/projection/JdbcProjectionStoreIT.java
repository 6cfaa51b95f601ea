package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.ProjectionStoreContract;
import dev.spream.core.projection.ProjectionStoreFixture;
import java.sql.Connection;

final class JdbcProjectionStoreIT extends ProjectionStoreContract<Connection> {
    @Override
    protected ProjectionStoreFixture<Connection> createFixture() {
        return new JdbcProjectionFixture();
    }
}
