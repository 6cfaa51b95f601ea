package dev.spream.lock;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random requests for targets of a small hierarchy, for tests of what is pure. */
final class RandomRequests {
    private final Random random;

    RandomRequests(long seed) {
        this.random = new Random(seed);
    }

    BucketSpace space() {
        return new BucketSpace(BucketHash.SHA256, 1 + random.nextInt(20), 4);
    }

    LockTarget target() {
        List<String> path = new ArrayList<>();
        int depth = 1 + random.nextInt(4);
        for (int level = 0; level < depth; level++) {
            path.add("id" + random.nextInt(3));
        }
        return LockTarget.of(path);
    }

    LockMode mode() {
        return random.nextBoolean() ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    LockRequest request() {
        Map<LockTarget, LockMode> targets = new LinkedHashMap<>();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            targets.put(target(), mode());
        }
        return new LockRequest(targets);
    }
}
