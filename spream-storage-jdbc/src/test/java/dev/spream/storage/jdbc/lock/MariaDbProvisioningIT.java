package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import org.junit.jupiter.api.Tag;

@Tag("proof")
final class MariaDbProvisioningIT extends BucketProvisioningContract {
    @Override
    Fixture createFixture() {
        return new MySqlProvisioningFixture(new MySqlDatabase(MySqlServer.embedded()));
    }
}
