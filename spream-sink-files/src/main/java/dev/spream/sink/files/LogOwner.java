package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.StoredSubscription;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The subscription that writes a log: its name, and the time at which its partition storage got it, by which it is told
 * from another one of that name. Of two that share a log, each would drop changes of the other: the log's low watermark,
 * and the positions of partitions whose tokens are the same, such as those of snapshots, cover them. Confined to the
 * thread that commits.
 */
final class LogOwner {
    private final String name;
    private final Optional<StoredSubscription> stored;
    private final Optional<Instant> takenOver;
    private @Nullable Instant createdAt;

    /**
     * @param stored empty for replays of dead letters, which belong to whatever subscription has the log
     * @param takenOver the time of another subscription whose log this one continues
     */
    LogOwner(String name, Optional<StoredSubscription> stored, Optional<Instant> takenOver) {
        this.name = requireNonNull(name, "name");
        this.stored = requireNonNull(stored, "stored");
        this.takenOver = requireNonNull(takenOver, "takenOver");
    }

    String name() {
        return name;
    }

    /**
     * Returns the time at which the subscription was stored; empty before its first run, and for replays.
     *
     * @throws dev.spream.core.StorageException if the partition storage fails
     */
    Optional<Instant> createdAt() {
        Instant known = createdAt;
        if (known == null) {
            known = stored.flatMap(StoredSubscription::createdAt).orElse(null);
            createdAt = known;
        }
        return Optional.ofNullable(known);
    }

    /**
     * Refuses the log of another subscription.
     *
     * @param place the store of the log, for messages
     */
    void require(LogState state, String place) {
        state.subscription().filter(other -> !other.equals(name)).ifPresent(other -> {
            throw refused(
                    "the log has the changes of the subscription %s, and this one is %s: nothing is written. Use another prefix or folder for each subscription"
                            .formatted(other, name));
        });
        if (stored.isPresent()) {
            state.createdAt()
                    .filter(logged -> !takenOver.equals(Optional.of(logged)))
                    .filter(logged -> !createdAt().equals(Optional.of(logged)))
                    .ifPresent(logged -> {
                        throw refused(
                                "the log in %s has the changes of the subscription %s that was stored at %s, and %s: nothing is written, since each would drop changes of the other. Use a prefix or folder of its own for each partition storage. If this one continues the other, which has ended, such as after its storage was lost or moved, set take-over=%s of the sink; changes that the other has counted and that come again under other partition tokens count twice then"
                                        .formatted(place, name, logged, own(), logged));
                    });
        }
    }

    private String own() {
        return createdAt()
                .map("this one was stored at %s, in another storage or anew"::formatted)
                .orElse("the partition storage of this one has none yet");
    }

    private static ObjectStoreException refused(String message) {
        return new ObjectStoreException(message, false, null);
    }
}
