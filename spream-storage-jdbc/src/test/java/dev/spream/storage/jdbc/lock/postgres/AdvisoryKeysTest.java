package dev.spream.storage.jdbc.lock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AdvisoryKeysTest {
    private static final long LAST = BucketSpace.MAX_BUCKETS - 1;

    private final AdvisoryKeys keys = new AdvisoryKeys(new SchemaName("spream"));

    @Test
    void numbers_are_the_same_for_ever() {
        assertThat(keys.number(new LockKey(0, 0))).isEqualTo(692667799874204420L);
        assertThat(keys.number(new LockKey(1, 17))).isEqualTo(1845589304481051413L);
        assertThat(keys.number(new LockKey(15, LAST))).isEqualTo(-460253704732642557L);
    }

    @Test
    void no_two_keys_of_a_schema_have_one_number() {
        Set<Long> numbers = new HashSet<>();
        int all = 0;
        for (int level = 0; level < 16; level++) {
            for (long bucket = 0; bucket < 1_000; bucket++) {
                numbers.add(keys.number(new LockKey(level, bucket)));
                numbers.add(keys.number(new LockKey(level, LAST - bucket)));
                all += 2;
            }
        }
        assertThat(numbers).hasSize(all);
    }

    @Test
    void the_level_is_in_the_upper_four_bits_whatever_the_bucket() {
        for (int level = 0; level < 16; level++) {
            assertThat(keys.number(new LockKey(level, 0)) >>> 60).isEqualTo(level);
            assertThat(keys.number(new LockKey(level, LAST)) >>> 60).isEqualTo(level);
        }
    }

    @Test
    void schemas_have_numbers_of_their_own() {
        AdvisoryKeys others = new AdvisoryKeys(new SchemaName("others"));
        assertThat(others.number(new LockKey(0, 0))).isNotEqualTo(keys.number(new LockKey(0, 0)));
    }
}
