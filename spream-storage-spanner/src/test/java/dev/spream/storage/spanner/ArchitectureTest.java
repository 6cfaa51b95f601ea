package dev.spream.storage.spanner;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The adapter as rules: which of the core's packages it may use, and what stays inside. */
final class ArchitectureTest {
    private static final String SPANNER = "dev.spream.storage.spanner";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(SPANNER);

    @Test
    void of_spream_the_adapter_uses_the_ports_of_its_part_and_the_spi() {
        uses(resideOutsideOfPackage(SPANNER + ".outbox"), "dev.spream.core.partition", "dev.spream.core.source");
        uses(resideInAPackage(SPANNER + ".outbox"), "dev.spream.outbox");
    }

    private static void uses(DescribedPredicate<JavaClass> classes, String... ports) {
        classes()
                .that(classes)
                .should()
                .onlyDependOnClassesThat(resideInAPackage("dev.spream..")
                        .negate()
                        .or(resideInAnyPackage(ports))
                        .or(resideInAnyPackage(
                                "dev.spream.core", "dev.spream.core.record", "dev.spream.api.spi", SPANNER + "..")))
                .check(CLASSES);
    }

    @Test
    void the_adapter_uses_no_jdbc_and_of_files_only_those_of_credentials() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql.."))
                .check(CLASSES);
        noClasses()
                .that(resideOutsideOfPackage(SPANNER + ".connection"))
                .should()
                .dependOnClassesThat(resideInAPackage("java.nio.file..").and(not(type(Path.class))))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.storage.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void inner_packages_use_only_those_that_are_further_in() {
        noClasses()
                .that(resideInAPackage(SPANNER + ".source"))
                .should()
                .dependOnClassesThat(resideInAPackage(SPANNER))
                .check(CLASSES);
        noClasses()
                .that(resideOutsideOfPackage(SPANNER + ".outbox"))
                .should()
                .dependOnClassesThat(resideInAPackage(SPANNER + ".outbox"))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(SPANNER + ".client"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(SPANNER, SPANNER + ".source"))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(SPANNER + ".connection"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(SPANNER, SPANNER + ".source", SPANNER + ".client"))
                .check(CLASSES);
    }

    @Test
    void a_package_has_at_most_40_types() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getEnclosingClass().isEmpty()
                                && !type.getSimpleName().equals("package-info"))
                        .map(JavaClass::getPackageName)
                        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting())))
                .containsOnlyKeys(
                        SPANNER, SPANNER + ".client", SPANNER + ".connection", SPANNER + ".outbox", SPANNER + ".source")
                .allSatisfy((name, types) -> assertThat(types).as(name).isLessThanOrEqualTo(40));
    }
}
