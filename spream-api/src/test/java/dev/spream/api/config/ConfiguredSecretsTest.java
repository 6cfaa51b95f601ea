package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.core.Secrets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfiguredSecretsTest {
    private static final ConfigKey<String> LOGIN =
            ConfigKey.of("client.login", ConfigType.text(), "A login module.").secret();

    @Test
    void the_quoted_password_of_a_login_module_is_masked_by_itself() {
        ResolvedConfig.of(
                SpreamConfig.of(
                        Map.of("a.client.login", "PlainLoginModule required username=\"u\" password=\"t0p; s3cr3t\";")),
                List.of(new ConfigSection("a", List.of(LOGIN), true)));
        assertThat(Secrets.mask("refused: t0p; s3cr3t")).isEqualTo("refused: ********");
    }

    @Test
    void passwords_of_urls_are_masked_as_they_were() {
        ResolvedConfig.of(
                SpreamConfig.of(Map.of("a.client.login", "jdbc:x://u:first-pw@h/d?sslpassword=second-pw&x=y")),
                List.of(new ConfigSection("a", List.of(LOGIN), true)));
        assertThat(Secrets.mask("first-pw second-pw x=y")).isEqualTo("******** ******** x=y");
    }
}
