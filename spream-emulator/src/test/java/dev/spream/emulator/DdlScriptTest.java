package dev.spream.emulator;

import static com.google.spanner.admin.database.v1.DatabaseDialect.GOOGLE_STANDARD_SQL;
import static com.google.spanner.admin.database.v1.DatabaseDialect.POSTGRESQL;
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
                """, GOOGLE_STANDARD_SQL))
                .containsExactly(
                        "CREATE TABLE A (Id STRING(9) DEFAULT ('a;b'), Name STRING(9) DEFAULT (\"it's; -- not\")) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM `S;1` # the end; of it\nFOR A");
    }

    @Test
    void the_dialect_decides_what_a_comment_and_a_literal_is() {
        assertThat(DdlScript.statements("SELECT j #>> '{a}' FROM t; SELECT 'a\\'; SELECT 2", POSTGRESQL))
                .containsExactly("SELECT j #>> '{a}' FROM t", "SELECT 'a\\'", "SELECT 2");
        assertThat(DdlScript.statements("SELECT '''it's; -- x'''; SELECT 2", GOOGLE_STANDARD_SQL))
                .containsExactly("SELECT '''it's; -- x'''", "SELECT 2");
    }

    @Test
    void a_script_without_statements_has_none() {
        assertThat(DdlScript.statements("-- nothing\n", GOOGLE_STANDARD_SQL)).isEmpty();
    }
}
