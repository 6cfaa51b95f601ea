package dev.spream.sinks.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.ConfigReference;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paths and queries of the URL may be secret. */
final class WebhookUrlTest {
    @ParameterizedTest
    @CsvSource({
        "https://hooks.example.com:8443/hunter2?sig=hunter2,https://hooks.example.com:8443/********",
        "https://hooks.example.com/,https://hooks.example.com/",
        "https://hooks.example.com/hunter2 hunter2,https://********",
        "https://hunter2@hooks.example.com/,https://hooks.example.com/********",
        "hooks.example.com/hunter2,********",
        "'https://hooks.example.com/${env:FOUND}/hunter2','********${env:FOUND}********'",
    })
    void of_the_url_of_a_webhook_no_more_than_the_host_is_shown(String written, String seen) {
        var config = SpreamConfig.builder()
                .environment(Map.of("FOUND", "hunter2"))
                .flag("sink.webhook.url", written)
                .build();
        for (boolean inUse : List.of(true, false)) {
            var sink = new ConfigSection("sink.webhook", new WebhookSinkProvider().keys(), inUse);
            var resolved = ResolvedConfig.of(config, List.of(sink));
            assertThat(List.of(
                            config.toString(),
                            resolved.toString(),
                            resolved.problems().toString(),
                            ConfigReference.text(resolved.entries()),
                            ConfigReference.markdown(resolved.entries()),
                            resolved.entries().toString()))
                    .noneMatch(text -> text.contains("hunter2"));
            assertThat(resolved.describe("sink.webhook.url"))
                    .isEqualTo("sink.webhook.url is '%s' (--sink.webhook.url)".formatted(seen));
        }
    }
}
