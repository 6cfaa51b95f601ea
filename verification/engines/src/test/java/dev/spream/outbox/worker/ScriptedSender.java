package dev.spream.outbox.worker;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A sender that does what a test says, and remembers what it was asked for. Safe for use by many threads. */
final class ScriptedSender implements OutboxSender {

    /** The outcome of each call. */
    interface Script {
        SendOutcome send(OutboxEntry entry, int call) throws Exception;
    }

    /** The answer to each query. */
    interface Answers {
        QueryOutcome query(OutboxEntry entry, int call) throws Exception;
    }

    static final SendOutcome OK = new SendOutcome.Succeeded(LedgerResult.succeeded("{\"accepted\":true}"));
    static final SendOutcome DOWN = new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "connection refused");
    static final SendOutcome REJECTED = new SendOutcome.Permanent(ReasonCode.REJECTED, "no such article");
    static final SendOutcome LOST = new SendOutcome.Unknown(ReasonCode.TIMEOUT, "no answer");

    private final Guarantee guarantee;
    private final Script script;
    private final Answers answers;
    private final AtomicInteger sending = new AtomicInteger();
    private final AtomicInteger mostSending = new AtomicInteger();

    /** The keys of what was sent, in the order in which the calls began. */
    final List<String> sent = new CopyOnWriteArrayList<>();

    /** The same of what was asked for. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    ScriptedSender(Guarantee guarantee, Script script, Answers answers) {
        this.guarantee = guarantee;
        this.script = script;
        this.answers = answers;
    }

    static ScriptedSender idempotent(Script script) {
        return new ScriptedSender(Guarantee.IDEMPOTENT, script, ScriptedSender::notAsked);
    }

    /** The first outcome for the first call of each key, and so on; the last one repeats. */
    static ScriptedSender idempotent(SendOutcome... outcomes) {
        return of(Guarantee.IDEMPOTENT, outcomes);
    }

    static ScriptedSender of(Guarantee guarantee, SendOutcome... outcomes) {
        return new ScriptedSender(
                guarantee, (entry, call) -> outcomes[Math.min(call, outcomes.length) - 1], ScriptedSender::notAsked);
    }

    private static QueryOutcome notAsked(OutboxEntry entry, int call) {
        throw new AssertionError("no query is expected for " + entry);
    }

    @Override
    public Guarantee guarantee() {
        return guarantee;
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
        sent.add(entry.idempotencyKey());
        mostSending.accumulateAndGet(sending.incrementAndGet(), Math::max);
        try {
            return script.send(entry, times(sent, entry));
        } finally {
            sending.decrementAndGet();
        }
    }

    @Override
    public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        asked.add(entry.idempotencyKey());
        return answers.query(entry, times(asked, entry));
    }

    private static int times(List<String> calls, OutboxEntry entry) {
        return (int) calls.stream().filter(entry.idempotencyKey()::equals).count();
    }

    int mostSending() {
        return mostSending.get();
    }

    int sending() {
        return sending.get();
    }
}
