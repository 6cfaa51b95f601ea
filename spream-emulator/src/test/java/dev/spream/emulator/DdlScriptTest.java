package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DdlScriptTest {
    @Test
    void statements_end_with_semicolons_outside_of_comments_and_literals() {
        assertThat(DdlScript.statements("""
                -- one; comment
                CREATE TABLE A (Id STRING(9) DEFAULT ('a;b'), Name STRING(9) DEFAULT ("it's; -- not")) PRIMARY KEY (Id);
                /* a; comment
                   of two lines */ CREATE CHANGE STREAM `S;1` # the end; of it
                FOR A;;
                """))
                .containsExactly(
                        "CREATE TABLE A (Id STRING(9) DEFAULT ('a;b'), Name STRING(9) DEFAULT (\"it's; -- not\")) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM `S;1`  \nFOR A");
    }

    @Test
    void a_script_without_statements_has_none() {
        assertThat(DdlScript.statements("-- nothing\n")).isEmpty();
    }
}
