package dev.spream.storage.jdbc.projection.internal;

import dev.spream.core.Sha256;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The form in which aggregate ids are stored in indexed columns: the id itself, or {@code sha256:} and its digest if
 * the id is too long for an entry of a B-tree index, contains a null character, or begins with {@code sha256:}.
 *
 * @see <a href="https://www.postgresql.org/docs/16/btree-intro.html">PostgreSQL: an index entry is at most about a
 *     third of a page</a>
 */
public final class StoredKeys {
    /**
     * The maximum number of characters, of at most 3 bytes each. An index entry has at most 2,704 bytes with pages of 8
     * KiB, and also contains the projection's name and a version.
     */
    private static final int MAX_LENGTH = 800;

    private static final String DIGEST = "sha256:";

    private StoredKeys() {}

    /** Returns the stored form, which is unique for each id. */
    public static String of(String id) {
        boolean fits = id.length() <= MAX_LENGTH && !id.startsWith(DIGEST) && id.indexOf('\0') < 0;
        return fits ? id : DIGEST + digest(id);
    }

    public static List<String> of(Collection<String> ids) {
        return ids.stream().map(StoredKeys::of).toList();
    }

    /** Returns the ids by their stored form, in the order in which rows are locked. */
    public static Map<String, String> byStored(Collection<String> ids) {
        return ids.stream().collect(Collectors.toMap(StoredKeys::of, id -> id, (first, same) -> first, TreeMap::new));
    }

    public static String digest(String id) {
        return Sha256.hex(id);
    }
}
