package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class OrderProgramTest {
    private static final String URL = "jdbc:postgresql://db/shop?user=a&ssl=true";

    @Test
    void the_command_that_lists_the_outbox_is_one_for_a_shell() {
        assertThat(OrderProgram.listCommand(Map.of("DATABASE_URL", URL)))
                .isEqualTo("./spream outbox list --url '" + URL + "'");
        assertThat(OrderProgram.listCommand(Map.of("DATABASE_URL", URL, "DATABASE_USER", "o'neill")))
                .isEqualTo("./spream outbox list --url '" + URL + "' --user 'o'\\''neill'");
    }

    @Test
    void the_password_is_not_shown() {
        Map<String, String> environment =
                Map.of("DATABASE_URL", URL, "DATABASE_USER", "a", "DATABASE_PASSWORD", "secret");
        assertThat(OrderProgram.listCommand(environment))
                .isEqualTo("SPREAM_CONFIG_OUTBOX_JDBC_PASSWORD=\"$DATABASE_PASSWORD\" ./spream outbox list --url '"
                        + URL + "' --user 'a'");
    }
}
