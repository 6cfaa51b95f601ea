package dev.spream.core.record;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of a JSON object inside a text, with its part of that text. Immutable. */
final class ParsedObject extends AbstractMap<String, @Nullable Object> {
    private final Map<String, @Nullable Object> members;
    private final String text;
    private final int start;
    private final int end;

    ParsedObject(Map<String, @Nullable Object> members, String text, int start, int end) {
        this.members = Collections.unmodifiableMap(members);
        this.text = text;
        this.start = start;
        this.end = end;
    }

    /** Returns the object as it was written. */
    String text() {
        return text.substring(start, end);
    }

    @Override
    public Set<Entry<String, @Nullable Object>> entrySet() {
        return members.entrySet();
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
        return members.get(name);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return members.containsKey(name);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || members.equals(other);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }
}
