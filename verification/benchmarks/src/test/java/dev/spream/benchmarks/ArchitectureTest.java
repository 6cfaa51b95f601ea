package dev.spream.benchmarks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The measurements as rules: each stands alone, on the same tools. */
final class ArchitectureTest {
    private static final String BENCHMARKS = "dev.spream.benchmarks";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(BENCHMARKS);

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void the_tools_know_no_measurement() {
        noClasses()
                .that(resideInAPackage(BENCHMARKS + ".harness"))
                .should()
                .dependOnClassesThat(resideInAPackage(BENCHMARKS + "..")
                        .and(resideInAPackage(BENCHMARKS + ".harness").negate()))
                .check(CLASSES);
    }

    @Test
    void measurements_know_nothing_of_each_other() {
        slices().matching(BENCHMARKS + ".(*)")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(resideInAPackage(BENCHMARKS + ".."), resideInAPackage(BENCHMARKS + ".harness"))
                .check(CLASSES);
    }
}
