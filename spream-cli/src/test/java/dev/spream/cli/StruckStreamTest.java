package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.cli.command.CauseConverter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StruckStreamTest {
    private static final ConfigKey<String> PASSWORD =
            ConfigKey.of("password", ConfigType.text(), "Proves it.").secret();
    private static final ConfigKey<String> URL = ConfigKey.of("url", ConfigType.text(), "Where it is.");
    private static final ConfigKey<List<String>> HEADERS =
            ConfigKey.of("headers", ConfigType.list(), "More.").secret();

    @Test
    void configured_secrets_are_masked_on_standard_error() {
        ConfigSection section = new ConfigSection("test", List.of(PASSWORD, URL, HEADERS), true);
        ResolvedConfig config = ResolvedConfig.of(
                SpreamConfig.of(Map.of(
                        "test.password", "c0rrecthorse",
                        "test.url", "jdbc:postgresql://me:b4ttery%2Fstaple@h/d?sslpassword=t1ckettoride",
                        "test.headers", "X-Api-Key: s3samopen, Authorization: Bearer n0tmine")),
                List.of(section));
        assertThat(config.problems()).isEmpty();

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream err = StruckStream.over(bytes);
        err.printf("refused c0rrecthorse at %s \u4e16%n", "b4ttery/staple");
        new IllegalStateException("with t1ckettoride, s3samopen, n0tmine").printStackTrace(err);

        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("refused ******** at ******** \u4e16", "with ********, ********, ********")
                .doesNotContain("c0rrecthorse", "b4ttery", "t1ckettoride", "s3samopen", "n0tmine");
    }

    @Test
    void the_row_that_a_database_refused_is_not_logged() {
        SQLException refused = new SQLException(
                "ERROR: null value in column \"paid\"\n  Detail: Failing row contains (17, Jane Doe).", "23502");
        LoggingEvent event = new LoggingEvent(
                "", new LoggerContext().getLogger("sink"), Level.WARN, "consumer failed", refused, new Object[0]);
        assertThat(new CauseConverter().convert(event))
                .isEqualTo(": SQLException: ERROR: null value in column \"paid\"");
    }
}
