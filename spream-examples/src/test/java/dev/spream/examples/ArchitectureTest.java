package dev.spream.examples;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of the examples: each stands alone, and uses what any program may use. */
final class ArchitectureTest {
    private static final String EXAMPLES = "dev.spream.examples";
    private static final Path PLUGINS = Path.of("plugin-projects");
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(EXAMPLES);

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void an_example_uses_no_other_example() {
        mayUse("balance").check(CLASSES);
        mayUse("http").check(CLASSES);
        mayUse("order", "http").check(CLASSES);
        mayUse("vocabulary", "http").check(CLASSES);
        noClasses()
                .that(resideInAPackage(EXAMPLES))
                .should()
                .dependOnClassesThat(resideInAPackage(EXAMPLES + ".*.."))
                .check(CLASSES);
    }

    @Test
    void nothing_is_used_that_is_not_for_users() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.spream..internal..", "dev.spream.cli.."))
                .check(CLASSES);
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName))
                .containsOnly(
                        EXAMPLES,
                        EXAMPLES + ".balance",
                        EXAMPLES + ".http",
                        EXAMPLES + ".order",
                        EXAMPLES + ".vocabulary");
    }

    /** Their projects are built by themselves, so that their sources have to do. */
    @Test
    void plugins_use_the_spi_and_the_ports_of_spream_and_nothing_else_of_it() throws IOException {
        assertThat(importsOfPlugins())
                .isNotEmpty()
                .allMatch(name -> name.matches("dev\\.spream\\.(api\\.spi|core\\.\\w+)\\.[\\w*]+"));
    }

    @Test
    void the_rules_notice_a_dependency_that_is_not_allowed() {
        assertThatThrownBy(() -> mayUse("order").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(EXAMPLES + ".http");
    }

    private static List<String> importsOfPlugins() throws IOException {
        try (Stream<Path> files = Files.walk(PLUGINS)) {
            StringBuilder sources = new StringBuilder();
            for (Path file : files.filter(
                            file -> file.toString().contains("/src/main/java/") && Files.isRegularFile(file))
                    .toList()) {
                sources.append(Files.readString(file));
            }
            return sources.toString()
                    .lines()
                    .filter(line -> line.startsWith("import dev.spream."))
                    .map(line -> line.substring("import ".length(), line.length() - 1))
                    .toList();
        }
    }

    private static ArchRule mayUse(String name, String... others) {
        String[] allowed = Stream.concat(Stream.of(name), Stream.of(others))
                .map(other -> EXAMPLES + "." + other + "..")
                .toArray(String[]::new);
        return noClasses()
                .that(resideInAPackage(EXAMPLES + "." + name + ".."))
                .should()
                .dependOnClassesThat(resideInAPackage(EXAMPLES + "..")
                        .and(resideInAnyPackage(allowed).negate())
                        .as("others of " + EXAMPLES));
    }
}
