package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;

/** Checks that the trigger and the sequence that keep readers from missing late commits are unchanged. */
final class BarrierCheck {
    private static final String ASK = """
            SELECT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = '@events'::regclass AND t.tgname = ?
                    AND t.tgenabled = 'A') AS guarded,
                EXISTS (SELECT FROM pg_sequence s WHERE s.seqrelid = '@events_position_seq'::regclass
                    AND s.seqcache = 1 AND s.seqincrement = 1 AND NOT s.seqcycle) AS one_by_one""";

    private BarrierCheck() {}

    /** @throws StorageException if one of them is missing or changed, or if the database cannot be queried */
    static void require(EventDatabase database) {
        String trigger = database.table().name() + "_barrier";
        String problem = database.row("checking the table " + database.table(), ASK, p -> p.text(trigger), row -> {
            if (!row.getBoolean("guarded")) {
                return "its trigger %s is missing or not set to ENABLE ALWAYS".formatted(trigger);
            }
            return row.getBoolean("one_by_one")
                    ? ""
                    : "the sequence of its positions does not increment by 1 without a cache";
        });
        if (!problem.isEmpty()) {
            throw SqlErrors.permanent(
                    ("%s cannot be read in order: %s, so readers would miss events that commit late; restore it as"
                                    + " spream creates it")
                            .formatted(database.table(), problem));
        }
    }
}
