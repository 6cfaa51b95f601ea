package dev.spream.outbox;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of this core: the JDK without files, networks and databases, and the kernel of {@code spream-core}. */
final class ArchitectureTest {
    private static final String ROOT = "dev.spream.outbox";
    private static final String CORE = "dev.spream.core";
    private static final int MOST_TYPES = 40;
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    /** So no other capability is known. */
    @Test
    void only_the_jdk_the_logging_api_the_kernel_and_what_is_further_in_are_used() {
        mayUse(ROOT).check(CLASSES);
        mayUse(ROOT + ".worker", ROOT).check(CLASSES);
    }

    @Test
    void no_file_no_network_and_no_database_is_used() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.nio.file..", "java.net..", "java.rmi..", "java.sql..", "javax.."))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void a_package_has_at_most_forty_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.values()).allMatch(count -> count <= MOST_TYPES, "at most 40 types, of " + types);
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrder(ROOT, ROOT + ".worker");
    }

    @Test
    void the_rules_notice_a_dependency_that_is_not_allowed() {
        JavaClasses wrong = new ClassFileImporter().importClasses(ArchitectureTest.class);
        assertThatThrownBy(() -> mayUse(ROOT).check(wrong))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("org.junit.jupiter.api.Test");
        assertThatThrownBy(() -> mayUse(ROOT + ".worker").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(ROOT);
    }

    private static ArchRule mayUse(String name, String... others) {
        String[] allowed = Stream.concat(
                        Stream.of(
                                "java..",
                                "org.slf4j..",
                                "org.jspecify..",
                                CORE,
                                CORE + ".internal",
                                CORE + ".serialization",
                                name),
                        Arrays.stream(others))
                .toArray(String[]::new);
        return classes().that(resideInAPackage(name)).should().onlyDependOnClassesThat(resideInAnyPackage(allowed));
    }
}
