package dev.spream.testkit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The rules of the test kit: the cores, JUnit and AssertJ; a contract knows its own capability and not the stores in memory. */
final class ArchitectureTest {
    private static final String ROOT = "dev.spream.testkit";
    private static final String CORE = "dev.spream.core..";
    private static final int MOST_TYPES = 40;
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void only_the_cores_and_the_libraries_of_tests_are_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "javax.sql..",
                        "javax.tools..",
                        "jdk.jfr..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "org.junit.jupiter..",
                        "org.assertj..",
                        "ch.qos.logback..",
                        ROOT + "..",
                        CORE,
                        "dev.spream.lock..",
                        "dev.spream.outbox..",
                        "dev.spream.projection.."))
                .check(CLASSES);
    }

    @Test
    void contracts_know_their_own_capability() {
        refuses("partition", "dev.spream.lock..", "dev.spream.outbox..", "dev.spream.projection..");
        refuses("consume", "dev.spream.lock..", "dev.spream.outbox..", "dev.spream.projection..");
        refuses("lock", "dev.spream.outbox..", "dev.spream.projection..");
        refuses("outbox", "dev.spream.lock..", "dev.spream.projection..");
        refuses("projection", "dev.spream.lock..", "dev.spream.outbox..");
        refuses("event", "dev.spream.lock..", "dev.spream.outbox..");
        refuses("search", "dev.spream.lock..", "dev.spream.outbox..");
    }

    @Test
    void only_stores_in_memory_know_stores_in_memory() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".memory")
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + ".memory"))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void a_package_has_at_most_forty_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.values()).allMatch(count -> count <= MOST_TYPES, "at most 40 types, of " + types);
    }

    private static void refuses(String contracts, String... others) {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "." + contracts)
                .should()
                .dependOnClassesThat(resideInAnyPackage(others))
                .check(CLASSES);
    }
}
