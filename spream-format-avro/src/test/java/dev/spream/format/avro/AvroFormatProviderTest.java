package dev.spream.format.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AvroFormatProviderTest {
    private static List<String> problems(String... config) {
        return new AvroFormatProvider().problems(Config.of(config));
    }

    @Test
    void a_fitting_configuration_has_no_problem() {
        assertThat(problems()).isEmpty();
        assertThat(problems("shape", "after", "timestamps", "micros")).isEmpty();
        assertThat(problems(
                        "schema-registry.url",
                        "https://registry/api",
                        "schema-registry.user",
                        "a",
                        "schema-registry.password",
                        "b"))
                .isEmpty();
    }

    @Test
    void a_key_without_an_effect_is_a_problem() {
        assertThat(problems("timestamps", "micros"))
                .containsExactly("timestamps: used by shape=after only, and the shape is record");
        assertThat(problems("schema-registry.register", "false", "schema-registry.timeout", "1s"))
                .containsExactly(
                        "schema-registry.register: used with schema-registry.url only",
                        "schema-registry.timeout: used with schema-registry.url only");
        assertThat(problems("schema-registry.url", "https://registry", "schema-registry.user", "a"))
                .containsExactly(
                        "schema-registry.user: configure schema-registry.password as well, or neither of them");
        assertThat(problems("schema-registry.url", "https://u:p@registry"))
                .singleElement()
                .asString()
                .startsWith("schema-registry.url: user and password belong in")
                .doesNotContain("u:p");
    }

    @Test
    void the_page_of_the_formats_has_every_key() throws IOException {
        String page = Files.readString(Path.of("../docs/formats.md"));
        new AvroFormatProvider()
                .keys()
                .forEach(key -> assertThat(page)
                        .contains(key.defaultText()
                                .map(text -> "| `format.avro.%s` | `%s` | "
                                        .formatted(key.name(), text.replace("the value of ", "")))
                                .orElse("| `format.avro.%s` | none | ".formatted(key.name()))));
    }

    @Test
    void the_password_is_a_secret() {
        assertThat(new AvroFormatProvider().keys().stream().filter(ConfigKey::isSecret))
                .extracting(ConfigKey::name)
                .containsExactly("schema-registry.password");
    }
}
