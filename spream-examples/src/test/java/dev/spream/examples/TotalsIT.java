package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.projection.SqlProjectionTester;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TotalsIT {
    @Test
    void accounts_of_a_customer_have_one_total() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            var tester = SqlProjectionTester.of(Totals.TOTALS, postgres.getPostgresDatabase())
                    .given("account-1", Totals.EVENTS.newEvents(new Totals.MoneyMoved("ann", 100)))
                    .given("account-2", Totals.EVENTS.newEvents(new Totals.MoneyMoved("ann", -30)))
                    .given("account-3", Totals.EVENTS.newEvents(new Totals.MoneyMoved("bob", 5)));
            assertThat(tester.rows("SELECT customer, cents FROM customer_totals ORDER BY customer"))
                    .containsExactly(List.of("ann", 70L), List.of("bob", 5L));
        }
    }
}
