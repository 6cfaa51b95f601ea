package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class RequestsTest {
    private static final RequestIds IDS = new RequestIds("u-1", "key-1");

    @Test
    void an_item_has_its_id_from_the_key_and_each_category_once() {
        String body = """
                {"version": 3, "definition": "water", "difficulty": "beginner", "categories": ["food", "nature", "food"]}""";
        AddItem first = (AddItem) Requests.addItem(body, IDS).command();
        assertThat(first.item().categories()).containsExactly("food", "nature");
        assertThat(first).isEqualTo(Requests.addItem(body, IDS).command());
        assertThat(first.item().itemId())
                .isNotEqualTo(((AddItem) Requests.addItem(body, new RequestIds("u-1", "key-2"))
                                .command())
                        .item()
                        .itemId())
                .isNotEqualTo(((AddItem) Requests.addItem(body, new RequestIds("u-2", "key-1"))
                                .command())
                        .item()
                        .itemId());
    }

    @Test
    void a_wrong_member_is_named_with_what_it_must_be_and_not_with_what_it_is() {
        refused(() -> Requests.createEntry("[1]"), "the body must be a JSON object");
        refused(() -> Requests.createEntry("{\"word\": \"   \", \"part_of_speech\": \"noun\"}"), "word must be a text");
        refused(
                () -> Requests.createEntry("{\"word\": \"a\\u0000\", \"part_of_speech\": \"noun\"}"),
                "word must be a text");
        refused(
                () -> Requests.createEntry("{\"word\": \"a\", \"part_of_speech\": \"secret\"}"),
                "part_of_speech must be one of [adjective,");
        refused(
                () -> Requests.createEntry("{\"word\": \"a\", \"part_of_speech\": \"noun\", \"secret\": 1}"),
                "the body has 1 unknown members");
        refused(() -> Requests.updateItem("i", "{\"version\": 1}"), "the body changes nothing");
        refused(() -> Requests.updateItem("i", "{\"version\": 0, \"definition\": \"a\"}"), "version must be");
        refused(
                () -> Requests.createEntry("{\"word\": \"a\\ud800\", \"part_of_speech\": \"noun\"}"),
                "word must be a text");
        refused(() -> Requests.updateItem("i", "{\"version\": 1e18, \"definition\": \"a\"}"), "version must be");
        refused(() -> Requests.updateItem("i", "{\"version\": 1e100, \"definition\": \"a\"}"), "version must be");
        refused(
                () -> Requests.updateItem("i", "{\"version\": 1e2147483647, \"definition\": \"a\"}"),
                "version must be");
        refused(
                () -> Requests.updateItem("i", "{\"version\": 100e2147483647, \"definition\": \"a\"}"),
                "the body is not valid JSON");
        refused(() -> Requests.updateItem("i", "{\"version\": 1.5, \"definition\": \"a\"}"), "version must be");
        refused(() -> Requests.updateItem("i", "{\"version\": 1, \"quality_score\": 1.01}"), "quality_score must be");
        refused(() -> Requests.generateItems("{\"version\": 1, \"items\": []}", IDS), "items must be");
        refused(
                () -> Requests.generateItems(
                        "{\"version\": 1, \"items\": [{\"definition\": \"a\", \"difficulty\": \"beginner\", \"examples\": [{}]}]}",
                        IDS),
                "items[0].examples[0].sentence must be");
    }

    private static void refused(ThrowingCallable request, String reason) {
        assertThatThrownBy(request)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }

    @Test
    void generated_items_have_ids_of_their_own_and_so_have_their_examples() {
        GenerateItems generate =
                (GenerateItems) Requests.generateItems("""
                {"version": 1, "items": [
                  {"definition": "a", "difficulty": "beginner", "examples": [
                    {"sentence": "s", "translation": "t"}, {"sentence": "s", "translation": "t"}]},
                  {"definition": "a", "difficulty": "beginner"}]}""", IDS).command();
        assertThat(generate.items()).extracting(Item::itemId).doesNotHaveDuplicates();
        assertThat(generate.items().getFirst().examples())
                .extracting(Example::exampleId)
                .containsExactly(IDS.item(0) + "-0", IDS.item(0) + "-1");
    }
}
