package dev.spream.artefacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the poms meet the requirements of Maven Central, and that the BOM contains all modules. */
final class PomsTest {
    private static final List<String> OF_ALL = List.of(
            "/project/url",
            "/project/licenses/license/name",
            "/project/licenses/license/url",
            "/project/developers/developer/name",
            "/project/scm/connection",
            "/project/scm/developerConnection",
            "/project/scm/url");

    @Test
    void the_parent_says_what_holds_for_all() {
        assertThat(OF_ALL)
                .allSatisfy(path -> assertThat(Pom.root().text(path)).as(path).isNotBlank());
    }

    @Test
    void every_module_says_what_it_is() {
        List<Pom> published = Pom.published();
        assertThat(published)
                .isNotEmpty()
                .allSatisfy(pom -> assertThat(pom.text("/project/description")).isNotBlank());
        assertThat(published.stream().map(pom -> pom.text("/project/name")))
                .doesNotContain("")
                .doesNotHaveDuplicates();
    }

    @Test
    void the_bom_has_every_module_that_is_published() {
        assertThat(Pom.of(Path.of("../../spream-bom"))
                        .texts("/project/dependencyManagement//dependency[groupId='dev.spream']/artifactId"))
                .containsExactlyInAnyOrderElementsOf(
                        Pom.published().stream().map(Pom::artifact).toList());
    }

    @Test
    void modules_of_tests_and_examples_are_not_published() {
        assertThat(Pom.published()).extracting(Pom::artifact).doesNotContain("spream-examples", "spream-verification");
    }
}
