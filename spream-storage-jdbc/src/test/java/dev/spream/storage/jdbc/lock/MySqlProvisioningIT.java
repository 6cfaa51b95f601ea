package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;

@OnGivenMySql
final class MySqlProvisioningIT extends BucketProvisioningContract {
    @Override
    Fixture createFixture() {
        return new MySqlProvisioningFixture(
                new MySqlDatabase(MySqlServer.given().orElseThrow()));
    }
}
