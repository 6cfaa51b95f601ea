package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.examples.TransferExample.Outcome;
import dev.spream.servers.PostgresDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class TransferExampleIT {
    private static final int PROCESSES = 2;
    private static final int TRANSFERS = 150;

    private final String url = PostgresDatabase.create().jdbcUrl();

    @Test
    @Tag("proof")
    void processes_lose_money_without_locks() throws Exception {
        Outcome without = TransferExample.run(url, PROCESSES, TRANSFERS, false);

        assertThat(without.lostWrites()).as("%s", without).isPositive();
    }

    @Test
    void processes_lose_no_money_with_locks() throws Exception {
        Outcome with = TransferExample.run(url, PROCESSES, TRANSFERS, true);

        assertThat(with.lostWrites()).as("%s", with).isZero();
        assertThat(with.moneyAfter()).as("%s", with).isEqualTo(with.moneyBefore());
    }
}
