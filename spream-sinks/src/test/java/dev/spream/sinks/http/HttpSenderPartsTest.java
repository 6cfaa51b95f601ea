package dev.spream.sinks.http;

import static dev.spream.sinks.http.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys, URLs and answers at their edges. */
final class HttpSenderPartsTest {

    @Test
    void keys_are_sent_as_they_are_unless_a_header_could_not_hold_them() {
        assertThat(IdempotencyKeyHeader.of(entry("2026-01-01T00:00:00Z/tx1/0001/2")))
                .isEqualTo("2026-01-01T00:00:00Z/tx1/0001/2");
        assertThat(IdempotencyKeyHeader.of(entry("\u6ce8\u6587 7\r\nX: y")))
                .isEqualTo("%E6%B3%A8%E6%96%87%207%0D%0AX:%20y");
        assertThat(IdempotencyKeyHeader.of(entry("a", 3))).isEqualTo("a~3");
    }

    @Test
    void no_two_entries_are_sent_with_the_same_key() {
        List<String> keys = List.of(
                "a", "a~2", "a%7E2", "a%257E2", "a~2~2", "a%", "a%25", "a ", "a%20", ".", "..", "%2E", "%2E%2E", "~",
                "\u00e9");
        Set<String> sent = new HashSet<>();
        Set<String> inUrls = new HashSet<>();
        for (String key : keys) {
            for (int generation = 1; generation <= 3; generation++) {
                sent.add(IdempotencyKeyHeader.of(entry(key, generation)));
                inUrls.add(IdempotencyKeyHeader.inUrl(entry(key, generation)));
            }
        }
        assertThat(sent).hasSize(keys.size() * 3).allMatch(key -> key.matches("[!-~]+"));
        assertThat(inUrls)
                .hasSize(keys.size() * 3)
                .allMatch(key -> key.matches("[A-Za-z0-9._~%-]+"))
                .doesNotContain(".", "..");
    }

    @Test
    void the_key_has_its_place_behind_the_host_alone() {
        assertThat(UrlTemplate.parse("url", "https://h:8443/a/{key}/b?c={key}").of(entry("x y")))
                .hasToString("https://h:8443/a/x%2520y/b?c=x%2520y");
        for (String text : List.of(
                "https://{key}/",
                "https://{key}.h/",
                "https://h:{key}/",
                "https://{key}@h/",
                "{key}://h/",
                "https://h/{id}",
                "https://h/{",
                "ftp://h/",
                "https:///a",
                "h/a",
                "",
                "https://h/#{key}",
                "https://user:s3cr3t@h/")) {
            assertThatThrownBy(() -> UrlTemplate.parse("query-url", text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("query-url: ")
                    .hasMessageNotContaining("s3cr3t");
        }
        assertThat(UrlTemplate.shown("https://h/s3cr3t/{key}")).isEqualTo("https://h/********");
        assertThat(UrlTemplate.parse("url", "https://h:1/s3cr3t")).hasToString("https://h:1");
    }

    @Test
    void an_answer_is_kept_as_json() {
        assertThat(kept(" {\"a\": [1, 2.50, null, true]}\n")).contains("{\"a\": [1, 2.50, null, true]}");
        assertThat(kept("[]")).contains("[]");
        assertThat(kept("7")).contains("7");
        assertThat(kept("taken\n\"well\"")).contains("\"taken\\n\\\"well\\\"\"");
        assertThat(kept("{\"a\": 1}}")).contains("\"{\\\"a\\\": 1}}\"");
        assertThat(kept("")).isEmpty();
        assertThat(kept(" \r\n")).isEmpty();
        assertThat(ResponseText.of(Optional.empty())).isEmpty();
        assertThat(ResponseText.of(Optional.of(new byte[] {'"', (byte) 0xff, '"'})))
                .isEmpty();
    }

    @Test
    void nothing_is_kept_that_jsonb_refuses() {
        for (String answer : List.of(
                "{\"a\": \"\\u0000\"}",
                "{\"\\u0000\": 1}",
                "[\"\\ud800\"]",
                "[\"\\udc00\\ud800\"]",
                "no json\0",
                "1e999999",
                "-1E+2000",
                "1e-20000")) {
            assertThat(kept(answer)).as(answer).isEmpty();
        }
        assertThat(kept("1e99999999999"))
                .as("no number that can be read, so text")
                .contains("\"1e99999999999\"");
        assertThat(kept("[\"\\ud83d\\ude00\"]")).contains("[\"\\ud83d\\ude00\"]");
    }

    private static Optional<String> kept(String body) {
        return ResponseText.of(Optional.of(body.getBytes(StandardCharsets.UTF_8)));
    }
}
