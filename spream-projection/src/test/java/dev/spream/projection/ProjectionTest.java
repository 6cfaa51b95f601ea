package dev.spream.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventEnvelope;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the events that a projection handles by default. */
final class ProjectionTest {
    private record Named(Set<String> eventTypes) implements Projection<StringBuilder> {
        @Override
        public String name() {
            return "named";
        }

        @Override
        public void apply(StringBuilder transaction, EventEnvelope event) {}
    }

    @Test
    void a_type_is_handled_in_all_its_versions() {
        Projection<?> projection = new Named(Set.of("Added", "mail@2"));
        assertThat(Set.of("Added", "Added@2", "mail@2")).allMatch(projection::handles);
        assertThat(Set.of("Removed", "Added@", "Added@x", "mail")).noneMatch(projection::handles);
    }

    @Test
    void all_types_are_handled_where_none_is_named() {
        assertThat(new Named(Set.of()).handles("Removed@2")).isTrue();
    }
}
