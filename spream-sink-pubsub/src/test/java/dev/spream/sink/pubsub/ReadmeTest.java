package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginProvider;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the README of the module, whose list of keys is not generated, as the command line does not contain the
 * sink.
 */
final class ReadmeTest {
    private String readme;

    @BeforeEach
    void read() throws IOException {
        readme = Files.readString(Path.of("README.md"), UTF_8);
    }

    @Test
    void every_key_is_listed_with_its_default() {
        assertListed("sink.pubsub", new PubsubSinkProvider());
        assertListed("sender.pubsub", new PubsubSenderProvider());
        assertListed("event-source.pubsub", new PubsubEventSourceProvider());
    }

    private void assertListed(String prefix, PluginProvider<?> provider) {
        for (ConfigKey<?> key : provider.keys()) {
            assertThat(readme).contains("| `%s.%s` | ".formatted(prefix, key.name()));
            key.defaultValue()
                    .flatMap(value -> key.defaultText())
                    .ifPresent(text ->
                            assertThat(readme).contains("| `%s.%s` | `%s` |".formatted(prefix, key.name(), text)));
        }
    }

    @Test
    void every_attribute_is_listed() {
        ChangeMessages.OF_RECORDS
                .of(PubsubChanges.change(1, "a"), RecordingBatch.DELIVERY)
                .getFirst()
                .getAttributesMap()
                .keySet()
                .forEach(attribute -> assertThat(readme).contains("`%s`".formatted(attribute)));
    }
}
