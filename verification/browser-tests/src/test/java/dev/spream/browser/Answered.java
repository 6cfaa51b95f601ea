package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openqa.selenium.json.Json;

/**
 * The state of a subscription at one moment, queried directly from the process.
 *
 * @param partitions by token
 */
record Answered(Instant now, Map<String, Partition> partitions) {
    static final String ROOT = "Parent0";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** A partition; a child of the initial query has that as its parent, as the page shows it. */
    record Partition(String token, String state, List<String> parents) {}

    static Answered by(URI page) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(page.resolve("api/subscription"))
                .timeout(TIMEOUT)
                .build();
        var response = CLIENT.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        Map<?, ?> answer = new Json().toType(response.body(), Map.class);
        assertThat(answer.get("partitions_left_out")).as("what is left out").isEqualTo(0L);
        Map<String, Partition> partitions = JsonMembers.list(answer, "partitions").stream()
                .map(partition -> partition(JsonMembers.object(partition)))
                .collect(Collectors.toMap(Partition::token, partition -> partition));
        return new Answered(Instant.parse(JsonMembers.text(answer, "now")), partitions);
    }

    private static Partition partition(Map<?, ?> partition) {
        String token = JsonMembers.text(partition, "token");
        List<String> parents = JsonMembers.texts(partition, "parents");
        return new Partition(
                token,
                JsonMembers.text(partition, "state"),
                parents.isEmpty() && !token.equals(ROOT) ? List.of(ROOT) : parents);
    }
}
