package dev.spream.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;

/**
 * The hash function from a path to a number, the same in every process and every language, forever: a program that
 * computes another bucket for a target does not exclude the others. Golden vectors in the tests pin each version.
 */
public enum BucketHash {
    /**
     * The first 64 bits, big-endian and unsigned, of the SHA-256 of every id as its length in bytes (four bytes,
     * big-endian) and its UTF-8. Colliding ids cannot be constructed.
     */
    SHA256(1) {
        @Override
        long hash(List<String> path) {
            MessageDigest digest = Sha256.digest();
            for (String id : path) {
                byte[] bytes = id.getBytes(UTF_8);
                digest.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
                digest.update(bytes);
            }
            return ByteBuffer.wrap(digest.digest()).getLong();
        }
    },
    /**
     * 32-bit FNV-1a over the UTF-8 of the level's name, a colon, and the ids with colons between them, as in {@code
     * account:u1:a1}; the levels are {@code user}, {@code account}, {@code resource}, and then {@code level3} and so
     * on. For tables that are shared with programs that use this hash; ids that contain colons collide, and so do ids
     * chosen to.
     *
     * @see <a href="https://datatracker.ietf.org/doc/html/rfc9923">RFC 9923: FNV</a>
     */
    FNV1A_32(2) {
        @Override
        long hash(List<String> path) {
            int level = path.size() - 1;
            String prefix = level < LEVEL_NAMES.size() ? LEVEL_NAMES.get(level) : "level" + level;
            int hash = FNV_OFFSET_BASIS;
            for (byte octet : (prefix + ":" + String.join(":", path)).getBytes(UTF_8)) {
                hash = (hash ^ (octet & 0xff)) * FNV_PRIME;
            }
            return Integer.toUnsignedLong(hash);
        }
    };

    private static final List<String> LEVEL_NAMES = List.of("user", "account", "resource");
    private static final int FNV_OFFSET_BASIS = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    private final int version;

    BucketHash(int version) {
        this.version = version;
    }

    /** Returns the name in configurations and options, such as {@code fnv1a-32}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the version that the database records; it changes whenever {@link #hash} returns other values. */
    public int version() {
        return version;
    }

    /** Returns the hash as an unsigned number. */
    abstract long hash(List<String> path);
}
