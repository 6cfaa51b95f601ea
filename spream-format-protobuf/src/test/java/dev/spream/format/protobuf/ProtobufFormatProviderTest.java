package dev.spream.format.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ProtobufFormatProviderTest {
    private final ProtobufFormatProvider provider = new ProtobufFormatProvider();

    @Test
    void a_key_without_an_effect_is_a_problem() {
        assertThat(provider.problems(Config.of("shape", "after"))).isEmpty();
        assertThat(provider.problems(Config.of("schema-registry.register", "false")))
                .containsExactly("schema-registry.register: used with schema-registry.url only");
    }

    @Test
    void the_page_of_the_formats_has_every_key() throws IOException {
        String page = Files.readString(Path.of("../docs/formats.md"));
        provider.keys()
                .forEach(key -> assertThat(page)
                        .contains("| `format.protobuf.%s` | %s | "
                                .formatted(
                                        key.name(),
                                        key.defaultText().map("`%s`"::formatted).orElse("none"))));
    }

    @Test
    void the_password_is_a_secret() {
        assertThat(provider.keys().stream().filter(ConfigKey::isSecret))
                .extracting(ConfigKey::name)
                .containsExactly("schema-registry.password");
    }
}
