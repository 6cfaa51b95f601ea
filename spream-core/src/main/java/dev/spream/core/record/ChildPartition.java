package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition that continues one or several others.
 *
 * @param token names the partition in queries
 * @param parentTokens the partitions it continues; empty for a child of the initial query
 */
public record ChildPartition(String token, List<String> parentTokens) {
    public ChildPartition {
        requireNonNull(token, "token");
        if (token.isEmpty()) {
            throw new IllegalArgumentException("token must not be empty");
        }
        parentTokens = List.copyOf(parentTokens);
    }

    /**
     * Reads parents as servers send them: absent, an empty list and a list of nulls all mean "a child of the initial
     * query".
     */
    public static ChildPartition of(String token, @Nullable Collection<@Nullable String> parentTokens) {
        List<String> parents = parentTokens == null
                ? List.of()
                : parentTokens.stream().filter(Objects::nonNull).toList();
        return new ChildPartition(token, parents);
    }
}
