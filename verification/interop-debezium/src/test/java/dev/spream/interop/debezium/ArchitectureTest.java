package dev.spream.interop.debezium;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Debezium's reader has a class path of its own, where nothing of spream is. */
final class ArchitectureTest {
    private static final String DEBEZIUM = "dev.spream.interop.debezium";

    @Test
    void the_reader_uses_nothing_of_spream() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("dev.spream..").and(not(resideInAPackage(DEBEZIUM))))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages(DEBEZIUM));
    }
}
