package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"projects/p/instances/i/databases/d", "projects/example.com:p-1/instances/i-2/databases/d_3"})
    void a_database_name_is_read_and_written(String name) {
        assertThat(DatabaseName.parse(name)).hasToString(name);
    }

    @Test
    void a_database_name_has_three_parts() {
        assertThat(DatabaseName.parse("projects/p/instances/i/databases/d")).isEqualTo(new DatabaseName("p", "i", "d"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "d",
                "p/i/d",
                "projects/p/instances/i",
                "projects/p/instances/i/databases/",
                "projects//instances/i/databases/d",
                "/projects/p/instances/i/databases/d",
                "projects/p/instances/i/databases/d/x"
            })
    void another_form_is_refused_and_the_expected_one_named(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatabaseName.parse(name))
                .withMessage(
                        "malformed database name '%s': expected projects/<project>/instances/<instance>/databases/<database>",
                        name);
    }

    @Test
    void a_part_with_other_characters_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatabaseName.parse("projects/p/instances/i 1/databases/d"))
                .withMessageContaining("malformed instance 'i 1'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Orders", "o", "Orders_2"})
    void a_stream_name_is_an_identifier(String name) {
        assertThat(new StreamName(name)).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "2Orders", "_Orders", "Or ders", "Orders`", "Orders\"", "Orders(null)", "Bestellungenü"})
    void a_malformed_identifier_never_reaches_a_query(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StreamName(name))
                .withMessageContaining("malformed change stream name '%s'", name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "_READ", "READ Orders", "READ_Orders`", "READ_Orders\"", "spanner.read_json_orders"})
    void a_read_function_name_is_an_identifier(String name) {
        assertThat(new ReadFunctionName("READ_" + "s".repeat(128) + "_europe").value())
                .hasSize(140);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ReadFunctionName(name))
                .withMessageContaining("malformed read function name '%s'", name);
    }

    @Test
    void a_stream_name_has_at_most_128_characters() {
        assertThat(new StreamName("s".repeat(128)).value()).hasSize(128);
        assertThatIllegalArgumentException().isThrownBy(() -> new StreamName("s".repeat(129)));
    }
}
