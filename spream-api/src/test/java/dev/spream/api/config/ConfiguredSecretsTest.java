package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.core.Secrets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
            x://u:pw/with@all?of:it@h/d         | pw/with@all?of:it
            x://u:p%2Fw%25rd@h/d?mail=me@home   | p/w%rd
            x://u:literal%@h/d                  | literal%
            x://u:first+pw@h/d,x://v:second+pw@i/d  | first+pw
            M required password="quo\\"ted; p"; | quo"ted; p
            M required password = 'sin"gle p';  | sin"gle p
            """)
    void passwords_with_special_characters_are_masked(String login, String password) {
        ResolvedConfig.of(
                SpreamConfig.of(Map.of("a.client.login", login)),
                List.of(new ConfigSection("a", List.of(LOGIN), true)));
        assertThat(Secrets.mask("refused: " + password + " .")).isEqualTo("refused: ******** .");
    }

    @Test
    void passwords_of_urls_are_masked_as_they_were() {
        ResolvedConfig.of(
                SpreamConfig.of(Map.of("a.client.login", "jdbc:x://u:first-pw@h/d?sslpassword=second-pw&x=y")),
                List.of(new ConfigSection("a", List.of(LOGIN), true)));
        assertThat(Secrets.mask("first-pw second-pw x=y")).isEqualTo("******** ******** x=y");
    }
}
