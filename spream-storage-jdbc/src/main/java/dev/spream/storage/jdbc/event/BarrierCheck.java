package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;

/** Checks that the trigger and the sequence, by which readers of the table miss no event, are unchanged. */
final class BarrierCheck {
    private static final String ASK = """
            SELECT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = '@events'::regclass AND t.tgname = ?
                    AND t.tgenabled = 'A') AS guarded,
                EXISTS (SELECT FROM pg_sequence s WHERE s.seqrelid = '@events_position_seq'::regclass
                    AND s.seqcache = 1 AND s.seqincrement = 1 AND NOT s.seqcycle) AS one_by_one""";

    private BarrierCheck() {}

    /** @throws StorageException if something is missing, named in the message, or if the database cannot be queried */
    static void require(EventDatabase database) {
        String trigger = database.table().name() + "_barrier";
        String problem = database.row("looking at the table " + database.table(), ASK, p -> p.text(trigger), row -> {
            if (!row.getBoolean("guarded")) {
                return "its trigger %s is not there, or not enabled always".formatted(trigger);
            }
            return row.getBoolean("one_by_one") ? "" : "its positions are not given one by one";
        });
        if (!problem.isEmpty()) {
            throw SqlErrors.permanent(
                    ("%s cannot be read in order: %s, so that events that commit late would be passed over; restore it as"
                                    + " spream creates it")
                            .formatted(database.table(), problem));
        }
    }
}
