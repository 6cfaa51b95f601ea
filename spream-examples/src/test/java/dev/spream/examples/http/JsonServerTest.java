package dev.spream.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.HttpAddress;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a server's responses to requests, byte by byte. */
@Timeout(60)
final class JsonServerTest {
    private static final String BODY = "Content-Length: 2\r\n\r\n"; // which is the end of the line that follows

    private JsonServer server;

    @BeforeEach
    void start() throws IOException {
        server = JsonServer.start("test", HttpAddress.parse("0"), JsonServerTest::echo);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Optional<Answer> echo(Call call) {
        String text = "%s %s %s %s at %s"
                .formatted(call.method(), call.path(), call.query(), call.headers("X-User-Id"), call.rawPath());
        return Optional.of(Answer.text(Answer.OK, "text/plain; charset=utf-8", text));
    }

    private String answer(String requestLine, String header) throws IOException {
        return answer(requestLine, header, "localhost");
    }

    private String answer(String requestLine, String header, String host) throws IOException {
        try (Socket socket = new Socket(server.uri().getHost(), server.uri().getPort())) {
            String request = requestLine + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + header + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void a_browser_is_refused_that_was_led_here_by_another_name_or_another_page() throws IOException {
        assertThat(answer("GET /", "")).startsWith("HTTP/1.1 200 ");
        assertThat(answer("POST /", "Origin: http://localhost\r\n")).startsWith("HTTP/1.1 200 ");
        assertThat(answer("POST /", "Origin: http://evil.example\r\n")).startsWith("HTTP/1.1 403 ");
        assertThat(answer("POST /", "Origin: null\r\n")).startsWith("HTTP/1.1 403 ");
        assertThat(answer("GET /", "", "evil.example")).startsWith("HTTP/1.1 421 ");
        assertThat(answer("GET /", "", "127.0.0.1.evil.example:80")).startsWith("HTTP/1.1 421 ");
        assertThat(answer("GET /", "", "127.0.0.1:80")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_body_is_refused_that_is_not_said_to_be_json_in_utf_8() throws IOException {
        for (String json : new String[] {
            "application/json", "Application/JSON; Charset=\"UTF-8\"", "application/json;v=1 ; charset=utf-8"
        }) {
            assertThat(answer("PUT /", "Content-Type: " + json + "\r\n" + BODY)).startsWith("HTTP/1.1 200 ");
        }
        for (String other : new String[] {
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json-seq",
            "application/json; charset=latin1",
            "application/json; charset=utf-8; charset=utf-16",
            "text/plain; application/json",
            ";",
            "",
            "application/json\r\nContent-Type: text/plain"
        }) {
            assertThat(answer("POST /", "Content-Type: " + other + "\r\n" + BODY))
                    .as(other)
                    .startsWith("HTTP/1.1 415 ")
                    .contains("send the header Content-Type: application/json");
        }
        assertThat(answer("DELETE /", BODY)).startsWith("HTTP/1.1 415 ");
        assertThat(answer("POST /", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"))
                .startsWith("HTTP/1.1 415 ");
        assertThat(answer("POST /", "Content-Type: text/plain\r\nContent-Length: 0\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_character_that_databases_do_not_hold_is_refused_wherever_it_is() throws IOException {
        assertThat(answer("GET /a%00b", ""))
                .startsWith("HTTP/1.1 400 ")
                .contains("the path contains the character U+0000");
        assertThat(answer("GET /?word=a%00b", ""))
                .startsWith("HTTP/1.1 400 ")
                .contains("the query contains the character U+0000");
        assertThat(answer("GET /a%01b", "")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_request_has_the_correlation_id_of_its_caller_or_one_of_its_own() throws IOException {
        server.close();
        server = JsonServer.start(
                "test",
                HttpAddress.parse("0"),
                call -> Optional.of(
                        Answer.text(Answer.OK, "text/plain", call.correlationId() + " " + call.correlationId())));
        assertThat(answer("GET /", "X-Correlation-Id: order-7:a.b_c\r\n"))
                .contains("\r\n\r\norder-7:a.b_c order-7:a.b_c");
        assertThat(answer("GET /", "")).containsPattern("\r\n([0-9a-f-]{36}) \\1\n");
        for (String refused : new String[] {"a b", "", "ä", "x".repeat(65)}) {
            assertThat(answer("GET /", "X-Correlation-Id: " + refused + "\r\n")).startsWith("HTTP/1.1 400 ");
        }
        assertThat(answer("GET /", "X-Correlation-Id: a\r\nX-Correlation-Id: b\r\n"))
                .startsWith("HTTP/1.1 400 ");
    }

    @Test
    void a_path_is_shown_without_control_characters() throws IOException {
        assertThat(answer("GET /a%1b%0ab", "")).contains("at /a%1b%0ab\n");
        assertThat(answer("GET /a\u001bb", "")).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void a_header_is_read_as_utf_8() throws IOException {
        String name = new String("Jürgen 水".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(answer("GET /", "X-User-Id: " + name + "\r\n")).contains("[Jürgen 水]");
        assertThat(answer("GET /", "X-User-Id: J\u00fcrgen\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("the header X-User-Id is not valid UTF-8");
    }

    @Test
    void a_head_is_answered_like_a_get_without_its_body() throws IOException {
        String got = answer("GET /a", "");
        String head = answer("HEAD /a", "");
        assertThat(head).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
        assertThat(contentLength(head)).isEqualTo(contentLength(got));
        assertThat(got).endsWith("GET /a {} [] at /a\n");
    }

    private static String contentLength(String answer) {
        return answer.lines()
                .filter(line -> line.regionMatches(true, 0, "Content-Length:", 0, 15))
                .findFirst()
                .orElseThrow();
    }
}
