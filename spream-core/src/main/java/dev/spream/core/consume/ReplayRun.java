package dev.spream.core.consume;

import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One replay: what became of the letters so far. Confined to one thread. */
final class ReplayRun {
    private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);

    private final DeadLetterStore store;
    private final Consumer consumer;
    private final boolean evenIfOvertaken;

    private final Map<RecordIdentity, Throwable> refused = new LinkedHashMap<>();
    private final Set<RecordKey> blocked = new HashSet<>();
    private final Set<RecordKey> released = new HashSet<>();
    private final List<RecordIdentity> overtaken = new ArrayList<>();
    private int replayed;
    private int left;

    ReplayRun(DeadLetterStore store, Consumer consumer, boolean evenIfOvertaken) {
        this.store = store;
        this.consumer = consumer;
        this.evenIfOvertaken = evenIfOvertaken;
    }

    ReplayResult result() {
        List<ReplayResult.Refusal> refusals = refused.entrySet().stream()
                .map(entry -> new ReplayResult.Refusal(entry.getKey(), entry.getValue()))
                .toList();
        return new ReplayResult(replayed, refusals, overtaken, left, released);
    }

    /** Goes through the letters once, and says whether the consumer took any. */
    boolean handOver(List<DeadLetterStore.Entry> letters) throws Exception {
        int before = replayed;
        overtaken.clear();
        left = 0;
        for (DeadLetterStore.Entry letter : letters) {
            if (letter.overtaken() && !evenIfOvertaken) {
                overtaken.add(letter.identity());
            } else if (!Collections.disjoint(blocked, letter.keys())) {
                leave(letter);
            } else {
                handOver(letter);
            }
        }
        return replayed > before;
    }

    private void handOver(DeadLetterStore.Entry letter) throws Exception {
        Optional<DeadLetterStore.Claim> claimed = store.claim(letter.identity(), evenIfOvertaken);
        if (claimed.isEmpty()) {
            leave(letter);
            return;
        }
        try (DeadLetterStore.Claim claim = claimed.get()) {
            if (isTaken(claim.letter())) {
                claim.replayed();
                replayed++;
            } else {
                blocked.addAll(letter.keys());
            }
        }
    }

    private void leave(DeadLetterStore.Entry letter) {
        blocked.addAll(letter.keys());
        left += refused.containsKey(letter.identity()) ? 0 : 1;
    }

    private boolean isTaken(StoredLetter letter) throws InterruptedException {
        try {
            int attempt =
                    1 + letter.failure().map(StoredLetter.Failure::attempts).orElse(0);
            consumer.consume(letter.change(), Delivery.ofReplay(letter.partition(), attempt));
            consumer.flush();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            log.warn(
                    "the consumer refused {} again; its letter stays open, and so does what follows it on its keys",
                    letter.change().identity(),
                    t);
            refused.put(letter.change().identity(), t);
            return false;
        }
    }

    /** Releases what has no letter any more, and says whether that was so for every key that was not blocked. */
    boolean release(Set<RecordKey> keys) throws Exception {
        boolean all = true;
        for (RecordKey key : keys) {
            if (!blocked.contains(key)) {
                boolean free = store.release(Set.of(key));
                all &= free;
                if (free) {
                    released.add(key);
                }
            }
        }
        return all;
    }
}
