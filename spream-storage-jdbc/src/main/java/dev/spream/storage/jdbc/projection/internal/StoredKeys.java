package dev.spream.storage.jdbc.projection.internal;

import dev.spream.core.Sha256;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Aggregates as rows have them: by their ids, or by what stands for one that an index entry cannot hold.
 *
 * @see <a href="https://www.postgresql.org/docs/current/limits.html">PostgreSQL: limits</a>
 */
public final class StoredKeys {
    /** Of at most 3 bytes each; an index entry has 2,704, and the projection's name and a version are in it as well. */
    private static final int MAX_LENGTH = 800;

    private static final String DIGEST = "sha256:";

    private StoredKeys() {}

    /** Another one for every other id. */
    public static String of(String id) {
        boolean fits = id.length() <= MAX_LENGTH && !id.startsWith(DIGEST) && id.indexOf('\0') < 0;
        return fits ? id : DIGEST + digest(id);
    }

    public static List<String> of(Collection<String> ids) {
        return ids.stream().map(StoredKeys::of).toList();
    }

    /** The ids by what stands for them, in the order in which rows are locked. */
    public static Map<String, String> byStored(Collection<String> ids) {
        return ids.stream().collect(Collectors.toMap(StoredKeys::of, id -> id, (first, same) -> first, TreeMap::new));
    }

    public static String digest(String id) {
        return Sha256.hex(id);
    }
}
