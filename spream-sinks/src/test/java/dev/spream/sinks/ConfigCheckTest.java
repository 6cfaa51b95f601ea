package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ConfigCheck;
import dev.spream.api.config.SpreamConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the check, which opens nothing, rejects what a run would reject when it opens its parts. */
final class ConfigCheckTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sink=webhook;sink.webhook.url=https://a/b;sink.webhook.headers=no-colon"
                        + " | sink.webhook.headers: number 1 is not of the form Name: value",
                "sink=webhook;sink.webhook.url=https://a/b;sink.webhook.headers=Host: b"
                        + " | sink.webhook.headers: Host is set by spream itself",
                "sink=webhook;sink.webhook.url=https://u:p@a/b"
                        + " | expected URL, http or https; user and password belong in sink.webhook.authorization",
                "sink=webhook;sink.webhook.url=ftp://a/b | expected URL, http or https;",
                "sink=jsonl;sink.jsonl.path=/proc/x.jsonl | sink.jsonl.path: /proc/x.jsonl cannot be written: the file system",
                "sink=jsonl;sink.jsonl.path=/nowhere/x.jsonl"
                        + " | sink.jsonl.path: the folder of /nowhere/x.jsonl does not exist; create it",
                "sink=log;dead-letters=jsonl;dead-letters.jsonl.path=/proc/x.jsonl"
                        + " | dead-letters.jsonl.path: /proc/x.jsonl cannot be written",
                "outbox=jdbc;sender=http;sender.http.url=https://a/b;sender.http.headers=no-colon"
                        + " | sender.http.headers: number 1 is not of the form Name: value"
            })
    void the_check_finds_the_problems_of_a_run(String settings, String problem) {
        SpreamConfig.Builder config = SpreamConfig.builder();
        for (String setting : List.of(settings.split(";"))) {
            String[] parts = setting.split("=", 2);
            config.set(parts[0], parts[1]);
        }
        List<String> problems = ConfigCheck.of(config.build()).problems();
        assertThat(problems)
                .anyMatch(found -> found.contains(problem))
                .noneMatch(found -> found.contains("u:p"))
                .noneMatch(found -> found.contains("no-colon"));
    }

    @Test
    void problems_list_the_available_plugins() {
        SpreamConfig config = SpreamConfig.of(Map.of("sink", "stduot", "dead-letters", "nowhere"));
        assertThat(ConfigCheck.of(config).problems())
                .anySatisfy(problem ->
                        assertThat(problem).contains("did you mean stdout?", "Found: ", "log (", "webhook ("))
                .anySatisfy(problem -> assertThat(problem).contains("dead-letters is 'nowhere'", "Found: jsonl"));
    }

    @Test
    void keys_of_sinks_that_are_not_chosen_may_stay() {
        SpreamConfig config = SpreamConfig.of(
                Map.of("sink", "stdout", "dead-letters.jsonl.path", "letters.jsonl", "sink.log.level", "loud"));
        assertThat(ConfigCheck.of(config).problems())
                .noneMatch(problem -> problem.contains("jsonl") || problem.contains("sink.log"));
    }
}
