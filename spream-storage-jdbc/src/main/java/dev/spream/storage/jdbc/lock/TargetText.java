package dev.spream.storage.jdbc.lock;

import dev.spream.core.record.JsonObject;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts targets to and from JSON: paths by mode, as in <code>{"shared":[["u1"]],"exclusive":[["u1","a1"]]}</code>.
 */
final class TargetText {
    private static final Map<String, LockMode> MODES =
            Map.of("shared", LockMode.SHARED, "exclusive", LockMode.EXCLUSIVE);

    private TargetText() {}

    static String write(Map<LockTarget, LockMode> targets) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        MODES.forEach((name, mode) -> {
            List<List<String>> paths = new ArrayList<>();
            targets.forEach((target, of) -> {
                if (of == mode) {
                    paths.add(target.path());
                }
            });
            if (!paths.isEmpty()) {
                members.put(name, paths);
            }
        });
        return JsonObject.of(members).toString();
    }

    /** @throws IllegalArgumentException if the text was not written by this class */
    static Map<LockTarget, LockMode> read(String text) {
        Map<LockTarget, LockMode> targets = new LinkedHashMap<>();
        JsonObject.of(text).members().forEach((name, paths) -> {
            LockMode mode = MODES.get(name);
            if (mode == null || !(paths instanceof List<?> list)) {
                throw new IllegalArgumentException("malformed targets of locks: " + name);
            }
            list.forEach(path -> targets.put(target(path), mode));
        });
        return targets;
    }

    private static LockTarget target(@Nullable Object path) {
        if (!(path instanceof List<?> ids)) {
            throw new IllegalArgumentException("malformed target of a lock: " + path);
        }
        return LockTarget.of(ids.stream().map(String::valueOf).toList());
    }
}
