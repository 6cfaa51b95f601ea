package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginProvider;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of docs/kafka.md, whose list of keys is not generated, as the command line does not contain the sink. */
final class GuideTest {
    private String guide;

    @BeforeEach
    void read() throws IOException {
        guide = Files.readString(Path.of("../docs/kafka.md"), UTF_8);
    }

    @Test
    void every_key_is_listed_with_its_default() {
        assertListed("sink.kafka", new KafkaSinkProvider());
        assertListed("sender.kafka", new KafkaSenderProvider());
    }

    private void assertListed(String prefix, PluginProvider<?> provider) {
        assertThat(guide).contains("| `%s.client.<property>` | ".formatted(prefix));
        for (ConfigKey<?> key : provider.keys()) {
            if (!key.name().startsWith("client.")) {
                assertThat(guide).contains("| `%s.%s` | ".formatted(prefix, key.name()));
                key.defaultValue()
                        .flatMap(value -> key.defaultText())
                        .ifPresent(text ->
                                assertThat(guide).contains("| `%s.%s` | `%s` |".formatted(prefix, key.name(), text)));
            }
        }
    }

    @Test
    void every_header_is_listed() {
        RowMessages messages = new RowMessages(
                TopicTemplate.parse("a"), Optional.of("d"), Optional.of("s"), Optional.of(ChangeFormat.after(true)));
        for (Header header : messages.of(KafkaChanges.change(1, "a"), RecordingBatch.DELIVERY)
                .getFirst()
                .headers()) {
            assertThat(guide).contains("`%s`".formatted(header.key()));
        }
    }

    @Test
    void every_property_in_an_example_exists() {
        assertThat(Pattern.compile("(?m)^s(ink|ender)\\.kafka\\.client\\.([a-z.]+) =")
                        .matcher(guide)
                        .results()
                        .map(found -> found.group(2)))
                .isNotEmpty()
                .allSatisfy(property -> assertThat(ClientProperties.KEYS).containsKey(property));
    }
}
