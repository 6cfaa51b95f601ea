package dev.spream.sink.files;

import java.util.List;
import java.util.Optional;

/**
 * The place of the files: a flat set of named, immutable objects, such as a bucket of an object store or a folder. A
 * name has slashes between its parts, and letters, digits, {@code . _ = -} in them. An implementation may put a prefix of
 * its own before all names.
 *
 * <p>Everything is strongly consistent: what a write that has returned stored is seen by every later call, of any
 * process. Safe for use by many threads. Every method throws {@link ObjectStoreException} if the store fails; a write
 * that failed may have taken effect. The opener closes the store.
 */
public interface ObjectStore extends AutoCloseable {

    /** Stores an object, in place of one with that name. It is durable, and whole for readers, when this returns. */
    void put(String name, byte[] content);

    /**
     * Stores an object if none has that name; of several callers, in any processes, one at most does. It is durable when
     * this returns.
     *
     * @return false if an object has the name, which is left as it is. It may be that of this call, whose client repeated a
     *     request of which the answer was lost: the caller has to look, and to store content that only it can have
     */
    boolean putIfAbsent(String name, byte[] content);

    /** Returns the content of an object; empty if there is none. */
    Optional<byte[]> get(String name);

    /** Returns the names that begin with the prefix, which ends with a slash, in ascending order. */
    List<String> list(String prefix);

    /**
     * Returns whether {@link #listAfter} costs only what it returns, because the place can begin a list at a name. False by
     * default: then it lists everything, and readers look for the names of new entries instead.
     */
    default boolean seeks() {
        return false;
    }

    /**
     * Returns the names that begin with the prefix and come after a name that does, in ascending order. An
     * implementation whose place can begin a list there overrides this, and {@link #seeks}.
     */
    default List<String> listAfter(String prefix, String name) {
        return list(prefix).stream()
                .filter(listed -> listed.compareTo(name) > 0)
                .toList();
    }

    /** Deletes an object; harmless if there is none. */
    void delete(String name);

    @Override
    void close();
}
