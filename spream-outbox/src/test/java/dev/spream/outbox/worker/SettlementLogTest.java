package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The fields by which logs of settlements are searched; each line has all that there are. */
final class SettlementLogTest {
    private static final OutboxClaim CLAIM = claim();
    private static final String LABEL =
            "[host] outbox_id=17 idempotency_key=ba7816bf8f01 attempts=2 adapter=http status=";

    private final SettlementLog log = new SettlementLog(OutboxOwner.of("host"), Map.of("", "http"));
    private final Logger logger = (Logger) LoggerFactory.getLogger(SettlementLog.class);
    private final Level before = logger.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private static OutboxClaim claim() {
        OutboxEntry entry = new OutboxEntry(
                17,
                "abc",
                1,
                "d",
                "{\"secret\":1}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
        return new OutboxClaim(entry, 3, 2, false, Instant.EPOCH);
    }

    @BeforeEach
    void listen() {
        logger.setLevel(Level.DEBUG);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        logger.setLevel(before);
    }

    @Test
    void a_succeeded_or_released_entry_is_logged_at_debug() {
        assertLine(
                new Settlement.Succeeded(CLAIM.ref(), LedgerResult.succeeded("{\"secret\":2}")),
                Level.DEBUG,
                "succeeded latency_ms=45");
        assertLine(new Settlement.Released(CLAIM.ref()), Level.DEBUG, "pending latency_ms=45");
    }

    @Test
    void an_entry_that_failed_is_a_warning_with_its_reason() {
        assertLine(
                new Settlement.Failed(
                        CLAIM.ref(), ReasonCode.UNAVAILABLE, "connection refused", Duration.ofSeconds(5), true),
                Level.WARN,
                "failed reason_code=UNAVAILABLE outcome_unknown=true latency_ms=45: connection refused");
    }

    @Test
    void an_entry_that_ends_or_waits_for_people_is_an_error_with_its_reason() {
        assertLine(
                new Settlement.Aborted(CLAIM.ref(), LedgerResult.failed(ReasonCode.REJECTED), "no such article"),
                Level.ERROR,
                "aborted reason_code=REJECTED latency_ms=45: no such article");
        assertLine(
                new Settlement.Parked(CLAIM.ref(), ReasonCode.TIMEOUT, "no answer", true),
                Level.ERROR,
                "failed reason_code=TIMEOUT outcome_unknown=true latency_ms=45: no answer");
    }

    private void assertLine(Settlement settlement, Level level, String fields) {
        lines.list.clear();
        log.settled(CLAIM, settlement, 45);
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(level);
            assertThat(line.getFormattedMessage()).startsWith(LABEL + fields).doesNotContain("secret", "abc");
        });
    }
}
