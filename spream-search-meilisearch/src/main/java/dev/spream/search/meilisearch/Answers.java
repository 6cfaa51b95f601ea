package dev.spream.search.meilisearch;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/** Reads answers of the server, which may come from something else, such as a proxy in its place. */
final class Answers {
    private Answers() {}

    /** What is read of an answer; what is not there or of another type is a failure that may pass. */
    static <R> R read(MeilisearchClient client, Supplier<R> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException | ArithmeticException | NoSuchElementException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "%s answered otherwise than Meilisearch does; nothing follows from that answer, and it is asked again: see what is at that address"
                            .formatted(client),
                    e);
        }
    }

    /** The member, which has to be there. */
    static List<JsonObject> objects(JsonObject answer, String name) {
        if (!answer.has(name)) {
            throw new NoSuchElementException(name);
        }
        return answer.objects(name);
    }
}
