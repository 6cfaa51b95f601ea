package dev.spream.sinks.http;

import dev.spream.outbox.SendOutcome;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Answers that no server gave. */
final class Answers {
    private Answers() {}

    static SendOutcome judge(SendResponseMapper judge, int status) {
        HttpOutcome.Head head = new HttpOutcome.Head(status, HttpHeaders.of(Map.of(), (name, value) -> true));
        return judge.judge(new HttpOutcome.Answered(head, Optional.empty()), true, Duration.ofSeconds(1));
    }
}
