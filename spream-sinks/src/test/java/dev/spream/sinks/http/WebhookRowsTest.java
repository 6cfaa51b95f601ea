package dev.spream.sinks.http;

import static dev.spream.sinks.SinkChanges.DELIVERY;
import static dev.spream.sinks.SinkChanges.inserted;
import static dev.spream.sinks.SinkChanges.updated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sinks.TestConfig;
import dev.spream.sinks.TestContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the webhook with a request for each row: another format than the documentation's record. */
@Timeout(60)
final class WebhookRowsTest {
    private static final DataChangeRecord THREE = updated(1, "1", "2", "3");

    private static WebhookSink sink(LoopbackServer server, Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("url", server.url("/"));
        WebhookSinkProvider provider = new WebhookSinkProvider();
        TestConfig config = TestConfig.of(provider, values);
        assertThat(provider.problems(config)).isEmpty();
        return (WebhookSink) provider.create(config, new TestContext());
    }

    private static List<String> bodies(LoopbackServer server) {
        return server.requests().stream().map(LoopbackServer.Request::body).toList();
    }

    private static String row(int id) {
        return "{\"Id\":%d,\"Note\":\"secret note\"}".formatted(id);
    }

    @Test
    void each_row_is_a_request_with_an_identity_of_its_own_in_the_order_of_the_rows() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(204);
                WebhookSink sink = sink(server, Map.of("format", "after"))) {
            sink.consume(THREE, DELIVERY);
            assertThat(bodies(server)).containsExactly(row(1), row(2), row(3));
            for (int i = 0; i < 3; i++) {
                LoopbackServer.Request request = server.requests().get(i);
                assertThat(request.header("Idempotency-Key")).isEqualTo(THREE.identity() + "/" + i);
                assertThat(request.header("Spream-Mod-Index")).isEqualTo(String.valueOf(i));
                assertThat(request.header("Spream-Number-Of-Mods")).isEqualTo("3");
                assertThat(request.header("Spream-Table")).isEqualTo("Orders");
                assertThat(request.header("Spream-Mod-Type")).isEqualTo("UPDATE");
                assertThat(request.header("Spream-Commit-Timestamp")).isEqualTo("2026-01-01T00:00:01.000000000Z");
                assertThat(request.header("Content-Type")).isEqualTo("application/json");
            }
        }
    }

    @Test
    void a_cloud_event_has_its_content_type() throws Exception {
        Map<String, String> events = Map.of(
                "format", "cloudevents",
                "source-database", "projects/p/instances/i/databases/d",
                "source-stream", "Changes");
        try (LoopbackServer server = LoopbackServer.answering(204);
                WebhookSink sink = sink(server, events)) {
            sink.consume(THREE, DELIVERY);
            assertThat(server.requests())
                    .hasSize(3)
                    .allMatch(request -> request.header("Content-Type").equals("application/cloudevents+json"));
        }
    }

    @Test
    void a_change_is_settled_when_all_rows_were_accepted_and_begins_with_the_first_again() throws Exception {
        List<Integer> statuses = new ArrayList<>(List.of(204, 503, 204, 204, 204));
        try (LoopbackServer server = LoopbackServer.start(
                        (exchange, request) -> LoopbackServer.respond(exchange, statuses.removeFirst(), ""));
                WebhookSink sink = sink(server, Map.of("format", "after"))) {
            assertThatThrownBy(() -> sink.consume(THREE, DELIVERY))
                    .hasMessageContaining(
                            "responded with status 503 to row 2 of the 3 of the change " + THREE.identity())
                    .hasMessageNotContaining("secret");
            assertThat(bodies(server)).as("nothing overtakes a refused row").containsExactly(row(1), row(2));
            assertThatCode(() -> sink.consume(THREE, DELIVERY)).doesNotThrowAnyException();
            assertThat(bodies(server)).containsExactly(row(1), row(2), row(1), row(2), row(3));
            assertThat(server.requests())
                    .extracting(request -> request.header("Idempotency-Key"))
                    .as("a repeated row has the same identity")
                    .containsExactly(
                            THREE.identity() + "/0",
                            THREE.identity() + "/1",
                            THREE.identity() + "/0",
                            THREE.identity() + "/1",
                            THREE.identity() + "/2");
        }
    }

    @Test
    void a_row_that_is_refused_for_good_refuses_the_change() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(422);
                WebhookSink sink = sink(server, Map.of("format", "after"))) {
            assertThatThrownBy(() -> sink.consume(THREE, DELIVERY)).isInstanceOf(NonRetryableException.class);
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void a_change_that_the_format_refuses_is_not_sent() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(204);
                WebhookSink sink = sink(server, Map.of("format", "after"))) {
            DataChangeRecord captured =
                    ChangeRecordJson.readDataChange(THREE.toJson().replace("NEW_ROW", "NEW_VALUES"));
            assertThatThrownBy(() -> sink.consume(captured, DELIVERY)).isInstanceOf(NonRetryableException.class);
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void the_record_is_sent_whole_as_before() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(204);
                WebhookSink sink = sink(server, Map.of("format", "record"))) {
            sink.consume(THREE, DELIVERY);
            sink.consume(inserted(2, "1"), DELIVERY);
            assertThat(bodies(server))
                    .containsExactly(THREE.toJson(), inserted(2, "1").toJson());
            assertThat(server.requests()).allMatch(request -> request.headers().get("Spream-Mod-Index") == null);
        }
    }
}
