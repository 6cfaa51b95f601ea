package dev.spream.testkit.projection;

import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.FeedItem;
import dev.spream.testkit.event.TestEvents;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of dead letters: input that cannot be read as an event is stored. */
interface DeadLetterContract<T> extends ProjectionScenario.Stage<T> {

    private static FeedItem.Undecodable item(long delivery, String origin) {
        return new FeedItem.Undecodable(
                delivery,
                origin,
                ByteBuffer.wrap(new byte[] {0, -1, 'x', '\n'}),
                Map.of("key", "value\u20ac"),
                "no JSON",
                TestEvents.NOON);
    }

    @Test
    default void what_is_no_event_is_kept_once_by_its_origin() {
        given().running();
        given().store().deadLetter(NAME, item(1, "message 1"));
        given().store().deadLetter(NAME, item(2, "message 2"));
        given().fixture().anotherStore().deadLetter(NAME, item(3, "message 1"));
        assertThat(given().fixture().deadLetters(NAME)).containsExactly("message 1", "message 2");
        assertThat(given().details().deadLetters()).isEqualTo(2);
    }

    @Test
    default void projections_have_dead_letters_of_their_own() {
        given().running();
        given().store().register("other", 0);
        given().store().deadLetter(NAME, item(1, "message 1"));
        given().store().deadLetter("other", item(1, "message 1"));
        assertThat(given().fixture().deadLetters("other")).containsExactly("message 1");
        assertThat(given().details().deadLetters()).isEqualTo(1);
    }

    @Test
    default void what_is_empty_is_kept_as_well() {
        given().running();
        given().store()
                .deadLetter(
                        NAME,
                        new FeedItem.Undecodable(
                                1, "message 1", ByteBuffer.allocate(0), Map.of(), "no JSON", TestEvents.NOON));
        assertThat(given().fixture().deadLetters(NAME)).containsExactly("message 1");
    }
}
