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

    private StoreCheck() {}

    /** @throws ObjectStoreException if the store fails, or does not fit */
    static void check(ObjectStore store) {
        String name = CHECKS + UUID.randomUUID();
        byte[] content = "Written by spream at its start, to check this place. It may be deleted.\n"
                .getBytes(StandardCharsets.UTF_8);
        store.putIfAbsent(name, content);
        boolean isRead =
                store.get(name).filter(read -> Arrays.equals(read, content)).isPresent();
        boolean isListed = store.list(CHECKS).contains(name);
        boolean isReplaced = store.putIfAbsent(name, content);
        delete(store, name);
        if (!isRead || !isListed) {
            throw unfit(store, "an object that was just stored is not read or listed", "consistent reads");
        }
        if (isReplaced) {
            throw unfit(
                    store,
                    "an object was replaced, although it was to be stored only if there was none",
                    "conditional writes (S3: If-None-Match, GCS: ifGenerationMatch)");
        }
    }

    private static ObjectStoreException unfit(ObjectStore store, String happened, String need) {
        return new ObjectStoreException(
                "%s does not fit: %s. Two workers could count the same change, so nothing is written; use a store with %s"
                        .formatted(store, happened, need),
                false,
                null);
    }

    private static void delete(ObjectStore store, String name) {
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
