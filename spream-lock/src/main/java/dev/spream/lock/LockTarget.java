package dev.spream.lock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A target of locks: a path of ids from the root of a hierarchy down. The first three levels have names, {@linkplain
 * #user user}, {@linkplain #account account} of a user, and {@linkplain #resource resource} of an account, for
 * hierarchies of that shape; {@link #of(List)} returns targets of other hierarchies.
 *
 * <p>Two targets with equal paths are equal, however they were created.
 *
 * @param path 1 to {@value #MAX_LEVELS} ids, the root first; an id is any text that is not empty
 */
public record LockTarget(List<String> path) {
    /** Maximum depth of a hierarchy. */
    public static final int MAX_LEVELS = 16;

    public LockTarget {
        path = List.copyOf(path);
        if (path.isEmpty() || path.size() > MAX_LEVELS) {
            throw new IllegalArgumentException("path has %d ids, must have 1 to %d".formatted(path.size(), MAX_LEVELS));
        }
        for (int level = 0; level < path.size(); level++) {
            if (path.get(level).isEmpty()) {
                throw new IllegalArgumentException(
                        "the id at level %d of %s is empty".formatted(level, shown(path.toString())));
            }
        }
    }

    public static LockTarget of(String root, String... below) {
        List<String> path = new ArrayList<>(below.length + 1);
        path.add(root);
        path.addAll(List.of(below));
        return new LockTarget(path);
    }

    public static LockTarget of(List<String> path) {
        return new LockTarget(path);
    }

    public static LockTarget user(String user) {
        return of(user);
    }

    public static LockTarget account(String user, String account) {
        return of(user, account);
    }

    public static LockTarget resource(String user, String account, String resource) {
        return of(user, account, resource);
    }

    /** Returns resources of one account, in the order given, each once. */
    public static Set<LockTarget> resources(String user, String account, Collection<String> resources) {
        return resources.stream()
                .map(resource -> resource(user, account, resource))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the level of the target; 0 for a root. */
    public int level() {
        return path.size() - 1;
    }

    /** Returns the parent; empty for a root. */
    public Optional<LockTarget> parent() {
        return level() == 0 ? Optional.empty() : Optional.of(new LockTarget(path.subList(0, level())));
    }

    /** Returns the ancestors from the root down to the parent; empty for a root. */
    public List<LockTarget> ancestors() {
        return IntStream.range(1, path.size())
                .mapToObj(size -> new LockTarget(path.subList(0, size)))
                .toList();
    }

    public boolean isAncestorOf(LockTarget other) {
        return path.size() < other.path.size()
                && other.path.subList(0, path.size()).equals(path);
    }

    /**
     * Returns the ids with slashes between them, for display: two targets may look alike if their ids contain slashes.
     * Characters that would disturb a log or a terminal are escaped.
     */
    @Override
    public String toString() {
        return shown(String.join("/", path));
    }

    private static String shown(String text) {
        if (text.codePoints().allMatch(LockTarget::isPlain)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        text.codePoints()
                .forEach(point -> shown.append(
                        isPlain(point) ? Character.toString(point) : String.format(Locale.ROOT, "\\u%04x", point)));
        return shown.toString();
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
