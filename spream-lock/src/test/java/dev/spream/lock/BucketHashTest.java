package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Golden vectors, computed by a program in another language: a changed hash would no longer exclude processes of other
 * versions.
 */
final class BucketHashTest {

    @ParameterizedTest
    @CsvSource({
        "u1, 3ca5f63b5c8d9f0a, 9222922, 892682",
        "u1/a1, 9162a4bcee858a93, 9731091, 363155",
        "u1/a1/r1, ab1127a081308611, 5449745, 34321",
        "a/b/c/d, 94bf9e758f44b2d0, 7076176, 307920",
        "ab/c, f2939f903016e5bb, 5940923, 452027",
        "a/bc, b534ce16ac9c8b36, 4453302, 822070",
        "a:b/c, 540e8f1c5ae653a7, 6796199, 414631",
        "a/b:c, e482a79a788392cc, 8645580, 234188",
        "ユーザー, 0d4d4243687412a8, 2463144, 266920",
        "ü/口座/🔒, eccde18766963f41, 4634561, 409409",
        "0, ab544d1a0652d5ad, 9952557, 185773"
    })
    void sha256_is_what_it_always_was(String path, String hash, long ofTenMillion, long ofTwoToTheTwentieth) {
        requireVector(BucketHash.SHA256, path, hash, ofTenMillion, ofTwoToTheTwentieth);
    }

    @ParameterizedTest
    @CsvSource({
        "u1, b1cf2492, 3142546, 992402",
        "u1/a1, 781cdac8, 5156936, 842440",
        "u1/a1/r1, 1dd03a84, 185732, 14980",
        "a/b/c/d, d447d62e, 1477678, 513582",
        "ab/c, c15321f6, 3450870, 205302",
        "a/bc, eeef5816, 8663062, 1005590",
        "ユーザー, 7621e50f, 1932815, 124175",
        "ü/口座/🔒, 144b260c, 469260, 730636",
        "0, 6c1a4938, 3662008, 674104"
    })
    void fnv1a_is_what_it_always_was(String path, String hash, long ofTenMillion, long ofTwoToTheTwentieth) {
        requireVector(BucketHash.FNV1A_32, path, hash, ofTenMillion, ofTwoToTheTwentieth);
    }

    private static void requireVector(
            BucketHash hash, String path, String expected, long ofTenMillion, long ofTwoToTheTwentieth) {
        List<String> ids = List.of(path.split("/"));
        assertThat(hash.hash(ids)).isEqualTo(Long.parseUnsignedLong(expected, 16));
        assertThat(bucket(hash, 10_000_000, ids)).isEqualTo(ofTenMillion);
        assertThat(bucket(hash, 1 << 20, ids)).isEqualTo(ofTwoToTheTwentieth);
    }

    private static long bucket(BucketHash hash, long buckets, List<String> ids) {
        return new BucketSpace(hash, buckets, LockTarget.MAX_LEVELS)
                .keyOf(LockTarget.of(ids))
                .bucket();
    }

    @Test
    void a_long_id_is_hashed_whole() {
        List<String> ids = List.of("x".repeat(300));
        assertThat(BucketHash.SHA256.hash(ids)).isEqualTo(0x789e74c6add52f7dL);
        assertThat(BucketHash.FNV1A_32.hash(ids)).isEqualTo(0xdb24d7f8L);
    }

    @Test
    void paths_that_colons_make_look_alike_share_a_hash_only_where_the_documentation_says_so() {
        List<String> one = List.of("a:b", "c");
        List<String> other = List.of("a", "b:c");
        assertThat(BucketHash.SHA256.hash(one)).isNotEqualTo(BucketHash.SHA256.hash(other));
        assertThat(BucketHash.FNV1A_32.hash(one)).isEqualTo(BucketHash.FNV1A_32.hash(other));
    }

    @Test
    void versions_are_those_that_databases_have_recorded() {
        assertThat(BucketHash.SHA256.version()).isEqualTo(1);
        assertThat(BucketHash.FNV1A_32.version()).isEqualTo(2);
        assertThat(BucketHash.values()).hasSize(2);
    }
}
