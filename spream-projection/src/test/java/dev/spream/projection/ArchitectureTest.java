package dev.spream.projection;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rules of this core: the JDK without files, networks and databases, and the kernel of {@code spream-core}; change streams in
 * one package alone.
 */
final class ArchitectureTest {
    private static final String ROOT = "dev.spream.projection";
    private static final String CORE = "dev.spream.core";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void packages_use_the_kernel_and_those_that_are_further_in() {
        mayUse(ROOT + ".event", CORE + ".record", CORE + ".serialization").check(CLASSES); // for its JSON
        mayUse(ROOT, ROOT + ".event", CORE + ".serialization").check(CLASSES);
        mayUse(ROOT + ".search", ROOT, ROOT + ".event").check(CLASSES);
        mayUse(ROOT + ".runner", ROOT, ROOT + ".event").check(CLASSES);
        mayUse(ROOT + ".waiting", ROOT, ROOT + ".event").check(CLASSES);
    }

    @Test
    void of_the_runner_only_the_manager_is_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getPackageName().equals(ROOT + ".runner"))
                        .filter(JavaClass::isTopLevelClass)
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .containsOnly("ProjectionManager");
    }

    @Test
    void packages_hold_at_most_forty_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.values()).allSatisfy(number -> assertThat(number).isLessThanOrEqualTo(40));
    }

    @Test
    void change_streams_are_known_to_one_package_which_no_other_uses() {
        mayUse(ROOT + ".changestream", ROOT + ".event", CORE + "..").check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".changestream")
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + ".changestream"))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
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
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName))
                .containsOnly(
                        ROOT,
                        ROOT + ".event",
                        ROOT + ".changestream",
                        ROOT + ".runner",
                        ROOT + ".search",
                        ROOT + ".waiting");
    }

    @Test
    void the_rules_notice_a_dependency_that_is_not_allowed() {
        assertThatThrownBy(() -> mayUse(ROOT + ".search", ROOT + ".event").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("dev.spream.projection");
        assertThatThrownBy(() -> mayUse(ROOT + ".changestream", ROOT + ".event").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(CORE + ".subscription");
    }

    private static ArchRule mayUse(String name, String... others) {
        String[] allowed = Stream.concat(
                        Stream.of("java..", "org.slf4j..", "org.jspecify..", CORE, CORE + ".internal", name),
                        Arrays.stream(others))
                .toArray(String[]::new);
        return classes().that(resideInAPackage(name)).should().onlyDependOnClassesThat(resideInAnyPackage(allowed));
    }
}
