package dev.spream.cli.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeyTextTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"Id":"5"}                         | Id=5
            {}                                 | ()
            {"Region":"eu-west","Id":"5"}      | Region=eu-west,Id=5
            {"Id":7.50}                        | Id=7.50
            {"Id":null}                        | Id=null
            {"Id":true}                        | Id=true
            {"Name":"two words"}               | Name="two words"
            {"Name":""}                        | Name=""
            {"Name":"a,Id=5"}                  | Name="a,Id=5"
            {"Name":"\\u001b[31m"}             | Name="\\u001b[31m"
            """)
    void a_key_is_shown_so_that_it_can_be_named_again(String json, String text) {
        RecordKey key = new RecordKey("Orders", JsonObject.of(json));
        assertThat(KeyText.of(key)).isEqualTo(text);
        assertThat(KeyText.names(text, key)).isTrue();
        assertThat(KeyText.names(json, key)).isTrue();
        assertThat(KeyText.names("Id=6", key)).isFalse();
        assertThat(KeyText.names("{", key)).isFalse();
    }

    @Test
    void keys_of_a_change_have_their_table_before_them() {
        assertThat(KeyText.of(List.of(
                        new RecordKey("Orders", JsonObject.of("{\"Id\":\"6\"}")),
                        new RecordKey("Orders", JsonObject.of("{\"Id\":\"5\"}")))))
                .isEqualTo("Orders Id=5; Id=6");
    }
}
