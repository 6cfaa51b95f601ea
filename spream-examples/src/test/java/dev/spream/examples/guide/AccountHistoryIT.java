package dev.spream.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import dev.spream.servers.PostgresDatabase;
import dev.spream.testkit.projection.SqlProjectionTester;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AccountHistoryIT {
    @Test
    void events_of_all_versions_and_former_names_are_lines() throws Exception {
        var tester = SqlProjectionTester.of(
                        new AccountHistory(), PostgresDatabase.create().source())
                .given(
                        "a",
                        List.of(stored("MoneyDeposited", "{\"cents\": 5}"), stored("MoneyTakenOut", "{\"cents\": 3}")))
                .given("a", AccountHistory.EVENTS.newEvents(new AccountEvent.Deposited(1, "CHF")));
        assertThat(tester.rows("SELECT line FROM account_history ORDER BY number"))
                .containsExactly(List.of("+5 EUR"), List.of("-3"), List.of("+1 CHF"));
    }

    private static NewEvent stored(String type, String data) {
        return new NewEvent("stored " + type, type, data, Instant.EPOCH, EventMetadata.NONE);
    }
}
