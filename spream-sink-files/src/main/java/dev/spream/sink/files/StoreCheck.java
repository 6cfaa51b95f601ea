package dev.spream.sink.files;

import dev.spream.core.LoggedFailure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A check, at the start, that a store does what the log needs: it stores an object of a new name under {@code checks/},
 * reads and lists it, and is not able to store it again. The object is deleted if that is permitted.
 */
final class StoreCheck {
    private static final Logger log = LoggerFactory.getLogger(StoreCheck.class);
    static final String CHECKS = "checks/";

    private final ObjectStore store;
    private final String name = CHECKS + UUID.randomUUID();

    StoreCheck(ObjectStore store) {
        this.store = store;
    }

    /**
     * Checks the store. May be repeated after a failure, with the same object.
     *
     * @throws ObjectStoreException if the store fails, or does not fit
     */
    void run() {
        byte[] content = "Written by spream at its start, to check this place. It may be deleted.\n"
                .getBytes(StandardCharsets.UTF_8);
        store.putIfAbsent(name, content);
        boolean isRead =
                store.get(name).filter(read -> Arrays.equals(read, content)).isPresent();
        boolean isListed = store.list(CHECKS).contains(name);
        boolean isReplaced = store.putIfAbsent(name, content);
        delete();
        if (!isRead || !isListed) {
            throw unfit("an object that was just stored is not read or listed", "consistent reads");
        }
        if (isReplaced) {
            throw unfit(
                    "an object was replaced, although it was to be stored only if there was none",
                    "conditional writes (S3: If-None-Match, GCS: ifGenerationMatch)");
        }
    }

    private ObjectStoreException unfit(String happened, String need) {
        return new ObjectStoreException(
                "%s does not fit: %s. Two workers could count the same change, so nothing is written; use a store with %s"
                        .formatted(store, happened, need),
                false,
                null);
    }

    private void delete() {
        try {
            store.delete(name);
        } catch (ObjectStoreException e) {
            log.warn(
                    "{} could not be deleted from {}; it is not needed. Files of commits that another worker overtook stay as well, and do not count",
                    name,
                    store,
                    LoggedFailure.of(e));
        }
    }
}
