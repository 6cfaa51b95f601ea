package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spream.core.StorageException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class UnansweredRequestsTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final UnansweredRequests requests = new UnansweredRequests(() -> now);
    private final Logger logger = (Logger) LoggerFactory.getLogger(UnansweredRequests.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void fail(int count) {
        for (int i = 0; i < count; i++) {
            requests.failed("GET /search", "GET /search", "c-" + i, new StorageException("no answer", true, null));
        }
    }

    @Test
    void an_outage_is_said_once_with_its_cause_then_counted_and_said_to_be_over() {
        requests.answered("GET /search");
        fail(500);
        assertThat(said())
                .containsExactly(
                        "GET /search could not be answered (correlation id c-0); others of GET /search are counted until one is answered");
        assertThat(lines.list.getFirst().getThrowableProxy()).isNotNull();
        now = now.plusSeconds(60);
        fail(2);
        assertThat(said()).last().isEqualTo("501 requests of GET /search could not be answered so far; no answer");
        assertThat(lines.list.getLast().getThrowableProxy()).isNull();
        requests.answered("GET /entries");
        requests.answered("GET /search");
        requests.answered("GET /search");
        assertThat(said())
                .hasSize(3)
                .last()
                .isEqualTo("GET /search answers again, after 502 requests that could not be answered");
    }
}
