package dev.spream.format.schema;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of what formats share: of spream, only those that a plug-in from the folder can use. */
final class ArchitectureTest {
    @Test
    void the_records_and_the_spi_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.math..",
                        "java.net..",
                        "java.nio..",
                        "java.time..",
                        "java.util..",
                        "dev.spream.core",
                        "dev.spream.core.record..",
                        "dev.spream.api.spi..",
                        "dev.spream.format.schema..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.spream.format.schema"));
    }
}
