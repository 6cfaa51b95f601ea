package dev.spream.emulator.internal.upstream;

import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CommitResponse;
import dev.spream.emulator.internal.database.WireTimestamps;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The transaction tags of the commits that pass through, which Google's emulator does not record. Safe for use by many
 * threads.
 */
final class CommitTags {
    private static final long ANSWER_SECONDS = 5;

    private final Set<CompletableFuture<Void>> running = ConcurrentHashMap.newKeySet();
    private final ConcurrentSkipListMap<Instant, String> tags = new ConcurrentSkipListMap<>();

    /** Makes a commit and keeps its tag, if it has one. */
    @SuppressWarnings("CollectionUndefinedEquality") // the set holds futures by identity
    CommitResponse during(CommitRequest request, Function<CommitRequest, CommitResponse> commit) {
        String tag = request.getRequestOptions().getTransactionTag();
        if (tag.isEmpty()) {
            return commit.apply(request);
        }
        CompletableFuture<Void> answered = new CompletableFuture<>();
        running.add(answered);
        try {
            CommitResponse response = commit.apply(request);
            tags.put(WireTimestamps.instant(response.getCommitTimestamp()), tag);
            return response;
        } finally {
            running.remove(answered);
            answered.complete(null);
        }
    }

    /** Waits for the answers to the commits that are running now, so that their tags are known; not without a limit. */
    void awaitAnswers() {
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, ANSWER_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** Returns the tag of a commit, or an empty text. */
    String of(Instant commitTimestamp) {
        return tags.getOrDefault(commitTimestamp, "");
    }

    /** Forgets the tags of the commits up to that time. */
    void forget(Instant until) {
        tags.headMap(until, true).clear();
    }
}
