package dev.spream.examples.vocabulary;

import dev.spream.core.StorageException;
import dev.spream.examples.http.Json;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Refusal.Reason;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.VersionConflictException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Executes commands, each as one event. A command contains the version of the entry that its user has seen, and is
 * decided by that version alone: a repeated command therefore makes the same decision and finds its event; if the entry
 * has another later event, the command is refused. Safe for use by many threads.
 */
record EntryCommands(EntryLog log, InstantSource clock) {
    /**
     * Creates an entry.
     *
     * @throws Refusal if another request has used the key
     * @throws StorageException if the events could not be reached; the command may have been executed, and may be
     * repeated
     */
    EventEnvelope create(CreateEntry command, RequestIds ids) {
        return handle(ids.entry(), 0, command, ids);
    }

    /**
     * Executes a command on an entry.
     *
     * @param version the version of the entry that the user has seen, 1 or more
     * @return the event, whose version is the entry's present one
     * @throws Refusal if the command refers to something that does not exist, the entry has another version, or another
     * request has used the key
     * @throws StorageException if the events could not be reached; the command may have been executed, and may be
     * repeated
     */
    EventEnvelope handle(String entryId, long version, Command command, RequestIds ids) {
        List<EventEnvelope> seen = log.read(entryId, version);
        if (seen.isEmpty() && version > 0) {
            throw new Refusal(Reason.NOT_FOUND, "There is no such entry.");
        }
        if (seen.size() < version) {
            throw conflict(seen.size());
        }
        NewEvent event = event(entryId, Entry.of(seen).decide(command), ids);
        EventEnvelope appended = append(entryId, version, event);
        if (!Json.canonical(Json.parse(appended.eventData())).equals(Json.canonical(Json.parse(event.eventData())))) {
            throw keyInUse();
        }
        return appended;
    }

    private NewEvent event(String entryId, VocabularyEvent event, RequestIds ids) {
        return new NewEvent(
                ids.event(entryId),
                event.type(),
                EventCodec.write(event),
                clock.instant().truncatedTo(ChronoUnit.MICROS), // in PostgreSQL's precision
                new EventMetadata(ids.correlationId(), ids.userId(), "vocabulary", Optional.of(ids.idempotencyKey())));
    }

    private EventEnvelope append(String entryId, long version, NewEvent event) {
        try {
            return log.append(entryId, version, event);
        } catch (VersionConflictException e) {
            throw version == 0 ? keyInUse() : conflict(e.actual());
        } catch (IllegalArgumentException e) {
            throw keyInUse();
        }
    }

    private static Refusal conflict(long actual) {
        return new Refusal(
                Reason.VERSION_CONFLICT,
                "The entry has version %d by now: look at it again, and decide again.".formatted(actual));
    }

    private static Refusal keyInUse() {
        return new Refusal(Reason.IDEMPOTENCY_CONFLICT, "Another request has had this key: use a new one.");
    }
}
